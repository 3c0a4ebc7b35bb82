/** Loads the files that pages include, and refuses those that no page may show. */
import { createPauses } from '../../platform/pauses.ts';
import { isIn } from '../generators/paths.ts';
import { isSecretFile } from '../../platform/redaction/secret-files.ts';
import { type Expanded, expandIncludes, type ReadIncluded } from './expand.ts';
import type { IncludeSite } from './include.ts';

/** Larger files are data or builds, which pages show a part of at most. */
export const maxIncludedBytes = 512 * 1024;
export const tooLarge = 'it is larger than 512 KB';
/** Of all included files together. */
const maxTotal = 64 * 1024 * 1024;

export type IncludedFile = Buffer | { reason: string };

export interface IncludeFiles {
  site: IncludeSite;
  /** Reads files that exist; others are left out. Paths have passed `refusalOf`. */
  load: (paths: readonly string[]) => Promise<ReadonlyMap<string, IncludedFile>>;
  /** The source leaves the file out. */
  isExcluded?: ((path: string) => boolean) | undefined;
}

export function createIncludes({ site, load, isExcluded }: IncludeFiles) {
  const known = new Map<string, ReturnType<ReadIncluded>>();
  let total = 0;
  let wanted = new Set<string>();
  let isComplete = true;

  const read: ReadIncluded = (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const reason =
      refusalOf(path, site.root) ?? (isExcluded?.(path) ? 'the source excludes it' : undefined);
    if (reason === undefined) {
      wanted.add(path);
      isComplete = false;
      return 'unknown';
    }
    known.set(path, { reason });
    return { reason };
  };

  function toText(file: IncludedFile | undefined): ReturnType<ReadIncluded> {
    if (file === undefined) return 'absent';
    if (!Buffer.isBuffer(file)) return file;
    if (file.length > maxIncludedBytes) return { reason: tooLarge };
    if (file.includes(0)) return { reason: 'it is not text' };
    total += file.length;
    if (total > maxTotal) return { reason: 'the included files are larger than 64 MB together' };
    return { text: file.toString('utf8').replace(/^\uFEFF/, '') };
  }

  async function loadWanted(): Promise<void> {
    const paths = [...wanted];
    wanted = new Set();
    const loaded = await load(paths);
    for (const path of paths) known.set(path, toText(loaded.get(path)));
  }

  const expand = (page: { file: string; text: string }): Expanded =>
    expandIncludes(page, site, read);

  return {
    /** Loads what the pages include, one level of includes after the other. */
    async prepare(
      pages: readonly { file: string; text: string }[],
      signal?: AbortSignal,
    ): Promise<void> {
      let open = pages;
      while (open.length > 0) {
        const next: (typeof pages)[number][] = [];
        const pause = createPauses();
        for (const page of open) {
          signal?.throwIfAborted();
          isComplete = true;
          expand(page);
          if (!isComplete) next.push(page);
          await pause();
        }
        if (wanted.size > 0) await loadWanted();
        open = next;
      }
    },
    /** The page with everything that was loaded for it. */
    expand,
  };
}

/** Why nobody may read a file, as the end of a sentence. */
export function refusalOf(path: string, root: string): string | undefined {
  if (path.startsWith('..') || path.startsWith('/') || path.includes('\0') || !isIn(path, root))
    return 'it is outside of the folder that includes may read';
  const inside = root === '' ? path : path.slice(root.length + 1);
  if (inside.split('/').some((part) => part.startsWith('.') || part === 'node_modules'))
    return 'hidden files and installed packages are not read';
  if (isSecretFile(inside)) return 'its name says that it holds a secret';
  if (binary.test(path)) return 'it is not text';
  return undefined;
}

const binary =
  /\.(png|jpe?g|gif|webp|avif|ico|pdf|zip|t?gz|bz2|xz|7z|mp[34]|mov|webm|ogg|wav|woff2?|ttf|eot|wasm|exe|dll|so|dylib|bin|jar|class|pyc)$/i;
