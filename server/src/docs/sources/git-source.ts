import { openRepository } from '../../platform/git/repository.ts';
import { type WordFile, wordPath } from './owner-words.ts';
import {
  isWanted,
  type KnownPage,
  type PageSource,
  toKnownPage,
  unchangedPage,
} from './page-source.ts';
import { insideOf, joinFile, pageEnding } from '../generators/paths.ts';
import { readerVersion } from '../pages/page-hash.ts';
import { filePages, type FileSettings, isReStructuredText, maxBytes } from './file-pages.ts';

export interface GitSettings extends FileSettings {
  url: string;
  ref?: string | undefined;
  username: string;
  token: () => Promise<string | undefined> | string | undefined;
  /** Folder for the copies of repositories. */
  copies: string;
  privateHosts: readonly string[];
}

interface Kept {
  commit: string;
  /** Everything else that decides about its pages. */
  facts: string;
  pages: KnownPage[];
  /** The start of each file's object ID, and the day of its last change if it changed after the first run. */
  files: Record<string, string>;
  words?: WordFile[];
}

/** Reads Markdown and MDX files of a git repository from its commits, without a checkout. */
export function createGitSource(settings: GitSettings): PageSource {
  const { url, ref, folder, copies } = settings;
  return {
    id: `git ${url} ${ref ?? ''} ${folder}`,
    async read(run) {
      const repository = await openRepository({
        ...settings,
        token: await settings.token(),
        folder: copies,
        signal: run.signal,
      });
      const commit = await repository.commit();
      const before = run.kept as Partial<Kept> | undefined;
      const { basePath, baseUrl, pathStyle, generator } = settings;
      const facts = JSON.stringify([basePath, baseUrl, pathStyle, generator, readerVersion]);
      if (
        before?.facts === facts &&
        before.commit === commit &&
        before.pages?.every((one) => run.isHeld(one.path, one.hash))
      ) {
        const { pages, words = [] } = before;
        return { pages: pages.map(unchangedPage), keep: before, commit, words };
      }
      await repository.fetch(commit);
      const whole = new Map(
        (await repository.files(commit, '')).map(({ path, oid }) => [path, oid]),
      );
      const below = (await repository.files(commit, folder)).filter(
        ({ path }) => isVisible(path) && isWanted(path, settings),
      );
      const files = below
        .filter(({ path }) => pageEnding.test(path))
        .toSorted((a, b) => (a.path < b.path ? -1 : 1));
      const contents = await repository.read(files.map(({ oid }) => oid));
      const bytesOf = new Map(files.map(({ path, oid }) => [path, contents.get(oid)]));
      const names = files
        .map(({ path }) => path)
        .filter((path) => {
          const isLarge = (bytesOf.get(path)?.length ?? 0) > maxBytes;
          if (isLarge) run.onWarning(`${path}: skipped, because it is larger than 2 MB.`);
          return !isLarge;
        });
      run.onProgress({ done: 0, total: names.length, path: commit.slice(0, 12) });
      const today = before?.files && (await repository.dayOf(commit));
      const states = files.map(({ path, oid }) => {
        const id = oid.slice(0, 12);
        const known = before?.files?.[path];
        return [path, known?.startsWith(id) ? known : `${id} ${today ?? ''}`] as const;
      });
      const dated = Object.fromEntries(states);
      const tree = {
        names,
        unread: below.map(({ path }) => path).filter(isReStructuredText),
        folder: joinFile(folder),
        read: (name: string) => Promise.resolve(bytesOf.get(name) ?? Buffer.alloc(0)),
        modified: async (name: string) => dated[name]?.split(' ')[1] || undefined,
        async readSettings(path: string) {
          const oid = whole.get(path);
          return oid && (await repository.read([oid])).get(oid)?.toString('utf8');
        },
        async readIncluded(paths: readonly string[]) {
          const wanted = paths.flatMap((path) => {
            const oid = whole.get(path);
            return oid === undefined ? [] : [[path, oid] as const];
          });
          const bytes = await repository.read(wanted.map(([, oid]) => oid));
          return new Map(wanted.map(([path, oid]) => [path, bytes.get(oid) ?? Buffer.alloc(0)]));
        },
        // Links and submodules are not among the files of the commit.
        repository: '',
        from: `${folder || 'the repository'} at ${commit.slice(0, 12)}`,
      };
      const pages = await filePages(tree, settings, run);
      const words = await readWords(repository, whole, folder);
      const keep: Kept = { commit, facts, pages: pages.map(toKnownPage), files: dated, words };
      return { pages, keep, commit, words };
    },
  };
}

/** At the root of the repository first, and then beside the pages. */
async function readWords(
  repository: Awaited<ReturnType<typeof openRepository>>,
  files: ReadonlyMap<string, string>,
  folder: string,
): Promise<WordFile[]> {
  const homes = [...new Set(['', joinFile(folder)])];
  const found = homes.flatMap((home) =>
    [...files].flatMap(([file, oid]) => {
      const path = wordPath(insideOf(file, home) ?? '');
      return path === undefined ? [] : [{ path, oid }];
    }),
  );
  const bytes = await repository.read(found.map(({ oid }) => oid));
  return found.map(({ path, oid }) => ({ path, text: bytes.get(oid)?.toString('utf8') ?? '' }));
}

/** Hidden files and installed packages are not documentation. */
function isVisible(path: string): boolean {
  return path.split('/').every((part) => !part.startsWith('.') && part !== 'node_modules');
}
