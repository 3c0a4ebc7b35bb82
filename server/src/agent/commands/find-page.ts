/** Turns the paths that people write into paths of the repository. */
import { posix } from 'node:path';
import type { DocsState } from '../../checks/docs-state.ts';
import { resolveTarget } from '../../checks/resolve-link.ts';
import { isDocsFile } from '../../checks/site-map.ts';
import { isIn, join } from '../../checks/site-styles.ts';
import { refuse } from './context.ts';

const pageEnding = /\.(mdx?|markdown)$/i;

export const folderOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('/'), 0));

const plain = (written: string) => written.replace(/^(\.?\/)+|\/+$/g, '');

/** An existing page, by its path with or without its ending, or by its address on the site. */
export async function findPage(written: string, state: DocsState): Promise<string> {
  const found = await lookUp(written, state);
  return (
    found ?? refuse(`There is no page “${written}”. Write its path, such as "guides/start.md".`)
  );
}

async function lookUp(written: string, state: DocsState): Promise<string | undefined> {
  const { site } = state;
  const isPage = (path: string) => site.files.has(path) && isDocsFile(path, site.root);
  const path = plain(written);
  const exact = [join(site.root, path), join(path)].find(isPage);
  if (exact !== undefined) return exact;
  await state.readSlugs();
  for (const link of [path, `/${path}`]) {
    const target = resolveTarget(link, join(site.root, 'index.md'), site);
    if (target.kind === 'page' && isPage(target.file)) return target.file;
  }
  return undefined;
}

/** The pages below a folder, or one page; all pages if nothing is given. */
export async function pagesIn(
  written: string | undefined,
  state: DocsState,
): Promise<readonly string[]> {
  const { site } = state;
  if (written === undefined) return site.pages;
  const path = plain(written);
  const folder = [join(site.root, path), join(path)].find((one) => site.isFolder(one));
  const pages = folder === undefined ? [] : site.pages.filter((page) => isIn(page, folder));
  if (pages.length > 0) return pages;
  const page = await lookUp(written, state);
  return page === undefined ? refuse(`There is no page or folder “${written}”.`) : [page];
}

/** The path of a page that doesn't exist yet. A folder stands for a page in it with this name. */
export function newPath(
  written: string,
  { site }: DocsState,
  { ending, name }: { ending: string; name?: string },
): string {
  const bare = plain(written);
  const path = isIn(bare, site.root) ? join(bare) : join(site.root, bare);
  if (name !== undefined && (/[/\\]$/.test(written) || site.isFolder(path)))
    return join(path, name);
  if (pageEnding.test(path)) return path;
  if (/\.\w+$/.test(path)) refuse(`“${written}” is no path of a page. It must end with ${ending}.`);
  return path + ending;
}

export const endingOf = (path: string) => pageEnding.exec(path)?.[0] ?? '.md';

export const nameOf = (path: string) => posix.basename(path);
