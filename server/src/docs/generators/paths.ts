/** Paths of files and of pages. */
import { trimOf } from '../../platform/text.ts';
import { posix } from 'node:path';

export const pageEnding = /\.(mdx?|markdown)$/i;

/** `01-guides/02_start.md` -> `guides/start.md`. Dates and version numbers stay. */
export function withoutOrder(file: string): string {
  return file
    .split('/')
    .map((part) => part.replace(orderPrefix, ''))
    .join('/');
}

/** Most of the files have a number that only sorts them. Sites leave such numbers out of their paths. */
export function isOrdered(files: readonly string[]): boolean {
  const ordered = files.filter((file) => file.split('/').some((part) => orderPrefix.test(part)));
  return ordered.length * 2 > files.length;
}

const orderPrefix = /^\d{1,3}\s*[-_.]+\s*(?=[^\d\s])(?!(?:mdx?|markdown)$)/;

/** The path of a page by its file: without the extension, and an index or README stands for its folder. */
export function sitePath(file: string, basePath: string): string {
  const clean = file.replace(/\.(mdx?|markdown|html?)$/i, '').replace(/(^|\/)(index|readme)$/i, '');
  return joinPath(basePath, clean);
}

/** A `slug` with a slash starts at the root of the pages, a single word at the folder of the file. */
export function pathOfSlug(file: string, basePath: string, slug: string): string {
  if (slug.includes('/') && !slug.startsWith('.')) return joinPath(basePath, slug);
  // `..` stops at the root of the pages.
  return joinPath(basePath, posix.join('/', posix.dirname(file), slug));
}

export function joinPath(...parts: string[]): string {
  const joined = parts
    .join('/')
    .replaceAll(/\/{2,}/g, '/')
    .replace(/\/$/, '');
  return joined.startsWith('/') ? joined : `/${joined}`;
}

/** A file path without `.`, `..`, and slashes at its ends. */
export function joinFile(...parts: string[]): string {
  const path = posix.normalize(parts.filter(Boolean).join('/'));
  return path === '.' ? '' : trimOf(path, '/');
}

/** The rest of a path below a folder, or below a path of the site. `undefined`: it is elsewhere. */
export function insideOf(path: string, folder: string): string | undefined {
  if (folder === '' || folder === '/') return path.replace(/^\//, '');
  if (path === folder) return '';
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
}

export function isIn(path: string, folder: string): boolean {
  return insideOf(path, folder) !== undefined;
}

/** The form in which paths of pages are compared: without an extension, a slash at the end, or `/index`. */
export function toRoute(path: string): string {
  const clean = posix
    .normalize(`/${path}`)
    .replace(/\.(mdx?|markdown|html?)$/i, '')
    .replace(/\/(index|readme)?\/?$/i, '');
  return clean === '' ? '/' : clean;
}

export interface LinkParts {
  path: string;
  query: string;
  anchor: string | undefined;
}

export function splitLink(url: string): LinkParts {
  const [, path = '', query = '', anchor] =
    /^([^?#]*)(\?[^#]*)?(?:#(.*))?$/s.exec(url.trim()) ?? [];
  return {
    path: decodePercent(path),
    query,
    anchor: anchor === undefined ? undefined : decodePercent(anchor),
  };
}

export function isForeign(url: string): boolean {
  return /^([a-z][a-z0-9+.-]*:|\/\/)/i.test(url.trim());
}

/** Decodes `%20` and the like. Text with other percent signs stays as it is. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
