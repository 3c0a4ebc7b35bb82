import { DocentError } from '../../errors.ts';
import { openRepository } from '../../git/repository.ts';
import { isWanted } from '../globs.ts';
import { isPageFile, maxBytes } from '../walk-folder.ts';
import { filePages } from './file-pages.ts';
import type { Source, SourcePage } from './source.ts';

export interface GitSourceOptions {
  url: string;
  ref?: string | undefined;
  /** Folder of the documentation inside. */
  folder: string;
  username: string;
  token?: string | undefined;
  basePath: string;
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
  /** Where copies are kept. */
  copies: string;
  privateHosts: readonly string[];
}

interface Kept {
  commit: string;
  pages: { path: string; hash: string; from: string }[];
}

/** Markdown and MDX of a git repository, read from its commits: nothing is checked out. */
export function createGitSource(options: GitSourceOptions): Source {
  const { url, ref, folder, basePath, copies } = options;
  return {
    id: `git ${url} ${ref ?? ''} ${folder}`,
    async read({ kept, isHeld, signal, onProgress, onWarning }) {
      const repository = await openRepository({ ...options, folder: copies, signal });
      const commit = await repository.commit();
      const before = kept as Partial<Kept> | undefined;
      if (before?.commit === commit && before.pages?.every((one) => isHeld(one.path, one.hash))) {
        const read = () => Promise.reject(new Error('An unchanged commit is not read again.'));
        return { pages: before.pages.map((page): SourcePage => ({ ...page, read })), keep: before };
      }
      await repository.fetch(commit);
      const files = (await repository.files(commit, folder))
        .filter(({ path }) => isPageFile(path) && isVisible(path) && isWanted(path, options))
        .toSorted((a, b) => (a.path < b.path ? -1 : 1));
      const contents = await repository.read(files.map(({ oid }) => oid));
      const bytesOf = new Map(files.map(({ path, oid }) => [path, contents.get(oid)]));
      const names = files
        .map(({ path }) => path)
        .filter((path) => {
          const isLarge = (bytesOf.get(path)?.length ?? 0) > maxBytes;
          if (isLarge) onWarning(`${path}: skipped, because it is larger than 2 MB.`);
          return !isLarge;
        });
      onProgress({ done: 0, total: names.length, path: commit.slice(0, 12) });
      const pages = await filePages({
        files: names,
        read: (file) => Promise.resolve(bytesOf.get(file) ?? Buffer.alloc(0)),
        basePath,
        signal,
        onWarning,
      });
      if (pages.length === 0) {
        throw new DocentError(
          'bad_request',
          `There is no page for readers in ${folder || 'the repository'} at ${commit.slice(0, 12)}.`,
        );
      }
      const keep: Kept = {
        commit,
        pages: pages.map(({ path, hash, from }) => ({ path, hash, from })),
      };
      return { pages, keep };
    },
  };
}

/** As in a folder: hidden ones and what is installed are no documentation. */
function isVisible(path: string): boolean {
  return path.split('/').every((part) => !part.startsWith('.') && part !== 'node_modules');
}
