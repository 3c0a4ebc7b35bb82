import { DocentError } from '../../platform/errors.ts';
import { openRepository } from '../../platform/git/repository.ts';
import { isWanted, type Source, type SourcePage } from './source.ts';
import {
  describeLayout,
  type Generator,
  type PathStyle,
  readLayout,
  withOwnerSettings,
} from '../generators/layout.ts';
import { joinFile } from '../generators/paths.ts';
import { isPageFile, maxBytes } from './walk-folder.ts';
import { readerVersion } from '../pages/read-page.ts';
import { filePages } from './file-pages.ts';

export interface GitSourceOptions {
  url: string;
  ref?: string | undefined;
  /** Folder of the documentation in the repository. */
  folder: string;
  username: string;
  token?: string | undefined;
  /** Where the pages start on the site. By default, the generator's settings decide. */
  basePath?: string | undefined;
  pathStyle?: PathStyle | undefined;
  generator?: Generator | undefined;
  baseUrl?: string | undefined;
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
  /** Folder for the copies of repositories. */
  copies: string;
  privateHosts: readonly string[];
}

interface Kept {
  commit: string;
  /** Everything else that decides about its pages. */
  facts: string;
  pages: { path: string; hash: string; from: string }[];
}

/** Reads Markdown and MDX files of a git repository from its commits, without a checkout. */
export function createGitSource(options: GitSourceOptions): Source {
  const { url, ref, folder, basePath, pathStyle, generator, copies } = options;
  return {
    id: `git ${url} ${ref ?? ''} ${folder}`,
    async read({ kept, isHeld, signal, onProgress, onWarning, onNote }) {
      const repository = await openRepository({ ...options, folder: copies, signal });
      const commit = await repository.commit();
      const before = kept as Partial<Kept> | undefined;
      const facts = JSON.stringify([
        basePath,
        options.baseUrl,
        pathStyle,
        generator,
        readerVersion,
      ]);
      if (
        before?.facts === facts &&
        before.commit === commit &&
        before.pages?.every((one) => isHeld(one.path, one.hash))
      ) {
        const read = () => Promise.reject(new Error('An unchanged commit is not read again.'));
        return { pages: before.pages.map((page): SourcePage => ({ ...page, read })), keep: before };
      }
      await repository.fetch(commit);
      const whole = new Map(
        (await repository.files(commit, '')).map(({ path, oid }) => [path, oid]),
      );
      const root = joinFile(folder);
      const found = await readLayout({
        folder: root,
        generator,
        async read(path) {
          const oid = whole.get(path);
          return oid && (await repository.read([oid])).get(oid)?.toString('utf8');
        },
      });
      const layout = withOwnerSettings(found, options);
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
        folder: root,
        read: (file) => Promise.resolve(bytesOf.get(file) ?? Buffer.alloc(0)),
        layout,
        pathStyle,
        signal,
        onWarning,
      });
      if (pages.length === 0) {
        throw new DocentError(
          'bad_request',
          `There is no page for readers in ${folder || 'the repository'} at ${commit.slice(0, 12)}.`,
        );
      }
      if (layout.generator !== 'plain') onNote?.(describeLayout(layout, root, pathStyle));
      const keep: Kept = {
        commit,
        facts,
        pages: pages.map(({ path, hash, from }) => ({ path, hash, from })),
      };
      return { pages, keep };
    },
  };
}

/** Hidden files and installed packages are not documentation. */
function isVisible(path: string): boolean {
  return path.split('/').every((part) => !part.startsWith('.') && part !== 'node_modules');
}
