/** Finds the Markdown of a docs folder and says where each file stands on the site. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isOrdered, sitePath, withoutOrder } from '@docent/server/page-paths';

export interface PageFile {
  /** Relative to the docs folder, with `/`: `guide/install.md`. */
  file: string;
  /** Where readers find it: `/guide/install`; `/` for the root. */
  path: string;
}

/** Sorted by file name, numbers by value, so that `2-b.md` stands before `10-a.md`. */
export async function findPageFiles(docsFolder: string): Promise<PageFile[]> {
  const files: string[] = [];
  await walk('');
  const collator = new Intl.Collator('en', { numeric: true });
  files.sort(collator.compare);
  const taken = new Map<string, PageFile>();
  const hasOrder = isOrdered(files);
  for (const file of files) {
    const path = toPath(hasOrder ? withoutOrder(file) : file);
    // Where `guide/index.md` and `guide/README.md` (or `guide.md`) both claim a path, the first stays.
    if (!taken.has(path)) taken.set(path, { file, path });
  }
  return [...taken.values()];

  async function walk(folder: string): Promise<void> {
    const entries = await readdir(join(docsFolder, folder), { withFileTypes: true });
    for (const entry of entries) {
      // As the index reads the folder, so that every page it cites is there.
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const file = folder ? `${folder}/${entry.name}` : entry.name;
      if (entry.isDirectory()) await walk(file);
      else if (/\.(mdx?|markdown)$/i.test(entry.name)) files.push(file);
    }
  }
}

/** `guide/install.mdx` -> `/guide/install`, `guide/index.md` -> `/guide`; by the index's own rule. */
export function toPath(file: string): string {
  return sitePath(file, '/');
}
