/** Reads the settings of each generator as text. `undefined`: the file belongs to something else. */
import type { Generator, Layout, Mount } from './layout.ts';
import { readYaml } from '../parsing/parse.ts';
import { isIn, joinFile, joinPath } from './paths.ts';
import {
  findAll,
  flagSetting,
  isObject,
  objectAt,
  readJson,
  textSetting,
  textSettings,
  withoutComments,
} from './settings-text.ts';

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
    const code = withoutComments(text);
    const base = joinPath(textSetting(code, 'baseUrl') ?? '/');
    const slash = flagSetting(code, 'trailingSlash');
    const pages: Mount[] = [];
    for (const instance of docsInstances(code)) {
      const versions = await docusaurusVersions(instance, (file) =>
        read(joinFile(siteFolder, file)),
      );
      pages.push(
        ...versions
          // Where a whole project is read, the version shown at the route itself comes first.
          .toSorted((one, other) => Number(other.isShown) - Number(one.isShown))
          .map(({ folder, at }) => ({
            folder: joinFile(siteFolder, folder),
            at: joinPath(base, at),
          })),
      );
    }
    return {
      pages: [...pages, { folder: joinFile(siteFolder, 'src/pages'), at: base, isOther: true }],
      base,
      baseRule: 'missing',
      pathStyle: slash === undefined ? 'kept' : slash ? 'slash' : 'clean',
      statics: [joinFile(siteFolder, 'static'), siteFolder],
      generated: ['blog', 'search', 'tags', 'docs/tags', 'docs/category', 'category'].map((one) =>
        joinPath(base, one),
      ),
      redirects: textSettings(code, 'from').map((from) => joinPath(base, from)),
      isMarkdownMdx: !/\bformat\s*:\s*['"](md|detect)['"]/.test(code),
    };
  },

  vitepress({ text, siteFolder }) {
    const code = withoutComments(text);
    const source = joinFile(siteFolder, textSetting(code, 'srcDir') ?? '');
    const base = joinPath(textSetting(code, 'base') ?? '/');
    return {
      pages: [{ folder: source, at: base }],
      base,
      baseRule: 'always',
      pathStyle: flagSetting(code, 'cleanUrls') ? 'kept' : 'html',
      anchors: 'vitepress',
      statics: [joinFile(source, 'public'), source],
    };
  },

  async starlight({ text, siteFolder, read }) {
    const code = withoutComments(text);
    if (text !== '' && !/starlight/i.test(code)) return undefined;
    const base = joinPath(textSetting(code, 'base') ?? '/');
    const pages = joinFile(siteFolder, 'src/content/docs');
    const isFile = textSetting(code, 'format') === 'file';
    const isClean = textSetting(code, 'trailingSlash') === 'never';
    const redirects = /\bredirects\s*:\s*\{([^{}]*)\}/.exec(code)?.[1] ?? '';
    return {
      pages: [
        { folder: pages, at: base },
        { folder: joinFile(siteFolder, 'src/pages'), at: base, isOther: true },
      ],
      base,
      pathStyle: isFile ? 'html' : isClean ? 'clean' : 'slash',
      anchors: 'astro',
      statics: [joinFile(siteFolder, 'public'), pages],
      redirects: [...redirects.matchAll(/['"](\/[^'"]*)['"]\s*:/g)].map(([, from = '']) =>
        joinPath(base, from),
      ),
      aliases: await readAliases(siteFolder, read),
    };
  },

  async mkdocs({ text, siteFolder }) {
    const config = (await readYaml(text)) ?? {};
    const folder = typeof config['docs_dir'] === 'string' ? config['docs_dir'] : 'docs';
    const address = typeof config['site_url'] === 'string' ? config['site_url'] : '';
    const base = joinPath(URL.canParse(address) ? new URL(address).pathname : '/');
    const toc = /\btoc:([\s\S]*?)(?=^\s{0,2}- |(?![\s\S]))/m.exec(text)?.[1] ?? '';
    const pages = joinFile(siteFolder, folder);
    return {
      pages: [{ folder: pages, at: base }],
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
      includePaths: includePathsIn(config, siteFolder, pages),
    };
  },

  async nextra({ text, siteFolder, folder, read }) {
    const code = withoutComments(text);
    if (text !== '' && !/nextra/i.test(code)) return undefined;
    const base = joinPath(textSetting(code, 'basePath') ?? '/');
    const folders = ['content', 'src/content', 'pages', 'src/pages'].map((one) =>
      joinFile(siteFolder, one),
    );
    const own = folders.find((one) => isIn(folder, one)) ?? folders[0] ?? '';
    return {
      pages: [{ folder: own, at: joinPath(base, textSetting(code, 'contentDirBasePath') ?? '/') }],
      base,
      baseRule: 'always',
      statics: [joinFile(siteFolder, 'public')],
      aliases: await readAliases(siteFolder, read),
    };
  },

  docsify({ text, siteFolder, folder }) {
    if (siteFolder !== folder || (text !== '' && !/\$docsify/.test(text))) return undefined;
    return {
      pages: [{ folder, at: '/' }],
      pathStyle: 'hash',
      anchors: 'docsify',
      isRelativeToRoot: !flagSetting(withoutComments(text), 'relativePath'),
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

/** Each of them is looked for in the settings. */
const maxInstances = 50;
const maxVersions = 200;

interface DocsInstance {
  id: string;
  path: string;
  route: string;
  /** The text of its settings. */
  text: string;
}

/** The docs of the preset, and those of further docs plugins. */
function docsInstances(code: string): DocsInstance[] {
  const instances: DocsInstance[] = [];
  const add = (at: number, where: 'push' | 'unshift'): void => {
    const object = objectAt(code, at);
    if (!object) return;
    instances[where]({
      id: textSetting(object.own, 'id') ?? 'default',
      path: textSetting(object.own, 'path') ?? 'docs',
      route: textSetting(object.own, 'routeBasePath') ?? 'docs',
      text: object.whole,
    });
  };
  const named = [...code.matchAll(/plugin-content-docs['"]/g)].slice(0, maxInstances);
  for (const { index } of named) {
    const next = /^plugin-content-docs['"]\s*,\s*\{/.exec(code.slice(index));
    if (next) add(index, 'push');
  }
  const preset = /(?<![\w.])docs\s*:\s*\{/.exec(code);
  if (preset) add(preset.index, 'unshift');
  if (instances.length === 0)
    instances.push({ id: 'default', path: 'docs', route: 'docs', text: '' });
  return instances;
}

/** The folders of all versions, and which one is shown at the route itself. */
async function docusaurusVersions(
  { id, path, route, text }: DocsInstance,
  read: SettingsInput['read'],
): Promise<{ folder: string; at: string; isShown: boolean }[]> {
  const prefix = id === 'default' ? '' : `${id}_`;
  const list: unknown = readJson((await read(`${prefix}versions.json`)) ?? '');
  const names = Array.isArray(list)
    ? list.filter((one) => typeof one === 'string').slice(0, maxVersions)
    : [];
  const last = textSetting(text, 'lastVersion') ?? names[0] ?? 'current';
  const settings = /(?<![\w.])versions\s*:\s*\{/.exec(text);
  const versions = settings ? (objectAt(text, settings.index)?.whole ?? '') : '';
  return ['current', ...names].map((name) => {
    const key = new RegExp(`(?<![\\w.])['"]?${name.replaceAll(/[^\w]/g, '\\$&')}['"]?\\s*:\\s*\\{`);
    const own = key.exec(versions);
    const set = own ? textSetting(objectAt(versions, own.index)?.own ?? '', 'path') : undefined;
    const usual = name === last ? '' : name === 'current' ? 'next' : name;
    return {
      folder: name === 'current' ? path : `${prefix}versioned_docs/version-${name}`,
      at: joinPath(route, set ?? usual),
      isShown: name === last,
    };
  });
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
  // With its comments: a path such as `@app/*` would start one.
  const text = first ?? second ?? '';
  const base = joinFile(siteFolder, textSetting(text, 'baseUrl') ?? '');
  const paths = /"paths"\s*:\s*\{([^{}]*)\}/.exec(text)?.[1] ?? '';
  return Object.fromEntries(
    [...paths.matchAll(/"([^"*]+\/)\*"\s*:\s*\[\s*"([^"*]*)\*?"/g)].map(
      ([, alias = '', to = '']) => [alias, joinFile(base, to)],
    ),
  );
}
