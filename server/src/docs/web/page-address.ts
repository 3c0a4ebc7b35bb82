/** Converts web addresses to paths of the index, and back. */
import { decodePercent, joinPath } from '../generators/paths.ts';

export interface AddressOptions {
  baseUrl?: string | undefined;
  /** Added before the path, so that two sites don't collide. */
  basePath?: string | undefined;
}

/** Removes anchor and query. They don't identify pages, and crawls would not end with them. */
export function pageAddress(href: string, base?: URL): URL | undefined {
  const address = href.trim();
  if (!URL.canParse(address, base?.href)) return undefined;
  const url = new URL(address, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  url.hash = '';
  url.search = '';
  return url;
}

/** The path of a page below the address of the site, without extension. */
export function pathOfUrl(url: URL, { baseUrl, basePath }: AddressOptions): string {
  const base = baseUrl === undefined ? undefined : new URL(baseUrl);
  const folder = base && base.origin === url.origin ? base.pathname.replace(/\/$/, '') : '';
  const below = url.pathname.startsWith(`${folder}/`)
    ? url.pathname.slice(folder.length)
    : url.pathname;
  const clean = decodePercent(below)
    .replace(/\/(index|default)\.(html?|md)$/i, '/')
    .replace(/\.(html?|mdx?|markdown)$/i, '')
    .replace(/\/index$/i, '/');
  return joinPath(basePath ?? '', clean);
}

/** The address for readers of a page that was read as Markdown, such as `/a.md` or `/a.html.md`. */
export function readersUrl(url: URL): URL {
  const shown = new URL(url);
  shown.pathname = shown.pathname.replace(/\.(mdx?|markdown)$/i, '').replace(/\/index$/i, '/');
  return shown;
}

/** Converts a link for the index: a path inside the site, the whole address outside. */
export function createLinkOf(page: URL, options: AddressOptions) {
  return (href: string, kind: 'page' | 'image'): string => {
    const address = href.trim();
    if (!URL.canParse(address, page.href)) return address;
    const url = new URL(address, page);
    const base = options.baseUrl === undefined ? undefined : new URL(options.baseUrl);
    const isHere =
      base?.origin === url.origin &&
      `${url.pathname}/`.startsWith(base.pathname.replace(/\/?$/, '/'));
    if (!isHere) return url.href;
    if (kind === 'image') return url.pathname + url.search;
    return pathOfUrl(url, options) + url.search + url.hash;
  };
}
