/** How a generator lays the files of a folder out on its site: paths, addresses and anchors. */
import { posix } from 'node:path';
import { slug as githubSlug } from 'github-slugger';
import { isOrdered, joinPath, pathOfSlug, sitePath, withoutOrder } from '../markdown/links.ts';
import type { AnchorRule } from '../markdown/anchors.ts';

export const generators = [
  'docusaurus',
  'vitepress',
  'starlight',
  'mkdocs',
  'nextra',
  'docsify',
  'plain',
] as const;
export type Generator = (typeof generators)[number];

/**
 * `/a/b`, `/a/b/` or `/a/b.html`. `kept`: `/a/b`, and `/a/` for the page of a folder; `hash`: `/#/a/b`,
 * as pages that a script shows have it.
 */
export type PathStyle = 'clean' | 'slash' | 'html' | 'kept' | 'hash';

export interface Layout {
  generator: Generator;
  /** The file that says so, seen from the folder: `../docusaurus.config.ts`. */
  config?: string | undefined;
  /** Where the pages are below the folder, such as `docs` of a whole project; `''` for all of it. */
  root: string;
  /** Where the pages of `root` begin on the site. */
  basePath: string;
  pathStyle: PathStyle;
  anchors: AnchorRule;
}

export const plainLayout: Layout = {
  generator: 'plain',
  root: '',
  basePath: '/',
  pathStyle: 'clean',
  anchors: 'github',
};

/**
 * A layout with what the configuration says. What its `baseUrl` ends with is not said again: both
 * `https://acme.github.io` and `https://acme.github.io/project` are right for a site below `/project`.
 */
export function placed(
  layout: Layout,
  { basePath, baseUrl }: { basePath?: string | undefined; baseUrl?: string | undefined },
): Layout {
  if (basePath !== undefined) return { ...layout, basePath };
  const above = baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/+$/, '');
  const isSaid = above !== '' && `${layout.basePath}/`.startsWith(`${above}/`);
  return isSaid ? { ...layout, basePath: joinPath(layout.basePath.slice(above.length)) } : layout;
}

/** Where a page stands. `isIndex`: it is the page of its folder, which some sites spell differently. */
export interface Place {
  path: string;
  isIndex: boolean;
}

interface Front {
  slug?: string | undefined;
  /** Docusaurus names a document by it. */
  id?: string | undefined;
}

/** Whether a file is a page at all: generators leave pieces, templates and tests out. */
export function isPage(file: string, { generator }: Layout): boolean {
  switch (generator) {
    case 'docusaurus':
      return !/(^|\/)(_|__tests__\/)|\.(test|spec)\.mdx?$/.test(file);
    case 'starlight':
      return !/(^|\/)_[^/]*$/.test(file);
    case 'vitepress':
      // `[package].md` is a template for pages that a program makes.
      return !/\[[^/]*\]/.test(file);
    case 'docsify':
      return !/(^|\/)_(sidebar|navbar|coverpage|404)\.md$/.test(file);
    case 'mkdocs':
    case 'nextra':
    case 'plain':
      return true;
  }
}

/** Gives files their places, by the rules of the generator. */
export function createPlaces(
  layout: Layout,
  files: readonly string[],
): (file: string, front?: Front) => Place {
  const base = layout.basePath;
  switch (layout.generator) {
    case 'docusaurus':
      return (file, front) => docusaurusPlace(file, base, front ?? {});
    case 'starlight':
      return (file, front) => starlightPlace(file, base, front?.slug);
    case 'vitepress':
    case 'nextra':
      return (file) => indexPlace(file, base, /^index$/);
    case 'mkdocs':
    case 'docsify':
      return (file) => indexPlace(file, base, /^(index|readme)$/i);
    case 'plain': {
      const usual = isOrdered(files) ? withoutOrder : (file: string) => file;
      return (file, front) => ({
        path:
          front?.slug === undefined
            ? sitePath(usual(file), base)
            : pathOfSlug(file, base, front.slug),
        isIndex: front?.slug === undefined && /(^|\/)(index|readme)\.\w+$/i.test(file),
      });
    }
  }
}

function split(file: string): { folders: string[]; name: string } {
  const folders = file.replace(/\.(mdx?|markdown)$/i, '').split('/');
  return { name: folders.pop() ?? '', folders };
}

function indexPlace(file: string, base: string, index: RegExp): Place {
  const { folders, name } = split(file);
  const isIndex = index.test(name);
  return { path: joinPath(base, ...folders, ...(isIndex ? [] : [name])), isIndex };
}

/** As `@docusaurus/plugin-content-docs` makes a document's slug. */
function docusaurusPlace(file: string, base: string, { slug, id }: Front): Place {
  const { folders, name } = split(withoutOrder(file));
  const isIndex =
    slug === undefined &&
    (/^(index|readme)$/i.test(name) || name.toLowerCase() === folders.at(-1)?.toLowerCase());
  if (isIndex) return { path: joinPath(base, ...folders), isIndex };
  if (slug?.startsWith('/')) return { path: joinPath(base, slug), isIndex: slug.endsWith('/') };
  // `../` in a relative slug counts; nothing leads above the site.
  const last = posix.join('/', ...folders, slug ?? id ?? name);
  return { path: joinPath(base, last), isIndex: false };
}

/** As Astro makes the id of a content entry: each part of the path is spelled as an anchor is. */
function starlightPlace(file: string, base: string, slug: string | undefined): Place {
  if (slug !== undefined) return { path: joinPath(base, slug), isIndex: false };
  const { folders, name } = split(file);
  const parts = [...folders, ...(name === 'index' ? [] : [name])].map((part) => githubSlug(part));
  return { path: joinPath(base, ...parts), isIndex: name === 'index' };
}

/** A path as the site spells it. */
export function spellPath({ path, isIndex }: Place, style: PathStyle): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  if (style === 'hash') return `/#${encoded}${isIndex && path !== '/' ? '/' : ''}`;
  if (path === '/' || style === 'clean' || (style === 'kept' && !isIndex)) return encoded;
  return style === 'html' && !isIndex ? `${encoded}.html` : `${encoded}/`;
}
