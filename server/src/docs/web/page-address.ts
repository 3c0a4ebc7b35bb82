/** Addresses of the web as paths of the index, and back. */
import { joinPath } from '../generators/paths.ts';

export interface AddressOptions {
  /** Address of the site. */
  baseUrl?: string | undefined;
  /** Put before the path, so that two sites do not collide. */
  basePath?: string | undefined;
}

/** Without anchor and query: documentation is not told apart by them, and crawls get lost in them. */
export function pageAddress(href: string, base?: URL): URL | undefined {
  const address = href.trim();
  if (!URL.canParse(address, base?.href)) return undefined;
  const url = new URL(address, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  url.hash = '';
  url.search = '';
  return url;
}

/** The path of a page: as its address has it below the site's, without ending. */
export function pathOfUrl(url: URL, { baseUrl, basePath }: AddressOptions): string {
  const base = baseUrl === undefined ? undefined : new URL(baseUrl);
  const folder = base && base.origin === url.origin ? base.pathname.replace(/\/$/, '') : '';
  const below = url.pathname.startsWith(`${folder}/`)
    ? url.pathname.slice(folder.length)
    : url.pathname;
  const clean = decode(below)
    .replace(/\/(index|default)\.(html?|md)$/i, '/')
    .replace(/\.(html?|mdx?|markdown)$/i, '')
    .replace(/\/index$/i, '/');
  return joinPath(basePath ?? '', clean);
}

/** Where readers open what was read as Markdown beside the page: `/a.md`, `/a.html.md`. */
export function readersUrl(url: URL): URL {
  const shown = new URL(url);
  shown.pathname = shown.pathname.replace(/\.(mdx?|markdown)$/i, '').replace(/\/index$/i, '/');
  return shown;
}

/** A link as the index has it: a path within the site, the whole address elsewhere. */
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

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
