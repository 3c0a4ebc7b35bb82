/** Finds the Markdown files of a docs folder and their paths on the site. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isOrdered, sitePath, withoutOrder } from '@docent/server/page-paths';

export interface PageFile {
  /** Relative to the docs folder, with `/`: `guide/install.md`. */
  file: string;
  /** The path on the site: `/guide/install`, or `/` for the root. */
  path: string;
}

/** Sorted by file name and by the value of numbers: `2-b.md` comes before `10-a.md`. */
export async function findPageFiles(docsFolder: string): Promise<PageFile[]> {
  const files: string[] = [];
  await walk('');
  const collator = new Intl.Collator('en', { numeric: true });
  files.sort(collator.compare);
  const taken = new Map<string, PageFile>();
  const hasOrder = isOrdered(files);
  for (const file of files) {
    const path = toPath(hasOrder ? withoutOrder(file) : file);
    // If two files have the same path, such as `guide/index.md` and `guide.md`, the first one counts.
    if (!taken.has(path)) taken.set(path, { file, path });
  }
  return [...taken.values()];

  async function walk(folder: string): Promise<void> {
    const entries = await readdir(join(docsFolder, folder), { withFileTypes: true });
    for (const entry of entries) {
      // The same rule as the index, so that every cited page exists.
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const file = folder ? `${folder}/${entry.name}` : entry.name;
      if (entry.isDirectory()) await walk(file);
      else if (/\.(mdx?|markdown)$/i.test(entry.name)) files.push(file);
    }
  }
}

/** `guide/install.mdx` becomes `/guide/install`, and `guide/index.md` becomes `/guide`, as in the index. */
export function toPath(file: string): string {
  return sitePath(file, '/');
}
