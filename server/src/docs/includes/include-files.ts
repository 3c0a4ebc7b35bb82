/** Loads the files that pages include, and refuses those that no page may show. */
import { isTooMuch, type RunTaskOf } from '../../platform/workers/worker-pool.ts';
import { createPauses } from '../../platform/pauses.ts';
import { isIn } from '../generators/paths.ts';
import { isSecretFile } from '../../platform/redaction/redact.ts';
import { type Expanded, expandIncludes, mayInclude, type ReadIncluded } from './expand.ts';
import type { IncludeSite } from './include.ts';

/** Larger files are data or builds, which pages show a part of at most. */
export const maxIncludedBytes = 512 * 1024;
export const tooLarge = 'it is larger than 512 KB';
/** Of all included files together. */
const maxTotal = 64 * 1024 * 1024;

export type IncludedFile = Buffer | { reason: string };

type KnownFile = Exclude<ReturnType<ReadIncluded>, 'unknown'>;
type PageText = Readonly<{ file: string; text: string }>;

interface IncludeInput {
  page: PageText;
  site: IncludeSite;
  /** What was loaded for the page so far. */
  files: readonly (readonly [path: string, file: KnownFile])[];
}

/** Includes as a worker resolves them. `wanted` are the files that it lacks. */
export function expandPage({ page, site, files }: IncludeInput): Expanded & { wanted: string[] } {
  const known = new Map(files);
  const wanted = new Set<string>();
  const expanded = expandIncludes(page, site, (path) => {
    const file = known.get(path);
    if (file === undefined) wanted.add(path);
    return file ?? 'unknown';
  });
  return { ...expanded, wanted: [...wanted] };
}

export interface IncludeFiles {
  site: IncludeSite;
  run: RunTaskOf<{ includes: typeof expandPage }>;
  /** Reads files that exist; others are left out. Paths have passed `refusalOf`. */
  load: (paths: readonly string[]) => Promise<ReadonlyMap<string, IncludedFile>>;
  isExcluded?: ((path: string) => boolean) | undefined;
}

export function createIncludes({ site, load, isExcluded, run }: IncludeFiles) {
  const { generator, siteFolder, mounts, extensions, includePaths, aliases, isMarkdownMdx } =
    site.layout;
  const layout = {
    generator,
    siteFolder,
    mounts,
    ...(extensions && { extensions }),
    includePaths,
    aliases,
    isMarkdownMdx,
  };
  const known = new Map<string, KnownFile>();
  /** The files that each page is made of, as far as they are known. */
  const filesOf = new Map<string, Set<string>>();
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

  async function loadFiles(wanted: ReadonlySet<string>): Promise<void> {
    const paths: string[] = [];
    for (const path of wanted) {
      const reason =
        refusalOf(path, site.root) ?? (isExcluded?.(path) ? 'the source excludes it' : undefined);
      if (reason === undefined) paths.push(path);
      else known.set(path, { reason });
    }
    if (paths.length === 0) return;
    const loaded = await load(paths);
    for (const path of paths) known.set(path, toText(loaded.get(path)));
  }

  async function tryToExpand(page: PageText, signal: AbortSignal | undefined) {
    const { file, text } = page;
    const unchanged: ReturnType<typeof expandPage> = {
      text,
      lines: undefined,
      files: [],
      found: 0,
      resolved: 0,
      problems: [],
      wanted: [],
    };
    if (!mayInclude(text)) return unchanged;
    const files = [...(filesOf.get(file) ?? [])].flatMap((path) => {
      const one = known.get(path);
      return one === undefined ? [] : [[path, one] as const];
    });
    try {
      return await run('includes', { page, site: { layout, root: site.root }, files }, { signal });
    } catch (error) {
      if (!isTooMuch(error)) throw error;
      const problem = { file, line: 1, written: 'all includes', isMissing: false };
      return { ...unchanged, problems: [{ ...problem, reason: error.message }] };
    }
  }

  return {
    /** Loads what the pages include, one level of includes after the other. */
    async prepare(pages: readonly PageText[], signal?: AbortSignal): Promise<void> {
      const pause = createPauses();
      let open = pages;
      while (open.length > 0) {
        const next: PageText[] = [];
        const wanted = new Set<string>();
        for (const page of open) {
          // oxlint-disable-next-line no-await-in-loop -- most pages include nothing, so no worker answers
          await pause();
          // oxlint-disable-next-line no-await-in-loop -- one page after the other, in one worker
          const { wanted: ofPage } = await tryToExpand(page, signal);
          if (ofPage.length === 0) continue;
          next.push(page);
          const files = filesOf.get(page.file) ?? new Set();
          filesOf.set(page.file, files);
          for (const path of ofPage) {
            files.add(path);
            if (!known.has(path)) wanted.add(path);
          }
        }
        // oxlint-disable-next-line no-await-in-loop -- the next level needs this one
        await loadFiles(wanted);
        open = next;
      }
    },
    /** The page with everything that was loaded for it. */
    expand: (page: PageText, signal?: AbortSignal): Promise<Expanded> => tryToExpand(page, signal),
  };
}

/** Why nobody may read a file, as the end of a sentence. */
export function refusalOf(path: string, root: string): string | undefined {
  if (path.startsWith('..') || path.startsWith('/') || path.includes('\0') || !isIn(path, root))
    return 'it is outside of the folder that includes may read';
  const inside = root === '' ? path : path.slice(root.length + 1);
  // GitBook keeps what its pages share in `.gitbook`.
  if (inside.split('/').some((part) => /^\.(?!gitbook$)|^node_modules$/.test(part)))
    return 'hidden files and installed packages are not read';
  if (isSecretFile(inside)) return 'its name says that it holds a secret';
  if (binary.test(path)) return 'it is not text';
  return undefined;
}

const binary =
  /\.(png|jpe?g|gif|webp|avif|ico|pdf|zip|t?gz|bz2|xz|7z|mp[34]|mov|webm|ogg|wav|woff2?|ttf|eot|wasm|exe|dll|so|dylib|bin|jar|class|pyc)$/i;
