/** For each generator, what its settings say of addresses. `undefined`: the file belongs to something else. */
import { parse } from 'yaml';
import { joinPath, withoutOrder } from '../markdown/links.ts';
import type { Generator, Layout } from './layout.ts';
import { flagSetting, objectAt, textSetting, withoutComments } from './settings-text.ts';

export interface SettingsInput {
  text: string;
  /** From the folder of the settings to that of the pages: `docs/guides`, or `''`. */
  below: string;
  /** A file beside the settings. */
  read: (path: string) => Promise<string | undefined>;
}

type Found = Partial<Layout> | undefined;

export const readers: Record<Generator, (input: SettingsInput) => Found | Promise<Found>> = {
  plain: () => ({}),

  async docusaurus({ text, below, read }) {
    const code = withoutComments(text);
    const base = textSetting(code, 'baseUrl') ?? '/';
    const slash = flagSetting(code, 'trailingSlash');
    const rest = {
      pathStyle: slash === undefined ? 'kept' : slash ? 'slash' : 'clean',
    } as const;
    for (const instance of docsInstances(code)) {
      const versions = await docusaurusVersions(instance, read);
      if (below === '' && text !== '') {
        const shown = versions.find(({ isShown }) => isShown);
        if (shown) return { ...rest, root: shown.folder, basePath: joinPath(base, shown.at) };
      }
      for (const { folder, at } of versions) {
        const inside = insideOf(below, folder);
        if (inside !== undefined) {
          return { ...rest, basePath: joinPath(base, at, withoutOrder(inside)) };
        }
      }
    }
    return text === '' ? { ...rest, basePath: '/docs' } : undefined;
  },

  vitepress({ text, below }) {
    const code = withoutComments(text);
    const source = trim(textSetting(code, 'srcDir') ?? '');
    return {
      ...rootAndBase(below, source, textSetting(code, 'base') ?? '/'),
      pathStyle: flagSetting(code, 'cleanUrls') ? 'kept' : 'html',
      anchors: 'vitepress',
    };
  },

  starlight({ text, below }) {
    const code = withoutComments(text);
    if (text !== '' && !/starlight/i.test(code)) return undefined;
    const isFile = textSetting(code, 'format') === 'file';
    const pathStyle = isFile
      ? 'html'
      : textSetting(code, 'trailingSlash') === 'never'
        ? 'clean'
        : 'slash';
    return {
      ...rootAndBase(below, 'src/content/docs', textSetting(code, 'base') ?? '/'),
      pathStyle,
      anchors: 'astro',
    };
  },

  mkdocs({ text, below }) {
    const config = yaml(text);
    const folder = typeof config['docs_dir'] === 'string' ? config['docs_dir'] : 'docs';
    const address = typeof config['site_url'] === 'string' ? config['site_url'] : '';
    const base = URL.canParse(address) ? new URL(address).pathname : '/';
    const toc = /\btoc:([\s\S]*?)(?=^\s{0,2}- |(?![\s\S]))/m.exec(text)?.[1] ?? '';
    return {
      ...rootAndBase(below, trim(folder), base),
      pathStyle: config['use_directory_urls'] === false ? 'html' : 'slash',
      anchors: /slugify:.*(pymdownx\.slugs|slugify_unicode|slugify_uni)/.test(toc)
        ? 'python-unicode'
        : 'python',
    };
  },

  nextra({ text, below }) {
    const code = withoutComments(text);
    if (text !== '' && !/nextra/i.test(code)) return undefined;
    const folder = ['content', 'src/content', 'pages', 'src/pages'].find(
      (one) => insideOf(below, one) !== undefined,
    );
    const at = textSetting(code, 'contentDirBasePath') ?? '/';
    return rootAndBase(
      below,
      folder ?? 'content',
      joinPath(textSetting(code, 'basePath') ?? '/', at),
    );
  },

  docsify: ({ text, below }) =>
    below === '' && (text === '' || /\$docsify/.test(text)) ? { pathStyle: 'hash' } : undefined,
};

/** Where the pages are, where the folder is the whole project, or a part of the pages. */
function rootAndBase(
  below: string,
  source: string,
  base: string,
): Pick<Layout, 'root' | 'basePath'> {
  const inside = insideOf(below, source);
  if (inside !== undefined) return { root: '', basePath: joinPath(base, inside) };
  const isAbove = below === '' || source.startsWith(`${below}/`);
  return {
    root: isAbove ? trim(source.slice(below.length)) : '',
    basePath: joinPath(base),
  };
}

/** What of a path is below a folder; `undefined`: it is elsewhere. */
function insideOf(path: string, folder: string): string | undefined {
  if (folder === '') return path;
  if (path === folder) return '';
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
}

const trim = (path: string) => path.replace(/^(\.?\/)+|\/+$/g, '').replace(/^\.$/, '');

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
      path: trim(textSetting(object.own, 'path') ?? 'docs'),
      route: textSetting(object.own, 'routeBasePath') ?? 'docs',
      text: object.whole,
    });
  };
  for (const { index } of code.matchAll(/plugin-content-docs['"]/g)) {
    const next = /^plugin-content-docs['"]\s*,\s*\{/.exec(code.slice(index));
    if (next) add(index, 'push');
  }
  const preset = /(?<![\w.])docs\s*:\s*\{/.exec(code);
  // Of a whole project, the docs of the preset are read.
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
  const names = list((await read(`${prefix}versions.json`)) ?? '');
  const last = textSetting(text, 'lastVersion') ?? names[0] ?? 'current';
  const settings = /(?<![\w.])versions\s*:\s*\{/.exec(text);
  const versions = settings ? (objectAt(text, settings.index)?.whole ?? '') : '';
  return ['current', ...names].map((name) => {
    const key = new RegExp(`(?<![\\w.])['"]?${name.replaceAll('.', '\\.')}['"]?\\s*:\\s*\\{`);
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

function list(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

function yaml(text: string): Record<string, unknown> {
  try {
    // Tags of Python's own, such as `!!python/name`, are no fault.
    const value: unknown = parse(text, { logLevel: 'silent' });
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
