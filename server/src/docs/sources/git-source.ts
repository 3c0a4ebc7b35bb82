import { openRepository } from '../../platform/git/repository.ts';
import { type WordFile, wordPath } from './owner-words.ts';
import { type KnownPage, type PageSource, toKnownPage, unchangedPage } from './page-source.ts';
import { insideOf, joinFile } from '../generators/paths.ts';
import { readerVersion } from '../pages/page-hash.ts';
import { filePages, type FileSettings } from './file-pages.ts';
import { filesOfTree } from './tree-files.ts';

export interface GitSettings extends FileSettings {
  url: string;
  ref?: string | undefined;
  username: string;
  token: () => Promise<string | undefined> | string | undefined;
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
      const tree = {
        paths: () => whole.keys(),
        has: (path: string) => whole.has(path),
        async read(paths: readonly string[]) {
          const oids = paths.flatMap((path) => whole.get(path) ?? []);
          const bytes = await repository.read(oids);
          return new Map(
            paths.map((path) => [path, bytes.get(whole.get(path) ?? '') ?? Buffer.alloc(0)]),
          );
        },
      };
      const files = await filesOfTree(tree, settings, run);
      run.onProgress({ done: 0, total: files.names.length, path: commit.slice(0, 12) });
      const today = before?.files && (await repository.dayOf(commit));
      const dated = Object.fromEntries(
        files.names.map((name) => {
          const id = whole.get(joinFile(folder, name))?.slice(0, 12) ?? '';
          const known = before?.files?.[name];
          return [name, known?.startsWith(id) ? known : `${id} ${today ?? ''}`];
        }),
      );
      const modified = async (name: string) => dated[name]?.split(' ')[1] || undefined;
      const from = `${files.from} at ${commit.slice(0, 12)}`;
      const pages = await filePages({ ...files, modified, from }, settings, run);
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
