import type { SearchFilter } from '@docent/shared/assistant';
import { trimEndOf } from '../platform/text.ts';
import type { Page, Retriever } from './retriever.ts';

/** Removes origin, query, anchor, extension, trailing slash, and `/index`. */
export function normalizePath(path: string): string {
  const below = decode(path.trim())
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
    .split(/[?#]/, 1)[0];
  const bare = trimEndOf((below ?? '').replaceAll(/\/{2,}/g, '/'), '/')
    .replace(/\.(mdx?|html?)$/i, '')
    .replace(/(^|\/)index$/i, '');
  return bare.startsWith('/') ? bare : `/${bare}`;
}

/**
 * On sites whose router keeps pages behind `#`, as docsify does, returns what follows the `#`. A
 * `baseUrl` such as `https://docs.example.com/#` marks these sites. Other addresses stay as they are.
 */
export function withoutRouter(baseUrl: string | undefined, address: string): string {
  return baseUrl?.includes('#') ? address.replace(/^[^#]*#!?(?=\/)/, '') : address;
}

/**
 * The paths that an address may mean, the most likely first: relative to the site's base path, as it is, and
 * what a router keeps behind `#`.
 */
export function pathsOnSite(baseUrl: string | undefined, address: string): string[] {
  const router = /^[^#]*#!?(?=\/)/.exec(address)?.[0];
  const routed = router === undefined ? [] : [normalizePath(address.slice(router.length))];
  if (routed.length > 0 && baseUrl?.includes('#')) return routed;
  const base = decode(trimEndOf(new URL(baseUrl ?? 'http://site').pathname, '/'));
  const path = normalizePath(address);
  const isBelow = base !== '' && (path === base || path.startsWith(`${base}/`));
  const paths = isBelow ? [path.slice(base.length) || '/', path] : [path];
  // The first page of a site with a router is at its root, whichever page the router shows.
  return paths[0] === '/' ? [...routed, ...paths] : [...paths, ...routed];
}

/** The page at an address as readers have it in their address bar, which may start above the site. */
export async function findPage(
  retriever: Pick<Retriever, 'page'>,
  { domain, docs }: { domain: string; docs: { baseUrl?: string | undefined } },
  address: string,
  filter?: SearchFilter,
): Promise<Page | undefined> {
  for (const path of pathsOnSite(docs.baseUrl, address)) {
    const page = await retriever.page(domain, path, filter);
    if (page) return page;
  }
  return undefined;
}

/** Piece by piece: a path that a client cut may end inside a character. */
function decode(path: string): string {
  return path.replaceAll(/(?:%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURI(encoded);
    } catch {
      return encoded;
    }
  });
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** The longest folder that all pages share: `/docs` if everything is in there. */
export function commonFolder(paths: readonly string[]): string {
  let common: string[] | undefined;
  for (const path of paths) {
    const parts = folderOf(path).split('/');
    if (!common) common = parts;
    const length = common.findIndex((part, index) => part !== parts[index]);
    if (length >= 0) common = common.slice(0, length);
  }
  return common?.join('/') ?? '';
}

/**
 * How near a page is to the reader's page: 1 for the page itself, 0.7 in its folder, 0.4 in its section
 * (the first folder below the one that all pages share). It runs for every page found, so it creates no
 * strings.
 */
export function createNearness(currentPath: string, base: string): (path: string) => number {
  const current = normalizePath(currentPath);
  const folder = folderOf(current);
  const section = current.startsWith(`${base}/`)
    ? current.slice(base.length + 1).split('/')[0]
    : '';
  const sectionPath = section ? `${base}/${section}` : undefined;
  return (path) => {
    if (path === current) return 1;
    if (folder !== base && (path === folder || isDirectlyIn(path, folder))) return 0.7;
    if (isDirectlyIn(path, current)) return 0.7;
    if (sectionPath === undefined || !path.startsWith(sectionPath)) return 0;
    return path.length === sectionPath.length || path[sectionPath.length] === '/' ? 0.4 : 0;
  };
}

function isDirectlyIn(path: string, folder: string): boolean {
  return path.lastIndexOf('/') === folder.length && path.startsWith(folder);
}
