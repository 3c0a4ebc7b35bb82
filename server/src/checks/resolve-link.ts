/** Where a link leads to in the files of a documentation. */
import { posix } from 'node:path';
import { isDocsFile, isPartial, type SiteMap, toRoute } from './site-map.ts';
import { join } from './site-styles.ts';

export type Target =
  /** Somewhere else, or nothing that files could tell. */
  | { kind: 'foreign' }
  | { kind: 'page'; file: string; anchor: string | undefined }
  | { kind: 'file'; file: string }
  | { kind: 'missing'; anchor: string | undefined };

export interface LinkParts {
  path: string;
  query: string;
  anchor: string | undefined;
}

export function splitLink(url: string): LinkParts {
  const [, path = '', query = '', anchor] =
    /^([^?#]*)(\?[^#]*)?(?:#(.*))?$/s.exec(url.trim()) ?? [];
  return { path: decode(path), query, anchor: anchor === undefined ? undefined : decode(anchor) };
}

export function resolveTarget(url: string, from: string, site: SiteMap): Target {
  if (/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(url.trim())) return { kind: 'foreign' };
  const { path, anchor } = splitLink(url);
  if (path === '') return { kind: 'page', file: from, anchor };
  const file = path.startsWith('@site/')
    ? existing(join(site.siteFolder, path.slice(6)), site)
    : path.startsWith('/')
      ? fromRoot(path, site)
      : beside(path, from, site);
  if (file !== undefined) {
    return isDocsFile(file, site.root) || /\.(mdx?|markdown)$/i.test(file)
      ? { kind: 'page', file, anchor }
      : { kind: 'file', file };
  }
  // What a partial means depends on the page that includes it.
  if (isPartial(from) && !path.startsWith('/')) return { kind: 'foreign' };
  const route = path.startsWith('/') ? toRoute(path) : undefined;
  if (route !== undefined) {
    const isMade = site.generated.some((one) => route === one || route.startsWith(`${one}/`));
    if (isMade || site.isRedirect(route)) return { kind: 'foreign' };
  }
  return { kind: 'missing', anchor };
}

/** A file, or the page that the name means without its ending. */
function existing(path: string, site: SiteMap): string | undefined {
  const { files } = site;
  if (files.has(path)) return path;
  const bare = path.replace(/\.html?$/i, '').replace(/\/$/, '');
  const names = [
    ...['.md', '.mdx', '.markdown'].map((ending) => bare + ending),
    ...['index.md', 'index.mdx', 'README.md', 'README.mdx', 'readme.md'].map((name) =>
      join(bare, name),
    ),
  ];
  const found = names.find((name) => files.has(name));
  if (found !== undefined) return found;
  // A folder without a page of its own is one where the site makes it, or where there is no site.
  if (!site.isFolder(bare)) return undefined;
  const category = ['_category_.json', '_category_.yml', '_category_.yaml'].map((name) =>
    join(bare, name),
  );
  return (
    category.find((name) => files.has(name)) ??
    (site.style === 'plain' && path.endsWith('/') ? bare : undefined)
  );
}

function beside(path: string, from: string, site: SiteMap): string | undefined {
  const file = join(posix.dirname(from), path);
  const climbs = posix.normalize(`${posix.dirname(from)}/${path}`).startsWith('..');
  if (climbs) return undefined;
  const found = existing(path.endsWith('/') ? `${file}/` : file, site);
  if (found !== undefined) return found;
  if (/\.(mdx?|markdown)$/i.test(path)) return undefined;
  // As a browser reads it on the page's address, with and without a slash at its end.
  for (const route of site.routesOf(from)) {
    const page =
      site.pageAt(toRoute(`${route}/../${path}`)) ?? site.pageAt(toRoute(`${route}/${path}`));
    if (page !== undefined) return page;
    // Pictures of MkDocs and others lie beside pages that stand in a folder of their own.
    for (const { folder, at } of site.mounts) {
      const below = toPath(`${route}/${path}`, at);
      if (below !== undefined && site.files.has(join(folder, below))) return join(folder, below);
    }
  }
  return undefined;
}

const toPath = (route: string, at: string) => {
  const path = posix.normalize(route);
  if (at === '/') return path.slice(1);
  return path.startsWith(`${at}/`) ? path.slice(at.length + 1) : undefined;
};

function fromRoot(path: string, site: SiteMap): string | undefined {
  const page = site.pageAt(toRoute(path));
  if (page !== undefined) return page;
  for (const { folder, at } of site.mounts) {
    const below = toPath(path, at);
    const found = below === undefined ? undefined : existing(join(folder, below), site);
    if (found !== undefined) return found;
  }
  for (const folder of site.statics) {
    if (site.files.has(join(folder, path))) return join(folder, path);
    if (site.files.has(join(folder, path, 'index.html'))) return join(folder, path, 'index.html');
  }
  // From the root of the repository, as its host shows it.
  const file = join(path);
  return site.files.has(file) ? file : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
