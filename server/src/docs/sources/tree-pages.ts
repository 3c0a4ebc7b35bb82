/** Pages of a commit that no site is indexed from, such as the one that a pull request would make. */
import type { SourceConfig } from '../../platform/config/docs-config.ts';
import { joinFile, insideOf, pageEnding } from '../generators/paths.ts';
import { parse } from '../parsing/parse.ts';
import { withDefaults } from '../indexer/index-site.ts';
import type { Page } from '../../retrieval/retriever.ts';
import { filePages, type FileSettings, isReStructuredText, maxBytes } from './file-pages.ts';
import { isWanted, type SourcePage } from './page-source.ts';

/** The files of one state of a repository, by their paths from its root. */
export interface TreeFiles {
  paths(): Iterable<string>;
  has(path: string): boolean;
  read(paths: readonly string[], signal?: AbortSignal): Promise<Map<string, Buffer>>;
}

export async function treePages(
  tree: TreeFiles,
  settings: FileSettings,
  signal?: AbortSignal,
): Promise<SourcePage[]> {
  const folder = joinFile(settings.folder);
  const below = [...tree.paths()]
    .flatMap((path) => insideOf(path, folder) ?? [])
    .filter((path) => path.split('/').every((part) => !/^\.|^node_modules$/.test(part)))
    .filter((path) => isWanted(path, settings))
    .toSorted();
  const wanted = below.filter((path) => pageEnding.test(path));
  const bytes = await tree.read(
    wanted.map((name) => joinFile(folder, name)),
    signal,
  );
  const bytesOf = (name: string) => bytes.get(joinFile(folder, name));
  const textOf = async (path: string) =>
    tree.has(path) ? (await tree.read([path], signal)).get(path)?.toString('utf8') : undefined;
  const files = {
    names: wanted.filter((name) => (bytesOf(name)?.length ?? 0) <= maxBytes),
    unread: below.filter(isReStructuredText),
    folder,
    read: async (name: string) => bytesOf(name) ?? Buffer.alloc(0),
    modified: async () => undefined,
    readSettings: textOf,
    readIncluded: (paths: readonly string[]) =>
      tree.read(
        paths.filter((path) => tree.has(path)),
        signal,
      ),
    repository: '',
    from: settings.folder || 'the repository',
  };
  return filePages(files, settings, { parse, signal, onWarning: () => undefined });
}

/** Reads pages as the index does. Those that nobody can read are left out. */
export async function readPages(
  pages: readonly SourcePage[],
  config: SourceConfig,
  signal?: AbortSignal,
): Promise<Page[]> {
  const read: Page[] = [];
  for (const source of pages) {
    signal?.throwIfAborted();
    const page = await source.read();
    read.push({ ...withDefaults(page, config), path: source.path, hash: source.hash });
  }
  return read;
}
