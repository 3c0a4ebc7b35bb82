/** The site of a documentation folder, as file names show it. */
import { createSitePages, type Target } from '../../docs/generators/site-pages.ts';
import type { Layout } from '../../docs/generators/layout.ts';
import { isIn, joinFile, pageEnding, toRoute } from '../../docs/generators/paths.ts';
import { posix } from 'node:path';
import { type DocsFiles, foldersOf } from '../workspace/tree.ts';

export type SiteMap = ReturnType<typeof createSiteMap>;

/** Markdown that is a page or a part of one; not what generators and package managers put there. */
export function isDocsFile(path: string, root: string): boolean {
  return (
    pageEnding.test(path) && isIn(path, root) && !/(^|\/)(\.[^/]+|node_modules)\//.test(`/${path}`)
  );
}

/** A file that other pages include. */
export function isPartial(path: string): boolean {
  return /(^|\/)(_[^/]*|snippets|partials|includes)(\/|\.mdx?$)/i.test(path);
}

export function createSiteMap(files: DocsFiles, root: string, layout: Layout) {
  const pages: string[] = [];
  const all: string[] = [];
  for (const path of files.paths()) {
    if (isDocsFile(path, root)) pages.push(path);
    if (isPartial(path) || !/\.(mdx?|markdown|[jt]sx|html|astro|vue)$/i.test(path)) continue;
    if (layout.mounts.some(({ folder }) => isIn(path, folder))) all.push(path);
  }
  const site = createSitePages(layout, all, (path) => files.has(path));
  let folders: Set<string> | undefined;

  /** A folder without an index page: the site creates its page, or there is no site at all. */
  function folderAt(path: string): string | undefined {
    const bare = path.replace(/\/$/, '');
    folders ??= foldersOf(files.paths());
    if (bare !== '' && !folders.has(bare)) return undefined;
    const category = ['_category_.json', '_category_.yml', '_category_.yaml'].map((name) =>
      joinFile(bare, name),
    );
    return (
      category.find((name) => files.has(name)) ??
      (layout.generator === 'plain' && path.endsWith('/') ? bare : undefined)
    );
  }

  function isMadeByBuild(route: string): boolean {
    return (
      layout.generated.some((one) => isIn(route, one)) ||
      layout.redirects.some((from) =>
        from.endsWith('/*') ? route.startsWith(from.slice(0, -1)) : toRoute(from) === route,
      )
    );
  }

  return {
    ...site,
    files,
    root,
    /** Markdown and MDX files below the docs folder. */
    pages,
    resolve(url: string, from: string): Target {
      const target = site.resolve(url, from);
      if (target.kind !== 'missing') return target;
      const path = url.trim().split(/[?#]/, 1)[0] ?? '';
      if (!path.startsWith('/')) {
        const folder = folderAt(posix.normalize(`${posix.dirname(from)}/${path}`));
        if (folder !== undefined) return { kind: 'file', file: folder };
        // The meaning of a partial's links depends on the page that includes it.
        return isPartial(from) ? { kind: 'foreign' } : target;
      }
      const isMade = target.route !== undefined && isMadeByBuild(target.route);
      const folder = layout.mounts
        .map((mount) => folderAt(joinFile(mount.folder, path) + (path.endsWith('/') ? '/' : '')))
        .find((one) => one !== undefined);
      if (folder !== undefined) return { kind: 'file', file: folder };
      return isMade ? { kind: 'foreign' } : target;
    },
  };
}
