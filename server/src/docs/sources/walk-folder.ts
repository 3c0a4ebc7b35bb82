import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { DocentError } from '../../platform/errors.ts';
import { type Globs, isWanted } from './source.ts';

/** Larger files are data or generated lists, not pages for readers. */
export const maxBytes = 2 * 1024 * 1024;

/** Globs apply to paths below the folder. Without them, all Markdown and MDX files are read. */
export interface WalkOptions extends Globs {
  folder: string;
  signal?: AbortSignal | undefined;
  onWarning: (warning: string) => void;
}

/** Returns the paths of the Markdown and MDX files below a folder, with `/`, in a fixed order. */
export async function walkFolder(options: WalkOptions): Promise<string[]> {
  const { folder, signal, onWarning } = options;
  const root = await realpath(folder).catch((cause: unknown) => {
    throw new DocentError(
      'bad_request',
      `The docs folder ${folder} does not exist or cannot be read.`,
      { cause },
    );
  });
  if (!(await stat(root)).isDirectory()) {
    throw new DocentError(
      'bad_request',
      `The docs folder ${folder} is a file; give the folder that it is in.`,
    );
  }
  const files: string[] = [];
  const visited = new Set<string>([root]);
  await visit('');
  return files.sort((a, b) => (a < b ? -1 : 1));

  async function visit(below: string): Promise<void> {
    signal?.throwIfAborted();
    const entries = await readdir(join(root, below), { withFileTypes: true }).catch(
      (cause: unknown) => {
        // Continuing without the folder would remove its pages from the index.
        throw new DocentError('unavailable', `The folder ${join(folder, below)} cannot be read.`, {
          cause,
        });
      },
    );
    for (const entry of entries) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const path = below ? `${below}/${entry.name}` : entry.name;
      if (entry.isSymbolicLink()) await follow(path);
      else if (entry.isDirectory()) await visit(path);
      else if (entry.isFile()) await take(path);
    }
  }

  async function follow(path: string): Promise<void> {
    const target = await realpath(join(root, path)).catch(() => undefined);
    const inside = target === undefined ? '..' : relative(root, target);
    if (
      target === undefined ||
      inside.startsWith('..') ||
      inside.split(sep).some((part) => part.startsWith('.'))
    ) {
      onWarning(`${path}: skipped, because the link leads out of the docs folder.`);
      return;
    }
    if (!(await stat(target)).isDirectory()) return take(path);
    // A link to a folder above would never end.
    if (visited.has(target) || join(root, path).startsWith(target + sep)) return;
    visited.add(target);
    await visit(path);
  }

  async function take(path: string): Promise<void> {
    if (!isPageFile(path)) return;
    if (!isWanted(path, options)) return;
    const { size } = await stat(join(root, path));
    if (size > maxBytes) onWarning(`${path}: skipped, because it is larger than 2 MB.`);
    else files.push(path);
  }
}

export function isPageFile(path: string): boolean {
  return /\.(md|mdx|markdown)$/i.test(path);
}
