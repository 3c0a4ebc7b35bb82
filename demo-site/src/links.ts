/** Resolves the links and images of a page. */
import { existsSync, statSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { toPath, type PageFile } from './page-files.ts';

export interface Link {
  /** The address in the built page. */
  href: string;
  /** The target page on this site. */
  page?: string;
  anchor?: string;
  /** A file in the docs folder to copy. */
  file?: string;
  problem?: string;
}

export type ResolveLink = (from: PageFile, href: string) => Link;

const pageEnding = /\.(mdx?|html?)$/i;

/** `base` is the site's path on its host: `/` or `/docs/`. */
export function createLinks(docsFolder: string, pages: PageFile[], base = '/'): ResolveLink {
  const byPath = new Map(pages.map((page) => [toPath(page.file), page.path]));
  for (const { path } of pages) byPath.set(path, path);
  const byLooseName = new Map<string, string>();
  for (const page of pages) {
    const name = looseName(page.path);
    if (!byLooseName.has(name)) byLooseName.set(name, page.path);
  }
  // The published site might have a prefix: `/docs/install` for `install.md`.
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
    return { href, problem: `${from.file}: the link ${href} leads to no page or file` };
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

/** Tries the absolute path, then relative to the file, then relative to the page's address. */
function candidates(from: PageFile, path: string): string[] {
  if (path.startsWith('/')) return [posix.normalize(path)];
  return [
    posix.join('/', posix.dirname(from.file), path),
    posix.join('/', posix.dirname(from.path), path),
    posix.join(from.path, path),
  ];
}

/** `/04-Guide/02-install` becomes `/guide/install`: links omit sorting numbers. */
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
