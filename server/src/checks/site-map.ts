/** Which file is behind a path of the site. Made of names alone; contents are not read. */
import { posix } from 'node:path';
import type { DocsFiles } from '../files/tree.ts';
import { isOrdered, sitePath, withoutOrder } from '../docs/markdown/links.ts';
import { isIn, type SiteStyle } from './site-styles.ts';

export interface SiteMap extends SiteStyle {
  files: DocsFiles;
  root: string;
  /** Markdown and MDX files below the docs folder. */
  pages: readonly string[];
  /** File of a path on the site, such as `/guides/start`. */
  pageAt(route: string): string | undefined;
  /** All paths that lead to a file. */
  routesOf(file: string): string[];
  /** A path that only the contents of the file show, such as a `slug`. */
  addRoute(route: string, file: string): void;
  isRedirect(route: string): boolean;
  isFolder(path: string): boolean;
}

const pageName = /\.(mdx?|markdown)$/i;

/** Markdown that is a page, or part of one; not what generators and package managers put there. */
export function isDocsFile(path: string, root: string): boolean {
  return (
    pageName.test(path) && isIn(path, root) && !/(^|\/)(\.[^/]+|node_modules)\//.test(`/${path}`)
  );
}

/** A piece that other pages include. */
export function isPartial(path: string): boolean {
  return /(^|\/)(_[^/]*|snippets|partials|includes)(\/|\.mdx?$)/i.test(path);
}

/** The spelling that paths are compared in: no ending, slash, or `/index`. */
export function toRoute(path: string): string {
  const clean = posix
    .normalize(`/${path}`)
    .replace(/\.(mdx?|markdown|html?)$/i, '')
    .replace(/\/(index|readme)?\/?$/i, '');
  return clean === '' ? '/' : clean;
}

export function createSiteMap(files: DocsFiles, root: string, style: SiteStyle): SiteMap {
  const pages: string[] = [];
  const all: string[] = [];
  for (const path of files.paths()) {
    const isMounted = style.mounts.some(({ folder }) => isIn(path, folder));
    if (isDocsFile(path, root)) pages.push(path);
    if ((isMounted || isIn(path, root)) && /\.(mdx?|markdown|[jt]sx|html|astro|vue)$/i.test(path)) {
      all.push(path);
    }
  }
  // Docusaurus leaves numbers out however few files have them.
  const areOrdered = style.style === 'docusaurus' || isOrdered(all);
  const byRoute = new Map<string, string>();
  for (const path of all) {
    if (isPartial(path)) continue;
    for (const route of routesOf(path)) {
      // Where a folder has both, its index is the page and the README is for the repository.
      if (!byRoute.has(route) || /readme\.\w+$/i.test(byRoute.get(route) ?? ''))
        byRoute.set(route, path);
    }
  }
  let folders: Set<string> | undefined;

  function routesOf(path: string): string[] {
    const routes = new Set<string>();
    for (const { folder, at } of style.mounts) {
      if (!isIn(path, folder)) continue;
      const file = folder === '' ? path : path.slice(folder.length + 1);
      const plain = file.replace(/\.([jt]sx|astro|vue)$/i, '');
      routes.add(sitePath(plain, at));
      if (areOrdered) routes.add(sitePath(withoutOrder(plain), at));
      // Docusaurus takes `guides/guides.md` for the page of the folder.
      const [, parent, name] = /(?:^|\/)([^/]+)\/([^/.]+)\.\w+$/.exec(file) ?? [];
      if (style.style === 'docusaurus' && parent !== undefined && parent === name) {
        routes.add(sitePath(posix.dirname(file), at));
      }
    }
    return [...routes];
  }

  function allFolders(): Set<string> {
    const found = new Set<string>();
    for (const path of files.paths()) {
      for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
        const folder = path.slice(0, end);
        if (found.has(folder)) break;
        found.add(folder);
      }
    }
    return found;
  }

  return {
    ...style,
    files,
    root,
    pages,
    pageAt: (route) => byRoute.get(route),
    routesOf,
    addRoute(route, file) {
      if (!byRoute.has(route)) byRoute.set(route, file);
    },
    isRedirect: (route) =>
      style.redirects.some((from) =>
        from.endsWith('/*') ? route.startsWith(from.slice(0, -1)) : from === route,
      ),
    isFolder(path) {
      folders ??= allFolders();
      return path === '' || folders.has(path);
    },
  };
}
