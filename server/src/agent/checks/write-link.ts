/** Writes a link to a file in the style of another link. */
import { posix } from 'node:path';
import {
  insideOf,
  isIn,
  joinPath,
  pageEnding,
  splitLink,
  toRoute,
} from '../../docs/generators/paths.ts';
import type { SiteMap } from './site-map.ts';

/** `like` shows whether links have an extension, start at the root, or end with a slash. */
export function writeLink(
  target: { file: string; anchor?: string | undefined },
  { from, like, site }: { from: string; like: string; site: SiteMap },
): string {
  const { path: old, query } = splitLink(like);
  const path = target.file === from && old === '' ? '' : writePath(target.file, from, old, site);
  const anchor = target.anchor === undefined ? '' : `#${target.anchor}`;
  return path.replaceAll(/[\s()<>]/g, encodeURIComponent) + query + anchor;
}

function writePath(file: string, from: string, old: string, site: SiteMap): string {
  const isPage = pageEnding.test(file);
  const hasEnding = /\.(mdx?|markdown|html?)$/i.test(old);
  const slash = old.endsWith('/') && old !== '/' ? '/' : '';
  if (old.startsWith('@site/')) {
    return `@site/${insideOf(file, site.layout.siteFolder) ?? file}`;
  }
  if (old.startsWith('/')) {
    if (!isPage) return absoluteFile(file, old, site);
    const route = routeLike(file, old, site);
    if (!hasEnding) return route === '/' ? '/' : route + slash;
    const mount = site.layout.mounts.find(({ folder }) => isIn(file, folder));
    const below = mount && insideOf(file, mount.folder);
    return pageEnding.test(old)
      ? joinPath(below ?? file)
      : joinPath(mount?.at ?? '/', below ?? file);
  }
  let relative = posix.relative(posix.dirname(from), file);
  if (isPage && !hasEnding) {
    relative = relative.replace(pageEnding, '').replace(/(^|\/)(index|readme)$/i, '') || '.';
    relative += slash;
  }
  const isDotted = old.startsWith('./') || (old === '' && !relative.startsWith('.'));
  return isDotted && !relative.startsWith('.') ? `./${relative}` : relative;
}

/** Returns the path of a page, with or without the base of the site, as the author writes it. */
function routeLike(file: string, old: string, site: SiteMap): string {
  const { mounts, base, baseRule } = site.layout;
  const routes = site.routesOf(file);
  const first = `/${old.split('/')[1] ?? ''}`;
  const isLike = (route: string) =>
    mounts.some(({ at }) => at === first) ? isIn(route, first) : true;
  const route = routes.find(isLike) ?? routes[0] ?? `/${file.replace(pageEnding, '')}`;
  const hasBase = baseRule === 'never' || (baseRule === 'missing' && isIn(toRoute(old), base));
  return hasBase ? route : joinPath(insideOf(route, base) ?? route);
}

function absoluteFile(file: string, old: string, site: SiteMap): string {
  const folders = [...site.layout.statics, ...site.layout.mounts.map(({ folder }) => folder)]
    .filter((folder) => isIn(file, folder))
    .toSorted((a, b) => b.length - a.length);
  const folder = folders[0] ?? '';
  const prefix = /^\/(public|static)\//.exec(old)?.[0] ?? '/';
  return prefix + (folder === '' ? file : file.slice(folder.length + 1));
}
