/** A link to a file, written as the author wrote another one. */
import { posix } from 'node:path';
import { splitLink } from './resolve-link.ts';
import type { SiteMap } from './site-map.ts';
import { isIn } from './site-styles.ts';

/** `like` shows whether links have an ending, begin at the root, or end in a slash. */
export function writeLink(
  target: { file: string; anchor?: string | undefined },
  { from, like, site }: { from: string; like: string; site: SiteMap },
): string {
  const { path: old, query } = splitLink(like);
  const path = target.file === from && old === '' ? '' : writePath(target.file, from, old, site);
  const anchor = target.anchor === undefined ? '' : `#${target.anchor}`;
  return path.replaceAll(/[\s()<>]/g, encodeURIComponent) + query + anchor;
}

const pageEnding = /\.(mdx?|markdown)$/i;

function writePath(file: string, from: string, old: string, site: SiteMap): string {
  const isPage = pageEnding.test(file);
  const hasEnding = /\.(mdx?|markdown|html?)$/i.test(old);
  const slash = old.endsWith('/') && old !== '/' ? '/' : '';
  if (old.startsWith('@site/')) {
    return `@site/${file.slice(site.siteFolder === '' ? 0 : site.siteFolder.length + 1)}`;
  }
  if (old.startsWith('/')) {
    if (!isPage) return absoluteFile(file, old, site);
    const route = routeLike(file, old, site);
    if (!hasEnding) return route === '/' ? '/' : route + slash;
    const mount = site.mounts.find(({ folder }) => isIn(file, folder));
    const below = mount && mount.folder !== '' ? file.slice(mount.folder.length + 1) : file;
    return posix.join(mount?.at ?? '/', below);
  }
  let relative = posix.relative(posix.dirname(from), file);
  if (isPage && !hasEnding) {
    relative = relative.replace(pageEnding, '').replace(/(^|\/)(index|readme)$/i, '') || '.';
    relative += slash;
  }
  const isDotted = old.startsWith('./') || (old === '' && !relative.startsWith('.'));
  return isDotted && !relative.startsWith('.') ? `./${relative}` : relative;
}

/** Of all paths that lead to a page, the one that begins as the author's did. */
function routeLike(file: string, old: string, site: SiteMap): string {
  const routes = site.routesOf(file);
  const first = old.split('/')[1] ?? '';
  const mount = site.mounts.find(({ at }) => at === `/${first}`);
  const alike =
    mount && routes.find((route) => route === mount.at || route.startsWith(`${mount.at}/`));
  const isMounted = (route: string) =>
    site.mounts.some(({ at }) => at !== '/' && (route === at || route.startsWith(`${at}/`)));
  return (
    alike ??
    routes.find((route) => !isMounted(route)) ??
    routes[0] ??
    `/${file.replace(pageEnding, '')}`
  );
}

function absoluteFile(file: string, old: string, site: SiteMap): string {
  const folders = [...site.statics, ...site.mounts.map(({ folder }) => folder)]
    .filter((folder) => isIn(file, folder))
    .toSorted((a, b) => b.length - a.length);
  const folder = folders[0] ?? '';
  const prefix = /^\/(public|static)\//.exec(old)?.[0] ?? '/';
  return prefix + (folder === '' ? file : file.slice(folder.length + 1));
}
