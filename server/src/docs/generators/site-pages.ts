/** The pages of a site by file and by address, and where links lead. The index and the checks both use it. */
import { posix } from 'node:path';
import { isWanted } from '../sources/page-source.ts';
import { splitSuffix } from './languages.ts';
import { type Layout, type Mount, shiftPath } from './layout.ts';
import {
  insideOf,
  isForeign,
  isIn,
  joinFile,
  joinPath,
  pageEnding,
  sitePath,
  splitLink,
  toRoute,
} from './paths.ts';
import {
  appLocation,
  createLocations,
  docusaurusId,
  endsInSlash,
  type Front,
  indexLocation,
  isPage,
  type PageLocation,
} from './page-location.ts';

export type Target =
  /** Another site, or something that files can't show. */
  | { kind: 'foreign' }
  | { kind: 'page'; file: string; anchor: string | undefined; isByAddress: boolean }
  | { kind: 'file'; file: string }
  /** `route`: the path that the generator makes of the link. */
  | { kind: 'missing'; anchor: string | undefined; route: string | undefined };

export type SitePages = ReturnType<typeof createSitePages>;

const otherEnding = /\.([jt]sx|astro|vue|html)$/i;

interface OpenMount extends Mount {
  leftOut: ReadonlySet<string>;
  location: (file: string, front?: Front) => PageLocation | undefined;
}

/** A site of pages as plain data. */
export interface SiteFacts {
  layout: Layout;
  files: readonly string[];
  /** In the order in which they were set. */
  fronts: readonly (readonly [file: string, front: Front])[];
}

export function openSitePages({ layout, files, fronts }: SiteFacts): SitePages {
  const known = new Set(files);
  const site = createSitePages(layout, files, (path) => known.has(path));
  for (const [file, front] of fronts) site.setFront(file, front);
  return site;
}

/** `has` also answers for files that are not pages. */
export function createSitePages(
  layout: Layout,
  files: readonly string[],
  has: (path: string) => boolean,
) {
  const { generator, base, baseRule, languages } = layout;
  const only = layout.chapters && new Map(layout.chapters);
  const mounts = layout.mounts.map((mount): OpenMount => {
    const inside = files.flatMap((file) =>
      pageEnding.test(file) ? (insideOf(file, mount.folder) ?? []) : [],
    );
    const location = mount.isApp
      ? (file: string) => appLocation(file, mount.at)
      : mount.isOther
        ? (file: string) => indexLocation(file, mount.at, /^index$/)
        : createLocations(generator, mount.at, inside);
    const { globs } = mount;
    const leftOut = new Set(globs && inside.filter((file) => !isWanted(file, globs)));
    return { ...mount, location, leftOut };
  });
  const fronts = new Map<string, Front>();
  const byRoute = new Map<string, string>();
  const others = new Map<string, string>();
  for (const file of files) enter(file);

  function enter(file: string): void {
    for (const route of routesOf(file)) {
      const other = byRoute.get(route);
      // Where a folder has both, its index is the page, and the README is for the repository.
      if (other === undefined || (/readme\.\w+$/i.test(other) && !/readme\.\w+$/i.test(file)))
        byRoute.set(route, file);
    }
  }

  function locationsOf(file: string, front = fronts.get(file)): PageLocation[] {
    if (only && !only.has(file)) return [];
    return mounts.flatMap(({ folder, isOther, location, leftOut }) => {
      const inside = insideOf(file, folder);
      if (inside === undefined || leftOut.has(inside) || !isPage(inside, generator)) return [];
      if (!pageEnding.test(file) && !(isOther && otherEnding.test(file))) return [];
      if (isOther) return location(inside, front) ?? [];
      if (!languages?.isBySuffix) return location(moved(inside), front) ?? [];
      const { file: bare, code = languages.isMainShown ? languages.main : undefined } =
        splitSuffix(inside);
      const found = location(moved(bare), front);
      if (!found || code === undefined || (code === languages.main && !languages.isMainShown))
        return found ?? [];
      return { ...found, path: joinPath(base, code, insideOf(found.path, base) ?? found.path) };
    });
  }

  /** Where the site moves a file before its path is made. */
  function moved(inside: string): string {
    const [from = '', to = ''] =
      layout.moves?.find(
        ([start]) => inside === start || (/^$|\/$/.test(start) && inside.startsWith(start)),
      ) ?? [];
    return from === '' && to === '' ? inside : to + inside.slice(from.length);
  }

  /** All paths of a page; the first one is its own. */
  function routesOf(file: string): string[] {
    return [...new Set(locationsOf(file).map(({ path }) => path))];
  }

  const pageAt = (route: string): string | undefined => byRoute.get(route) ?? others.get(route);

  function resolve(url: string, from: string): Target {
    if (isForeign(url)) return { kind: 'foreign' };
    const { path, anchor } = splitLink(url);
    if (path === '') return { kind: 'page', file: from, anchor, isByAddress: false };
    if (path.startsWith('@site/') || pageEnding.test(path)) {
      const names = sourceFiles(path, from);
      const file = names.find(has);
      if (file !== undefined) return found(file, anchor, false);
      const [first = ''] = names;
      // Some sites also serve pages under addresses that look like files.
      const page = path.startsWith('/')
        ? addresses(path, from)
            .map((one) => pageAt(toRoute(one)))
            .find(Boolean)
        : undefined;
      return page === undefined
        ? { kind: 'missing', anchor, route: routesOf(first)[0] ?? routeBelow(first) }
        : found(page, anchor, true);
    }
    const beside = path.startsWith('/')
      ? undefined
      : fileNamed(joinFile(posix.dirname(from), path));
    const routes = addresses(path, from);
    const page = routes.map((one) => pageAt(toRoute(one))).find((one) => one !== undefined);
    // Without a known generator, a relative link names a file.
    if (generator === 'plain' && beside !== undefined) return found(beside, anchor, false);
    if (page !== undefined) return found(page, anchor, true);
    const file = beside ?? routes.map(fileAt).find((one) => one !== undefined) ?? rootFile(path);
    if (file !== undefined) return found(file, anchor, false);
    const route =
      generator === 'plain' && !path.startsWith('/')
        ? routeBelow(joinFile(posix.dirname(from), path))
        : routes[0] && toRoute(routes[0]);
    return { kind: 'missing', anchor, route };
  }

  function found(file: string, anchor: string | undefined, isByAddress: boolean): Target {
    return pageEnding.test(file)
      ? { kind: 'page', file, anchor, isByAddress }
      : { kind: 'file', file };
  }

  /** The files that a link to a source file can mean, in the generator's order. */
  function sourceFiles(path: string, from: string): string[] {
    if (path.startsWith('@site/')) return [joinFile(layout.siteFolder, path.slice(6))];
    const beside = inRepository(posix.join(posix.dirname(from), path));
    const own = mounts.filter(({ folder }) => isIn(from, folder)).map(({ folder }) => folder);
    const below = [...new Set([...own, ...mounts.map(({ folder }) => folder)])];
    const fromFolders = below.map((folder) => joinFile(folder, path));
    if (path.startsWith('/'))
      return [...fromFolders, joinFile(layout.siteFolder, path), joinFile(path)];
    // A name without dots starts at the folder of pages in Docusaurus, and every name does in docsify.
    const isFromRoot =
      (generator === 'docusaurus' && !/^\.{1,2}\//.test(path)) || layout.isRelativeToRoot;
    const [root] = fromFolders;
    return isFromRoot && root !== undefined ? [root, ...beside] : beside;
  }

  /** The paths of the site that a link can mean, most likely first. */
  function addresses(path: string, from: string): string[] {
    if (path.startsWith('/')) return fromSlash(path);
    if (layout.isRelativeToRoot)
      return mounts.slice(0, 1).map(({ at }) => posix.normalize(`${at}/${path}`));
    return locationsOf(from).flatMap((location) => {
      const inside = posix.normalize(`${location.path}/${path}`);
      const next = posix.normalize(`${location.path}/../${path}`);
      if (generator === 'plain') return [next, inside];
      return endsInSlash(location, layout.pathStyle) ? [inside] : [next];
    });
  }

  function fromSlash(path: string): string[] {
    const isWithBase = isIn(toRoute(path), base);
    const own = baseRule === 'always' || (baseRule === 'missing' && !isWithBase);
    const { shift } = layout;
    const shifted = shift && shift.to !== '/' ? insideOf(toRoute(path), shift.to) : undefined;
    return [
      own ? joinPath(base, path) : path,
      ...(shift && shifted !== undefined ? [joinPath(shift.from, shifted)] : []),
    ];
  }

  /** A file by its name, or a page by its name without the extension. */
  function fileNamed(path: string): string | undefined {
    if (path.startsWith('..')) return undefined;
    if (has(path)) return path;
    const bare = path.replace(/\.html?$/i, '');
    const indexes = ['index.md', 'index.mdx', 'README.md', 'README.mdx', 'readme.md'];
    const names = ['.md', '.mdx', '.markdown'].map((ending) => bare + ending);
    return [...names, ...indexes.map((name) => joinFile(bare, name))].find(has);
  }

  /** A picture or another file that the site serves at this path. */
  function fileAt(route: string): string | undefined {
    const below = insideOf(route, base) ?? route.slice(1);
    const folders = mounts.flatMap(({ folder, at }) => {
      const inside = insideOf(route, at);
      return inside === undefined ? [] : [joinFile(folder, inside)];
    });
    return [
      ...folders,
      ...layout.statics.flatMap((folder) => [
        joinFile(folder, below),
        joinFile(folder, below, 'index.html'),
      ]),
    ].find((name) => !pageEnding.test(name) && has(name));
  }

  /** A file by its path from the root of the repository, as on GitHub. */
  function rootFile(path: string): string | undefined {
    const file = joinFile(path);
    return path.startsWith('/') && !pageEnding.test(file) && has(file) ? file : undefined;
  }

  /** The path that a file would have as a page. `..` stops at the folder of pages. */
  function routeBelow(file: string): string {
    const inside = belowRoot(file);
    return mounts[0]?.location(inside)?.path ?? sitePath(inside, '/');
  }

  function belowRoot(file: string): string {
    const inside = file.replace(/^(\.\.\/)+/, '');
    return insideOf(inside, mounts[0]?.folder ?? '') ?? inside;
  }

  const stored = (route: string): string => shiftPath(route, layout);

  return {
    layout,
    /** What `openSitePages` makes the same site of, in another thread. */
    facts: (): SiteFacts => ({ layout, files, fronts: [...fronts] }),
    /** Frontmatter that decides about the path of a page. Until it is known, the file name decides. */
    setFront(file: string, front: Front): void {
      const { slug, id, permalink } = front;
      if ([slug, id, permalink].some((one) => one !== undefined) || fronts.has(file)) {
        for (const route of routesOf(file)) if (byRoute.get(route) === file) byRoute.delete(route);
      }
      fronts.set(file, { slug, id, permalink });
      enter(file);
    },
    hasFront: (file: string) => fronts.has(file),
    /** `undefined`: the file is not a page of the site. */
    locationOf: (file: string): PageLocation | undefined => locationsOf(file)[0],
    routesOf,
    pageAt,
    /** The name of a document in the sidebars of Docusaurus. */
    documentId(file: string): string {
      const mount = mounts.find(({ folder }) => isIn(file, folder));
      return docusaurusId(insideOf(file, mount?.folder ?? '') ?? file, fronts.get(file) ?? {});
    },
    /** The path of a page in the index. `front` is only needed if `setFront` was not called for the file. */
    pathOf: (file: string, front?: Front) =>
      stored(locationsOf(file, front)[0]?.path ?? routeBelow(file)),
    /** Another path that leads to a page, such as one of `aliases`. */
    addRoute(route: string, file: string): void {
      if (!others.has(route)) others.set(route, file);
    },
    resolve,
    linkFrom(url: string, from: string): string {
      const target = resolve(url, from);
      const rest = url.trim().replace(/^[^?#]*/, '');
      if (target.kind === 'foreign' || url.trim() === rest) return url.trim();
      if (target.kind === 'page') {
        const [route] = routesOf(target.file);
        return stored(route ?? routeBelow(target.file)) + rest;
      }
      if (target.kind === 'missing' && target.route !== undefined)
        return stored(target.route) + rest;
      const { path } = splitLink(url);
      return path.startsWith('/')
        ? path + rest
        : stored(routeBelow(joinFile(posix.dirname(from), path))) + rest;
    },
    imageFrom(url: string, from: string): string {
      if (url === '' || isForeign(url)) return url;
      const path = /^[^?#]*/.exec(url)?.[0] ?? '';
      const rest = url.slice(path.length);
      if (path.startsWith('/')) return stored(fromSlash(path)[0] ?? path) + rest;
      const file = joinFile(posix.dirname(from), path);
      return stored(joinPath(mounts[0]?.at ?? '/', belowRoot(file))) + rest;
    },
  };
}

/** `[]`: the path leads out of the repository. */
function inRepository(path: string): string[] {
  return path.startsWith('..') ? [] : [joinFile(path)];
}
