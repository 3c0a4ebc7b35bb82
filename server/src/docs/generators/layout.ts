/** What the settings of a documentation site say about its pages, whichever generator builds it. */
import type { AnchorRule } from './anchors.ts';
import { insideOf, joinPath } from './paths.ts';

export const generators = [
  'docusaurus',
  'vitepress',
  'starlight',
  'mkdocs',
  'nextra',
  'docsify',
  'mintlify',
  'plain',
] as const;
export type Generator = (typeof generators)[number];

/**
 * How the site writes the path of a page: `/a/b` (clean), `/a/b/` (slash), or `/a/b.html` (html).
 * `kept` is `/a/b`, with a slash for the index page of a folder. `hash` is `/#/a/b`.
 */
export type PathStyle = 'clean' | 'slash' | 'html' | 'kept' | 'hash';

/** A folder of pages, and where it starts on the site. */
export interface Mount {
  folder: string;
  /** Includes the base of the site: `/`, or `/project/docs`. */
  at: string;
  /** Pages that are not documentation, such as the `src/pages` of Docusaurus. */
  isOther?: boolean;
}

/** All file paths start at the same folder: the root of the repository or of the file system. */
export interface Layout {
  generator: Generator;
  /** File with the settings. */
  config?: string;
  siteFolder: string;
  /** Folder whose pages are read. In a whole project, this is the project's folder of pages. */
  root: string;
  /** The first one contains `root`. */
  mounts: readonly Mount[];
  /** Path of the site on its host. */
  base: string;
  /**
   * What the generator does with an address that starts with a slash: it always adds the base, adds it
   * where it is missing, or leaves the address as it is.
   */
  baseRule: 'always' | 'missing' | 'never';
  /** The owner's configuration puts the pages somewhere else: `to` replaces `from` in addresses. */
  shift?: { from: string; to: string };
  pathStyle: PathStyle;
  anchors: AnchorRule;
  /** Relative links start at the folder of pages, not at the page: docsify does this. */
  isRelativeToRoot: boolean;
  /** Folders whose files the site serves as they are. */
  statics: readonly string[];
  /** Paths below which the build creates pages, such as an API reference. */
  generated: readonly string[];
  /** Paths that redirect. A `*` at the end matches any rest. */
  redirects: readonly string[];
  /** `.md` files are read as MDX too. */
  isMarkdownMdx: boolean;
}

/** A folder of Markdown without a known generator. */
export function plainLayout(folder = ''): Layout {
  const name = folder.split('/').at(-1) ?? '';
  return {
    generator: 'plain',
    siteFolder: folder,
    root: folder,
    mounts: [
      { folder, at: '/' },
      // Many sites are served under the name of the folder: `/docs/install` for `docs/install.md`.
      ...(name === '' ? [{ folder: 'docs', at: '/' }] : [{ folder, at: `/${name}` }]),
    ],
    base: '/',
    baseRule: 'never',
    pathStyle: 'clean',
    anchors: 'github',
    isRelativeToRoot: false,
    statics: staticFolders(folder),
    generated: [],
    redirects: [],
    isMarkdownMdx: false,
  };
}

export function staticFolders(folder: string): string[] {
  return ['', 'public', 'static'].map((name) => [folder, name].filter(Boolean).join('/'));
}

/** Where the pages of `root` start on the site, by the generator's own settings. */
export function ownBasePath({ root, mounts }: Layout): string {
  const [own] = mounts;
  return joinPath(own?.at ?? '/', insideOf(root, own?.folder ?? '') ?? '');
}

/** Where the pages of `root` start in the index. */
export function basePathOf(layout: Layout): string {
  return shiftPath(ownBasePath(layout), layout);
}

/**
 * Applies the owner's configuration to a layout. With a `baseUrl`, its path is not repeated: for a site
 * below `/project`, both `https://acme.github.io` and `https://acme.github.io/project` are right.
 */
export function withOwnerSettings(
  layout: Layout,
  { basePath, baseUrl }: { basePath?: string | undefined; baseUrl?: string | undefined },
): Layout {
  const own = ownBasePath(layout);
  if (basePath !== undefined) {
    const to = joinPath(basePath);
    if (layout.generator !== 'plain') return { ...layout, shift: { from: own, to } };
    return { ...layout, mounts: [{ folder: layout.root, at: to }] };
  }
  const above = baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/+$/, '');
  const isRepeated = above !== '' && insideOf(own, above) !== undefined;
  return isRepeated ? { ...layout, shift: { from: above, to: '/' } } : layout;
}

/** A path of the generator -> the path in the index. */
export function shiftPath(path: string, { shift }: Layout): string {
  const inside = shift && insideOf(path, shift.from);
  return shift === undefined || inside === undefined ? path : joinPath(shift.to, inside);
}
