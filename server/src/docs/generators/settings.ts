/** Reads the settings of each generator. `undefined`: the file belongs to something else. */
import { trimOf } from '../../platform/text.ts';
import { readScript, readToml, readYaml } from '../parsing/parse.ts';
import type { Generator, Layout, Mount } from './layout.ts';
import { decodePercent, isIn, joinFile, joinPath } from './paths.ts';
import {
  at,
  callsIn,
  flagAt,
  isCall,
  listAt,
  settingsIn,
  textAt,
  type Value,
} from './script-values.ts';
import { findAll, isObject, readJson } from './settings-text.ts';

export interface SettingsInput {
  /** `''` if the owner names the generator and there is no file. */
  text: string;
  /** Folder of the settings. */
  siteFolder: string;
  /** Folder of the pages, or of the whole project. */
  folder: string;
  read: (path: string) => Promise<string | undefined>;
}

/** A part of a layout. `pages` are the folders of pages, the usual one first. */
type Found = (Partial<Omit<Layout, 'mounts' | 'root'>> & { pages: Mount[] }) | undefined;

export const readers: Record<
  Exclude<Generator, 'plain'>,
  (input: SettingsInput) => Found | Promise<Found>
> = {
  async docusaurus({ text, siteFolder, read }) {
    const config = await configOf(text);
    const base = joinPath(textAt(config, 'baseUrl') ?? '/');
    const slash = flagAt(config, 'trailingSlash');
    const pages: Mount[] = [];
    for (const instance of docsInstances(config)) {
      const versions = await docusaurusVersions(instance, (file) =>
        read(joinFile(siteFolder, file)),
      );
      pages.push(
        ...versions
          // Where a whole project is read, the version shown at the route itself comes first.
          .toSorted((one, other) => Number(other.isShown) - Number(one.isShown))
          .map(({ folder, at: below }) => ({
            folder: joinFile(siteFolder, folder),
            at: joinPath(base, below),
          })),
      );
    }
    const redirects = pluginsOf(config, 'plugin-client-redirects').flatMap((options) =>
      listAt(options, 'redirects').flatMap((one) => [at(one, 'from')].flat()),
    );
    return {
      pages: [...pages, { folder: joinFile(siteFolder, 'src/pages'), at: base, isOther: true }],
      ...facts(textAt(config, 'title'), textAt(config, 'url')),
      base,
      baseRule: 'missing',
      pathStyle: slash === undefined ? 'kept' : slash ? 'slash' : 'clean',
      statics: [joinFile(siteFolder, 'static'), siteFolder],
      generated: ['blog', 'search', 'tags', 'docs/tags', 'docs/category', 'category'].map((one) =>
        joinPath(base, one),
      ),
      redirects: texts(redirects).map((from) => joinPath(base, from)),
      isMarkdownMdx: !/^(md|detect)$/.test(textAt(config, 'markdown', 'format') ?? ''),
    };
  },

  async vitepress({ text, siteFolder }) {
    const config = readJson(text) ?? (await configOf(text));
    const source = joinFile(siteFolder, textAt(config as Value, 'srcDir') ?? '');
    const base = joinPath(textAt(config as Value, 'base') ?? '/');
    return {
      pages: [{ folder: source, at: base }],
      ...facts(textAt(config as Value, 'title'), textAt(config as Value, 'sitemap', 'hostname')),
      base,
      baseRule: 'always',
      pathStyle: flagAt(config as Value, 'cleanUrls') ? 'kept' : 'html',
      anchors: 'vitepress',
      moves: movesIn(at(config as Value, 'rewrites')),
      statics: [joinFile(source, 'public'), source],
    };
  },

  async vuepress({ text, siteFolder }) {
    const config = await configOf(text);
    const base = joinPath(textAt(config, 'base') ?? '/');
    return {
      pages: [{ folder: siteFolder, at: base }],
      ...facts(textAt(config, 'title') ?? textAt(config, 'locales', '/', 'title'), undefined),
      base,
      baseRule: 'always',
      pathStyle: 'html',
      anchors: 'vuepress',
      statics: [joinFile(siteFolder, '.vuepress/public'), siteFolder],
    };
  },

  async starlight({ text, siteFolder, read }) {
    const values = text === '' ? undefined : await readScript(text);
    const config = settingsIn(values?.exported);
    const [call] = callsIn([values?.exported, values?.named], 'starlight');
    if (text !== '' && !call && !/starlight/i.test(text)) return undefined;
    const options = call?.args[0];
    const base = joinPath(textAt(config, 'base') ?? '/');
    const pages = joinFile(siteFolder, 'src/content/docs');
    const redirects = at(config, 'redirects');
    // One title, or one for each language.
    const titles = at(options, 'title');
    const title =
      textAt(options, 'title') ??
      textAt(titles, textAt(options, 'defaultLocale') ?? 'en') ??
      texts(isObject(titles) ? Object.values(titles) : [])[0];
    return {
      pages: [
        { folder: pages, at: base },
        { folder: joinFile(siteFolder, 'src/pages'), at: base, isOther: true },
      ],
      ...facts(title, textAt(config, 'site')),
      base,
      pathStyle:
        textAt(config, 'build', 'format') === 'file'
          ? 'html'
          : textAt(config, 'trailingSlash') === 'never'
            ? 'clean'
            : 'slash',
      anchors: 'astro',
      statics: [joinFile(siteFolder, 'public'), pages],
      redirects: Object.keys(isObject(redirects) ? redirects : {})
        .filter((from) => from.startsWith('/'))
        .map((from) => joinPath(base, from)),
      aliases: await readAliases(siteFolder, read),
    };
  },

  async mkdocs({ text, siteFolder, read }) {
    const own = (await readYaml(text)) ?? {};
    const above = own['INHERIT'];
    const inherited =
      typeof above === 'string' ? await read(joinFile(siteFolder, above)) : undefined;
    const config = { ...(inherited !== undefined && (await readYaml(inherited))), ...own };
    const folder = typeof config['docs_dir'] === 'string' ? config['docs_dir'] : 'docs';
    // `!ENV [SITE_URL, 'https://docs.acme.dev']` ends with what holds without the variable.
    const address = texts([config['site_url']].flat()).at(-1) ?? '';
    const base = joinPath(URL.canParse(address) ? new URL(address).pathname : '/');
    const toc = /\btoc:([\s\S]*?)(?=^\s{0,2}- |(?![\s\S]))/m.exec(text)?.[1] ?? '';
    const pages = joinFile(siteFolder, folder);
    return {
      pages: [{ folder: pages, at: base }],
      ...facts(texts([config['site_name']].flat()).at(-1), address || undefined),
      base,
      pathStyle: config['use_directory_urls'] === false ? 'html' : 'slash',
      anchors: /slugify:.{0,200}(pymdownx\.slugs|slugify_uni)/.test(toc)
        ? 'python-unicode'
        : 'python',
      statics: [pages],
      redirects: findAll(config, 'redirect_maps').flatMap((map) =>
        Object.keys(map ?? {}).map((file) =>
          joinPath(base, file.replace(/(^|\/)(index)?\.md$/, '')),
        ),
      ),
      extensions: [config['markdown_extensions'], config['plugins']].flatMap(namesIn),
      includePaths: includePathsIn(config, siteFolder, pages),
    };
  },

  async mdbook({ text, siteFolder, read }) {
    const config = (await readToml(text)) as Value;
    const source = joinFile(siteFolder, textAt(config, 'book', 'src') ?? 'src');
    const summary = (await read(joinFile(source, 'SUMMARY.md'))) ?? '';
    const address = textAt(config, 'output', 'html', 'site-url') ?? '/';
    const base = joinPath(URL.canParse(address) ? new URL(address).pathname : address);
    const redirects = at(config, 'output', 'html', 'redirect');
    return {
      pages: [{ folder: source, at: base }],
      ...facts(
        textAt(config, 'book', 'title'),
        URL.canParse(address) ? address : textAt(config, 'output', 'html', 'cname'),
      ),
      // Only chapters in the summary are pages.
      chapters: [...summary.matchAll(/\[([^[\]\n]*)\]\(<?([^()<>\s]+\.md)\b/g)].map(
        ([, title = '', file = '']) => [
          joinFile(source, decodePercent(file)),
          title.replaceAll(/[`*\\]/g, ''),
        ],
      ),
      base,
      pathStyle: 'html',
      anchors: 'mdbook',
      statics: [source],
      redirects: Object.keys(isObject(redirects) ? redirects : {}).map((from) =>
        joinPath(base, from),
      ),
    };
  },

  async nextra({ text, siteFolder, folder, read }) {
    if (text !== '' && !/nextra/i.test(text)) return undefined;
    const values = text === '' ? undefined : await readScript(text);
    const config = settingsIn(values?.exported);
    const base = joinPath(textAt(config, 'basePath') ?? '/');
    const [options] = callsIn([values?.exported, values?.named], 'nextra').flatMap(({ args }) =>
      args.filter((one) => textAt(one, 'contentDirBasePath') !== undefined),
    );
    const below = joinPath(base, textAt(options, 'contentDirBasePath') ?? '/');
    const starts = [
      'index.mdx',
      'index.md',
      '_meta.js',
      '_meta.ts',
      '_meta.tsx',
      '_meta.jsx',
      '_meta.json',
    ];
    const folders = ['content', 'src/content', 'pages', 'src/pages', 'app', 'src/app'];
    const all = folders.map((one): Mount => {
      const isApp = one.endsWith('app');
      return {
        folder: joinFile(siteFolder, one),
        at: isApp ? base : below,
        ...(isApp && { isApp }),
      };
    });
    const named = all.find((mount) => folder !== siteFolder && isIn(folder, mount.folder));
    const own =
      named ??
      (await firstWith(
        all,
        [
          ...starts,
          '_meta.global.tsx',
          '_meta.global.ts',
          '_meta.global.js',
          'layout.tsx',
          'layout.jsx',
        ],
        read,
      )) ??
      all[0];
    return {
      pages: own ? [own, ...all.filter(({ isApp }) => isApp && !own.isApp)] : [],
      ...(await nextMetadata(siteFolder, read)),
      base,
      baseRule: 'always',
      statics: [joinFile(siteFolder, 'public')],
      aliases: await readAliases(siteFolder, read),
    };
  },

  async fumadocs({ text, siteFolder, read }) {
    if (text !== '' && !/fumadocs/i.test(text)) return undefined;
    const values = text === '' ? undefined : await readScript(text);
    const dirs = callsIn([values?.exported, values?.named], 'defineDocs').flatMap(
      ({ args }) => textAt(args[0], 'dir') ?? [],
    );
    const names = ['lib/source', 'src/lib/source', 'app/source'].flatMap((name) =>
      ['.ts', '.tsx', '/index.ts', '/index.tsx'].map((ending) =>
        joinFile(siteFolder, name + ending),
      ),
    );
    const source = (await Promise.all(names.map((name) => read(name)))).find(Boolean);
    const loader = callsIn((await readScript(source ?? ''))?.named, 'loader').flatMap(({ args }) =>
      args.flatMap((one) => textAt(one, 'baseUrl') ?? []),
    );
    const pages = joinFile(siteFolder, dirs[0] ?? 'content/docs');
    return {
      pages: [{ folder: pages, at: joinPath(loader[0] ?? '/docs') }],
      ...(await nextMetadata(siteFolder, read)),
      statics: [joinFile(siteFolder, 'public')],
      aliases: await readAliases(siteFolder, read),
    };
  },

  async nuxt({ text, siteFolder, read }) {
    const config = await configOf(text);
    const parts = texts([...listAt(config, 'modules'), ...[at(config, 'extends')].flat()]);
    if (text !== '' && !parts.some((one) => /^(@nuxt\/content|docus)/.test(one))) return undefined;
    const base = joinPath(textAt(config, 'app', 'baseURL') ?? '/');
    // Nuxt 4 keeps the sources of the application in `app`, and the content beside it.
    const pages = joinFile(siteFolder, 'content');
    return {
      pages: [{ folder: pages, at: base }],
      ...facts(
        textAt(config, 'site', 'name') ?? textAt(config, 'llms', 'title'),
        textAt(config, 'site', 'url') ?? textAt(config, 'llms', 'domain'),
      ),
      base,
      anchors: 'nuxt',
      statics: [joinFile(siteFolder, 'public')],
      aliases: await readAliases(siteFolder, read),
    };
  },

  async docsify({ text, siteFolder, folder }) {
    if (siteFolder !== folder || (text !== '' && !/\$docsify/.test(text))) return undefined;
    const scripts = text.split(/<script\b/i).map((one) => one.slice(one.indexOf('>') + 1));
    const script = scripts.find((one) => one.includes('$docsify'))?.split(/<\/script/i)[0];
    const options =
      script === undefined ? undefined : (await readScript(script))?.named['$docsify'];
    const title = /<title>([^<]*)/i.exec(text)?.[1]?.trim();
    const name = textAt(options, 'name');
    return {
      pages: [{ folder, at: '/' }],
      ...facts(name?.includes('<') ? title : (name ?? title), undefined),
      pathStyle: 'hash',
      anchors: 'docsify',
      isRelativeToRoot: !flagAt(options, 'relativePath'),
      statics: [folder],
    };
  },

  mintlify({ text, siteFolder }) {
    const config = readJson(text) ?? {};
    // Any project may have a `docs.json`.
    if (text !== '' && !('navigation' in config)) return undefined;
    const openapi = findAll(config, 'openapi');
    const directories = openapi.flatMap((one) =>
      isObject(one) && 'directory' in one ? [joinPath(String(one['directory']))] : [],
    );
    const redirects = Array.isArray(config['redirects']) ? (config['redirects'] as unknown[]) : [];
    return {
      pages: [{ folder: siteFolder, at: '/' }],
      ...facts(textAt(config as Value, 'name'), undefined),
      generated: openapi.length > 0 ? ['/api-reference', ...directories] : [],
      redirects: redirects.flatMap((one) =>
        isObject(one) && 'source' in one
          ? [joinPath(String(one['source']).replace(/\/:[\w*].*$/, '/*'))]
          : [],
      ),
      isMarkdownMdx: true,
    };
  },
};

/** `'en/:rest*': ':rest*'`, and files by their names. Other patterns need a run. */
function movesIn(rewrites: Value): [from: string, to: string][] {
  return Object.entries(isObject(rewrites) ? rewrites : {}).flatMap(([from, to]) => {
    if (typeof to !== 'string') return [];
    const [, start, name] = /^([^:]*):(\w+)(?:\*|\(\.\*\))$/.exec(from) ?? [];
    if (start === undefined) return from.includes(':') ? [] : [[from, to]];
    const [end = '', ...rest] = to.split(/:\w+\*?/);
    return to.includes(`:${name}`) && rest.join('') === '' ? [[start, end]] : [];
  });
}

const configOf = async (text: string) =>
  text === '' ? undefined : settingsIn((await readScript(text))?.exported);

const texts = (values: readonly unknown[]) =>
  values.filter((one): one is string => typeof one === 'string' && one !== '');

const facts = (name: string | undefined, url: string | undefined) => ({
  ...(name !== undefined && { name }),
  ...(url !== undefined && { url }),
});

async function firstWith(
  mounts: readonly Mount[],
  files: readonly string[],
  read: SettingsInput['read'],
): Promise<Mount | undefined> {
  for (const mount of mounts) {
    // oxlint-disable-next-line no-await-in-loop -- the first one counts
    const found = await Promise.all(files.map((file) => read(joinFile(mount.folder, file))));
    if (found.some((one) => one !== undefined)) return mount;
  }
  return undefined;
}

/** The title and the address in the root layout of a Next.js site. */
async function nextMetadata(siteFolder: string, read: SettingsInput['read']) {
  const names = ['app', 'src/app'].flatMap((folder) =>
    ['tsx', 'jsx', 'ts', 'js'].map((ending) => joinFile(siteFolder, `${folder}/layout.${ending}`)),
  );
  const text = (await Promise.all(names.map((name) => read(name)))).find(Boolean);
  const named = text === undefined ? undefined : (await readScript(text))?.named['metadata'];
  const metadata = settingsIn(named);
  const address = at(metadata, 'metadataBase');
  const [url] = isCall(address ?? null) ? texts((address as { args: Value[] }).args) : [];
  // `%s | Acme`: the template has the name alone.
  const [before = '', after = ''] = textAt(metadata, 'title', 'template')?.split('%s') ?? [];
  const template = trimOf(before + after, ' |–—·:-') || undefined;
  const name =
    textAt(metadata, 'applicationName') ??
    template ??
    textAt(metadata, 'title', 'default') ??
    textAt(metadata, 'title');
  return facts(name?.includes('%s') ? undefined : name, url);
}

/** The folder of pages to read, and the mounts with the one that contains it first. */
export function rootAndMounts(
  pages: readonly Mount[],
  folder: string,
): Pick<Layout, 'root' | 'mounts'> | undefined {
  const own =
    pages.find((mount) => !mount.isOther && isIn(folder, mount.folder)) ??
    // The whole project, or a part that contains the pages.
    pages.find((mount) => !mount.isOther && isIn(mount.folder, folder));
  if (!own) return undefined;
  return {
    root: isIn(folder, own.folder) ? folder : own.folder,
    mounts: [own, ...pages.filter((mount) => mount !== own)],
  };
}

const maxVersions = 200;

interface DocsInstance {
  id: string;
  path: string;
  route: string;
  options: Value;
}

/** The options of every plugin whose name ends like this. */
function pluginsOf(config: Value, name: string): Value[] {
  return listAt(config, 'plugins').flatMap((one) => {
    const [plugin, options] = Array.isArray(one) ? one : [one];
    // `require.resolve('@docusaurus/…')` is the same.
    const id = isCall(plugin ?? null) ? texts((plugin as { args: Value[] }).args)[0] : plugin;
    return typeof id === 'string' && id.endsWith(name) ? [options] : [];
  });
}

/** The docs of the preset, and those of further docs plugins. */
function docsInstances(config: Value): DocsInstance[] {
  const presets = listAt(config, 'presets').flatMap((one) =>
    Array.isArray(one) ? [at(one[1], 'docs')] : [],
  );
  const all = [
    ...presets.filter((docs) => isObject(docs)),
    ...pluginsOf(config, 'plugin-content-docs'),
  ];
  const found = all.length > 0 || presets.includes(false) ? all : [undefined];
  return found.map((options) => ({
    id: textAt(options, 'id') ?? 'default',
    path: textAt(options, 'path') ?? 'docs',
    route: textAt(options, 'routeBasePath') ?? 'docs',
    options,
  }));
}

/** The folders of all versions, and which one is shown at the route itself. */
async function docusaurusVersions(
  { id, path, route, options }: DocsInstance,
  read: SettingsInput['read'],
): Promise<{ folder: string; at: string; isShown: boolean }[]> {
  const prefix = id === 'default' ? '' : `${id}_`;
  const list: unknown = readJson((await read(`${prefix}versions.json`)) ?? '');
  const names = Array.isArray(list) ? texts(list).slice(0, maxVersions) : [];
  const last = textAt(options, 'lastVersion') ?? names[0] ?? 'current';
  return ['current', ...names].map((name) => {
    const set = at(options, 'versions', name, 'path');
    const usual = name === last ? '' : name === 'current' ? 'next' : name;
    return {
      folder: name === 'current' ? path : `${prefix}versioned_docs/version-${name}`,
      at: joinPath(route, typeof set === 'string' ? set : usual),
      isShown: name === last,
    };
  });
}

/** `- search`, `- search: {}`, or `search: {}`. */
function namesIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(namesIn);
  return isObject(value) ? Object.keys(value) : [];
}

/** The folders at which snippets and the like start, from the settings of MkDocs' extensions. */
function includePathsIn(config: unknown, siteFolder: string, pages: string): string[] {
  const extensions = ['pymdownx.snippets', 'mdx_include', 'markdown_include.include'];
  return extensions
    .flatMap((name) => findAll(config, name))
    .flatMap((options) => (isObject(options) ? options['base_path'] : undefined))
    .filter((path) => typeof path === 'string')
    .map((path) =>
      path.startsWith('$docs_dir')
        ? joinFile(pages, path.slice(9))
        : joinFile(siteFolder, path.replace(/^\$config_dir/, '')),
    );
}

/** `"@components/*": ["./components/*"]` in the settings of TypeScript. */
async function readAliases(
  siteFolder: string,
  read: SettingsInput['read'],
): Promise<Record<string, string>> {
  const names = ['tsconfig.json', 'jsconfig.json'].map((name) => joinFile(siteFolder, name));
  const [first, second] = await Promise.all(names.map((name) => read(name)));
  // JSON with comments is an object of JavaScript.
  const config = (await readScript(`export default ${first ?? second ?? '{}'}`))?.exported;
  const base = joinFile(siteFolder, textAt(config, 'compilerOptions', 'baseUrl') ?? '');
  const paths = at(config, 'compilerOptions', 'paths');
  return Object.fromEntries(
    Object.entries(isObject(paths) ? paths : {}).flatMap(([alias, to]) => {
      const [target] = Array.isArray(to) ? texts(to) : [];
      return alias.endsWith('/*') && target !== undefined
        ? [[alias.slice(0, -1), joinFile(base, target.split('*')[0] ?? '')]]
        : [];
    }),
  );
}
