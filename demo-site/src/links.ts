/** Where the links and pictures of a page lead to on the site. */
import { existsSync, statSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { toPath, type PageFile } from './page-files.ts';

export interface Link {
  /** What the page says from now on. */
  href: string;
  /** The page of this site that it leads to. */
  page?: string;
  anchor?: string;
  /** A file of the docs folder that has to be copied. */
  file?: string;
  problem?: string;
}

export type ResolveLink = (from: PageFile, href: string) => Link;

const pageEnding = /\.(mdx?|html?)$/i;

/** `base` is where the site stands on its host: `/` or `/docs/`. */
export function createLinks(docsFolder: string, pages: PageFile[], base = '/'): ResolveLink {
  const byPath = new Map(pages.map((page) => [toPath(page.file), page.path]));
  for (const { path } of pages) byPath.set(path, path);
  const byLooseName = new Map<string, string>();
  for (const page of pages) {
    const name = looseName(page.path);
    if (!byLooseName.has(name)) byLooseName.set(name, page.path);
  }
  // Sites often stand under a path that the folder does not show: `/docs/install` for `install.md`.
  const folderName = basename(docsFolder).toLowerCase();

  return (from, href) => {
    if (/^([a-z][a-z\d+.-]*:|\/\/)/i.test(href)) return { href };
    const [, path = '', query = '', anchor] = /^([^?#]*)(\?[^#]*)?(?:#(.*))?$/s.exec(href) ?? [];
    const hash = anchor === undefined ? '' : `#${anchor}`;
    if (!path) return { href, page: from.path, ...(anchor ? { anchor } : {}) };

    const decoded = decode(path);
    for (const candidate of candidates(from, decoded)) {
      const page = findPage(candidate);
      if (page !== undefined) {
        const url = base.replace(/\/$/, '') + encodeURI(page);
        return { href: url + query + hash, page, ...(anchor ? { anchor } : {}) };
      }
    }
    for (const candidate of candidates(from, decoded)) {
      const file = candidate.slice(1);
      if (file && !pageEnding.test(file) && isFile(join(docsFolder, file))) {
        return { href: base + encodeURI(file) + query + hash, file };
      }
    }
    return { href, problem: `${from.file}: nothing is found at ${href}` };
  };

  function findPage(candidate: string): string | undefined {
    const path = toPath(candidate.slice(1));
    const name = looseName(path);
    const inFolder = name.startsWith(`/${folderName}/`) || name === `/${folderName}`;
    return (
      byPath.get(path) ??
      byLooseName.get(name) ??
      (inFolder ? byLooseName.get(name.slice(folderName.length + 1) || '/') : undefined)
    );
  }
}

/** Absolute, then beside the file, then as a browser would read it on the page's address. */
function candidates(from: PageFile, path: string): string[] {
  if (path.startsWith('/')) return [posix.normalize(path)];
  return [
    posix.join('/', posix.dirname(from.file), path),
    posix.join('/', posix.dirname(from.path), path),
    posix.join(from.path, path),
  ];
}

/** `/04-Guide/02-install` -> `/guide/install`: links leave out the numbers that only sort. */
function looseName(path: string): string {
  const segments = path.split('/').map((segment) => segment.replace(/^\d+[-_. ]+(?=.)/, ''));
  return segments.join('/').toLowerCase();
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

function decode(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
