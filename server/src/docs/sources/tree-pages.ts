/** Pages of a commit that no site is indexed from, such as the one that a pull request would make. */
import type { SourceConfig } from '../../platform/config/docs-config.ts';
import { parse } from '../parsing/parse.ts';
import { withDefaults } from '../indexer/index-site.ts';
import type { Page } from '../../retrieval/retriever.ts';
import { filePages, type FileSettings } from './file-pages.ts';
import type { SourcePage } from './page-source.ts';
import { filesOfTree, type TreeFiles } from './tree-files.ts';

export async function treePages(
  tree: TreeFiles,
  settings: FileSettings,
  signal?: AbortSignal,
): Promise<SourcePage[]> {
  const run = { parse, signal, onWarning: () => undefined };
  return filePages(await filesOfTree(tree, settings, run), settings, run);
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
