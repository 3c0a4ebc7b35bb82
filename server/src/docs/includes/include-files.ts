/** Loads the files that pages include, and refuses those that no page may show. */
import { createPauses } from '../../platform/pauses.ts';
import { isIn } from '../generators/paths.ts';
import { isSecretFile } from '../../platform/redaction/secret-files.ts';
import { isTooMuch, type RunTaskOf } from '../../platform/workers/worker-pool.ts';
import { type Expanded, type expandKnown, type KnownFile, mayInclude } from './expand.ts';
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
  run: RunTaskOf<{ includes: typeof expandKnown }>;
}

interface Page {
  file: string;
  text: string;
}

export function createIncludes({ site, load, isExcluded, run }: IncludeFiles) {
  const known = new Map<string, KnownFile>();
  /** What each page that includes something asked for. */
  const asked = new Map<string, string[]>();
  let total = 0;

  function toText(file: IncludedFile | undefined): KnownFile {
    if (file === undefined) return 'absent';
    if (!Buffer.isBuffer(file)) return file;
    if (file.length > maxIncludedBytes) return { reason: tooLarge };
    if (file.includes(0)) return { reason: 'it is not text' };
    total += file.length;
    if (total > maxTotal) return { reason: 'the included files are larger than 64 MB together' };
    return { text: file.toString('utf8').replace(/^\uFEFF/, '') };
  }

  async function loadAll(wanted: ReadonlySet<string>): Promise<void> {
    const paths: string[] = [];
    for (const path of wanted) {
      const reason =
        refusalOf(path, site.root) ?? (isExcluded?.(path) ? 'the source excludes it' : undefined);
      if (reason !== undefined) known.set(path, { reason });
      else if (!known.has(path)) paths.push(path);
    }
    if (paths.length === 0) return;
    const loaded = await load(paths);
    for (const path of paths) known.set(path, toText(loaded.get(path)));
  }

  function filesOf(file: string): ReadonlyMap<string, KnownFile> {
    return new Map(
      (asked.get(file) ?? []).flatMap((path) => {
        const one = known.get(path);
        return one === undefined ? [] : [[path, one] as const];
      }),
    );
  }

  /** `undefined`: some files aren't loaded yet. */
  async function expandOne(
    page: Page,
    wanted: Set<string>,
    signal: AbortSignal | undefined,
  ): Promise<Expanded | undefined> {
    try {
      const files = filesOf(page.file);
      const expanded = await run('includes', { page, site, files }, { signal });
      if (expanded.wanted.length === 0) return expanded;
      asked.set(page.file, [...files.keys(), ...expanded.wanted]);
      for (const path of expanded.wanted) wanted.add(path);
      return undefined;
    } catch (error) {
      if (!isTooMuch(error)) throw error;
      asked.delete(page.file);
      const problem = { file: page.file, line: 1, written: 'All includes' };
      const problems = [{ ...problem, reason: error.message, isMissing: false }];
      return { ...unchanged(page.text), problems };
    }
  }

  return {
    /** Loads what the pages include, one level of includes after the other, and shows those that include something. */
    async expandAll(
      pages: readonly Page[],
      onExpanded: (page: Page, expanded: Expanded) => void,
      signal?: AbortSignal,
    ): Promise<void> {
      const pause = createPauses();
      let open: Page[] = [];
      for (const page of pages) {
        await pause();
        if (mayInclude(page.text)) open.push(page);
      }
      while (open.length > 0) {
        const next: Page[] = [];
        const wanted = new Set<string>();
        for (const page of open) {
          signal?.throwIfAborted();
          const expanded = await expandOne(page, wanted, signal);
          if (expanded) onExpanded(page, expanded);
          else next.push(page);
        }
        await loadAll(wanted);
        open = next;
      }
    },

    async expand(page: Page, signal?: AbortSignal): Promise<Expanded> {
      let expanded = unchanged(page.text);
      await this.expandAll([page], (_, found) => void (expanded = found), signal);
      return expanded;
    },

    /** What a worker needs to read a page with all that it includes, once it's loaded. `undefined`: nothing. */
    for: (file: string) =>
      asked.has(file) ? { site, files: filesOf(file) } : undefined,
  };
}

const unchanged = (text: string): Expanded => ({
  text,
  lines: undefined,
  files: [],
  found: 0,
  resolved: 0,
  problems: [],
});

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
