/** What the settings of a documentation site say about its pages, whichever generator builds it. */
import type { Generator } from '../../platform/config/docs-config.ts';
import { trimEndOf } from '../../platform/text.ts';
import { posix } from 'node:path';
import type { AnchorRule } from './anchors.ts';
import type { LanguageSettings } from './languages.ts';
import { insideOf, joinFile, joinPath } from './paths.ts';
import { spellPath } from './page-location.ts';
import { readers, rootAndMounts } from './settings.ts';
import type { Globs } from '../sources/page-source.ts';

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
  /** Folders are paths, and their pages are named `page`: the App Router of Next.js. */
  isApp?: boolean;
  /** It's a translation. */
  language?: string;
  /** The files in it that the site publishes. Everything if it's missing. */
  globs?: Globs;
}

/** A setting that only a run of its file would tell. */
export interface UnknownSetting {
  setting: string;
  /** 0: in a file that it imports. */
  line: number;
}

/** All file paths start at the same folder: the root of the repository or of the file system. */
export interface Layout {
  generator: Generator;
  config?: string;
  siteFolder: string;
  /** The name of the site, and its published address. */
  name?: string | undefined;
  url?: string | undefined;
  /** The folders of other sites in the same project. */
  others?: readonly string[];
  /** Starts of files that the site moves: VitePress's `rewrites`. */
  moves?: readonly (readonly [from: string, to: string])[];
  languages?: LanguageSettings;
  unknown?: readonly UnknownSetting[];
  /** Plugins with which the build makes pages, or fills them. */
  builders?: readonly string[];
  /** Of all files, only these are pages, with their titles. */
  chapters?: readonly (readonly [file: string, title: string])[];
  /** Folder whose pages are read. In a whole project, this is the project's folder of pages. */
  root: string;
  /** The first one contains `root`. */
  mounts: readonly Mount[];
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
  /** The extensions and plugins that the settings switch on, if the generator has such. */
  extensions?: readonly string[];
  /** Folders at which the paths of includes start. */
  includePaths: readonly string[];
  /** Beginnings of imports, and the folders that they stand for. */
  aliases: Readonly<Record<string, string>>;
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
    includePaths: [],
    aliases: {},
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
  const above = baseUrl === undefined ? '' : trimEndOf(new URL(baseUrl).pathname, '/');
  const isRepeated = above !== '' && insideOf(own, above) !== undefined;
  return isRepeated ? { ...layout, shift: { from: above, to: '/' } } : layout;
}

/** A path of the generator -> the path in the index. */
export function shiftPath(path: string, { shift }: Layout): string {
  const inside = shift && insideOf(path, shift.from);
  return shift === undefined || inside === undefined ? path : joinPath(shift.to, inside);
}

/** Paths start at the same folder as `folder`: the root of the repository or of the file system. */
export interface ReadLayoutInput {
  folder: string;
  read: (path: string) => Promise<string | undefined>;
  /** The owner names the generator: no other is looked for, but its settings are still read. */
  generator?: Generator | undefined;
  /** Folders below, where to look if nothing else is found. Only a single site is taken. */
  below?: readonly string[] | undefined;
}

export const scripts = (...names: string[]) =>
  names.flatMap((name) =>
    ['ts', 'mts', 'js', 'mjs', 'cjs', 'cts'].map((ending) => `${name}.${ending}`),
  );

interface GeneratorFacts {
  name: string;
  /** Where its own server shows the site during development. */
  port: number;
  /** Its settings, in the order in which they're looked for, after those of the generators above. */
  files: readonly string[];
}

export const generators: Readonly<Record<Generator, GeneratorFacts>> = {
  docusaurus: { name: 'Docusaurus', port: 3000, files: scripts('docusaurus.config') },
  vitepress: {
    name: 'VitePress',
    port: 5173,
    files: [...scripts('.vitepress/config', '.vitepress/config/index'), '.vitepress/config.json'],
  },
  vuepress: {
    name: 'VuePress',
    port: 8080,
    files: scripts('.vuepress/config', '.vuepress/config/index'),
  },
  mkdocs: { name: 'MkDocs', port: 8000, files: ['mkdocs.yml', 'mkdocs.yaml'] },
  mdbook: { name: 'mdBook', port: 3000, files: ['book.toml'] },
  mintlify: { name: 'Mintlify', port: 3000, files: ['docs.json', 'mint.json'] },
  starlight: { name: 'Starlight', port: 4321, files: scripts('astro.config') },
  fumadocs: { name: 'Fumadocs', port: 3000, files: scripts('source.config') },
  nextra: { name: 'Nextra', port: 3000, files: scripts('next.config') },
  nuxt: { name: 'Nuxt Content', port: 3000, files: scripts('nuxt.config') },
  docsify: { name: 'docsify', port: 3000, files: ['index.html'] },
  plain: { name: 'No known generator', port: 8000, files: [] },
};

const inOrder = (Object.keys(generators) as Generator[]).filter((one) => one !== 'plain');

/** Larger files are data. The main thread searches them for single settings. */
const maxSettings = 256 * 1024;
/** Settings further above belong to something else. */
const maxLevelsAbove = 5;

export async function readLayout(input: ReadLayoutInput): Promise<Layout> {
  const { folder, generator } = input;
  if (generator === 'plain') return plainLayout(folder);
  const parts = folder.split('/').filter(Boolean);
  for (let up = 0; up <= Math.min(maxLevelsAbove, parts.length); up += 1) {
    const at = parts.slice(0, parts.length - up).join('/');
    // Docusaurus often has `docs` and `website` beside each other.
    for (const one of up === 0 ? [at] : [at, joinFile(at, 'website')]) {
      // oxlint-disable-next-line no-await-in-loop -- the nearest one counts
      const found = await readSettings(one, input);
      if (found) return found;
    }
  }
  const below = await Promise.all((input.below ?? []).map((one) => readSettings(one, input)));
  const [site, ...others] = below
    .filter((one) => one !== undefined)
    .toSorted((one, other) => rankOf(one, folder) - rankOf(other, folder));
  if (site) return { ...site, others: others.map(({ siteFolder }) => siteFolder) };
  return generator === undefined ? plainLayout(folder) : withoutSettings(generator, folder);
}

/** The lowest is the site that readers know: not an example, in English, near the top. */
function rankOf({ siteFolder }: Layout, folder: string): number {
  const parts = (insideOf(siteFolder, folder) ?? siteFolder).split('/');
  const isExample = parts.some((one) =>
    /^(examples?|fixtures?|(__)?tests?(__)?|e2e|templates?|playgrounds?|benchmarks?|demos?|starters?|packages)$/i.test(
      one,
    ),
  );
  const isDocs = parts.some((one) => /^(docs?|documentation|website|site|www|web)$/i.test(one));
  const isForeign =
    /^(?!en\b)[a-z]{2,3}(-[a-z]{2,4})?$/i.test(parts.at(-1) ?? '') && !isDocsName(parts.at(-1));
  return Number(isExample) * 100 + Number(isForeign) * 10 + Number(!isDocs) * 10 + parts.length;
}

const isDocsName = (name = '') => /^(docs?|www|web|site|app)$/i.test(name);

async function readSettings(
  siteFolder: string,
  { folder, read, generator: wanted }: ReadLayoutInput,
): Promise<Layout | undefined> {
  for (const generator of inOrder) {
    if (wanted !== undefined && wanted !== generator) continue;
    for (const file of generators[generator].files) {
      const config = joinFile(siteFolder, file);
      const text = await read(config);
      if (text !== undefined && text.length > maxSettings) continue;
      const found =
        text && (await readers[generator]({ text, file: config, siteFolder, folder, read }));
      if (!found) continue;
      const { pages, ...settings } = found;
      const mounted = rootAndMounts(pages, folder);
      const named = { ...plainLayout(siteFolder), generator, config };
      if (mounted) return { ...named, ...settings, ...mounted };
    }
  }
  return undefined;
}

/** The owner names a generator that has no settings here: its usual rules apply to the folder. */
async function withoutSettings(
  generator: Exclude<Generator, 'plain'>,
  folder: string,
): Promise<Layout> {
  const none = { text: '', file: '', siteFolder: folder, folder, read: async () => undefined };
  const { pages = [], ...settings } = (await readers[generator](none)) ?? {};
  const mounts = [{ folder, at: pages[0]?.at ?? '/' }];
  return { ...plainLayout(folder), generator, ...settings, root: folder, mounts };
}

export function describeLayout(
  layout: Layout,
  folder: string,
  pathStyle: PathStyle = layout.pathStyle,
): string {
  const { generator, config, root } = layout;
  const base = pathStyle === 'hash' ? '' : basePathOf(layout);
  const example = spellPath({ path: joinPath(base, 'guide/install'), isIndex: false }, pathStyle);
  const from = root === folder ? '' : `, pages in ${posix.relative(folder, root)}`;
  const by = config === undefined ? '' : ` (${posix.relative(folder, config)})`;
  return `${generators[generator].name}${by}${from}: addresses such as ${example}`;
}
