/** Which files are pages, and the path of each on the site. */
import { posix } from 'node:path';
import { slug as githubSlug } from 'github-slugger';
import type { Generator } from '../../platform/config/docs-config.ts';
import type { PathStyle } from './layout.ts';
import { isOrdered, joinPath, pathOfSlug, sitePath, withoutOrder } from './paths.ts';

/** `isIndex`: the index page of a folder, which some sites write with a slash at the end. */
export interface PageLocation {
  path: string;
  isIndex: boolean;
}
export interface Front {
  slug?: string | undefined;
  /** Docusaurus uses it for the path and in sidebars. */
  id?: string | undefined;
  /** VuePress uses it as the whole path. */
  permalink?: string | undefined;
}

/** Generators leave out partials, templates, and tests. */
const leftOut: Partial<Record<Generator, RegExp>> = {
  docusaurus: /(^|\/)(_|__tests__\/)|\.(test|spec)\.mdx?$/,
  starlight: /(^|\/)_[^/]*$/,
  // `[package].md` is a template for pages that a program creates.
  vitepress: /\[[^/[]*\]/,
  docsify: /(^|\/)_(sidebar|navbar|coverpage|404)\.md$/,
  mintlify: /(^|\/)(_?snippets)\//,
  // A name that begins with a dot is a draft or settings.
  nuxt: /(^|\/)\./,
};

/** `file` is below the folder of pages. */
export const isPage = (file: string, generator: Generator): boolean =>
  leftOut[generator]?.test(file) !== true;

/** Returns the location of a page below the folder of pages. `all` are the files of that folder. */
export function createLocations(
  generator: Generator,
  base: string,
  all: readonly string[],
): (file: string, front?: Front) => PageLocation {
  switch (generator) {
    case 'docusaurus':
      return (file, front) => docusaurusLocation(file, base, front ?? {});
    case 'starlight':
      return (file, front) => starlightLocation(file, base, front?.slug);
    case 'vitepress':
    case 'nextra':
    case 'mintlify':
      return (file) => indexLocation(file, base, /^index$/);
    case 'fumadocs':
      return (file) =>
        indexLocation(file.replaceAll(/(^|\/)\([^/()]*\)(?=\/)/g, '$1'), base, /^index$/);
    case 'nuxt':
      return (file) => nuxtLocation(file, base);
    case 'vuepress':
      return (file, { permalink } = {}) =>
        permalink === undefined
          ? indexLocation(file, base, /^(index|readme)$/i)
          : {
              path: joinPath(base, permalink.replace(/\.html$/, '')),
              isIndex: permalink.endsWith('/'),
            };
    case 'mkdocs':
    case 'mdbook':
    case 'docsify':
      return (file) => indexLocation(file, base, /^(index|readme)$/i);
    case 'plain': {
      const usual = isOrdered(all) ? withoutOrder : (file: string) => file;
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
  const folders = file.replace(/\.(mdx?|markdown|[jt]sx|astro|vue|html)$/i, '').split('/');
  return { name: folders.pop() ?? '', folders };
}

export function indexLocation(file: string, base: string, index: RegExp): PageLocation {
  const { folders, name } = split(file);
  const isIndex = index.test(name);
  return { path: joinPath(base, ...folders, ...(isIndex ? [] : [name])), isIndex };
}

/** As `generatePath` of `@nuxt/content`: `1.guide/2.Start Here.md` is `/guide/start-here`. */
function nuxtLocation(file: string, base: string): PageLocation {
  const { folders, name } = split(file);
  const parts = [...folders, name].map((part) =>
    // A version number stays.
    /^\d+(\.\d+)*(\.x)?$/.test(part)
      ? part
      : part
          .replace(/^\d+\./, '')
          .replace(/\.draft$/, '')
          .replace(/^index$/, '')
          .trim()
          .toLowerCase()
          .replaceAll(/\s+/g, '-'),
  );
  return { path: joinPath(base, ...parts.filter(Boolean)), isIndex: false };
}

/** A `page.mdx` in folders of the App Router; `undefined`: not a page of one path. Folders in parentheses group only. */
export function appLocation(file: string, base: string): PageLocation | undefined {
  const { folders, name } = split(file);
  if (name !== 'page' || folders.some((one) => /^[_@[]/.test(one))) return undefined;
  const shown = folders.filter((one) => !/^\(.*\)$/.test(one));
  return { path: joinPath(base, ...shown), isIndex: false };
}

/** As `@docusaurus/plugin-content-docs` makes the slug of a document. */
function docusaurusLocation(file: string, base: string, { slug, id }: Front): PageLocation {
  const { folders, name } = split(withoutOrder(file));
  const isIndex =
    slug === undefined &&
    (/^(index|readme)$/i.test(name) || name.toLowerCase() === folders.at(-1)?.toLowerCase());
  if (isIndex) return { path: joinPath(base, ...folders), isIndex };
  if (slug?.startsWith('/')) return { path: joinPath(base, slug), isIndex: slug.endsWith('/') };
  // `../` in a relative slug counts, and stops at the root of the pages.
  const last = posix.join('/', ...folders, slug ?? id ?? name);
  return { path: joinPath(base, last), isIndex: false };
}

/** The name by which sidebars of Docusaurus refer to a document. */
export function docusaurusId(file: string, { id }: Front): string {
  const { folders, name } = split(withoutOrder(file));
  return [...folders, id ?? name].join('/');
}

/** As Astro makes the id of a content entry: each part of the path is written like an anchor. */
function starlightLocation(file: string, base: string, slug: string | undefined): PageLocation {
  if (slug !== undefined) return { path: joinPath(base, slug), isIndex: false };
  const { folders, name } = split(file);
  const parts = [...folders, ...(name === 'index' ? [] : [name])].map((part) => githubSlug(part));
  return { path: joinPath(base, ...parts), isIndex: name === 'index' };
}

/** A path as the site writes it in addresses. */
export function spellPath({ path, isIndex }: PageLocation, style: PathStyle): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  if (style === 'hash') return `/#${encoded}${isIndex && path !== '/' ? '/' : ''}`;
  if (path === '/' || style === 'clean' || (style === 'kept' && !isIndex)) return encoded;
  return style === 'html' && !isIndex ? `${encoded}.html` : `${encoded}/`;
}

/** Whether the address of a page ends in a slash, so that relative links start inside it. */
export function endsInSlash({ path, isIndex }: PageLocation, style: PathStyle): boolean {
  return path === '/' || style === 'slash' || (isIndex && style !== 'clean');
}
