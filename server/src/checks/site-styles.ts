/** How the generators of documentation sites lay their files out, read from their configuration without running it. */
import { posix } from 'node:path';
import { parse } from 'yaml';
import type { DocsFiles } from '../files/tree.ts';

export type Style = 'mintlify' | 'docusaurus' | 'vitepress' | 'starlight' | 'mkdocs' | 'plain';

/** A folder of pages, and where it stands on the site. */
export interface Mount {
  folder: string;
  /** `/` or `/docs`. */
  at: string;
}

export interface SiteStyle {
  style: Style;
  /** Folder of the generator's configuration. */
  siteFolder: string;
  mounts: Mount[];
  /** Folders whose files are served as they are. */
  statics: string[];
  /** Beginnings of paths that are made when the site is built, such as an API reference. */
  generated: string[];
  /** Paths that lead on; a `*` at the end stands for anything. */
  redirects: string[];
  /** Whether `.md` files are MDX too. */
  isMarkdownMdx: boolean;
  /** The file that says all this. */
  config?: string;
}

const configFiles: readonly [RegExp, Style][] = [
  [/(^|\/)(docs|mint)\.json$/, 'mintlify'],
  [/(^|\/)docusaurus\.config\.[cm]?[jt]s$/, 'docusaurus'],
  [/(^|\/)\.vitepress\/config\.[cm]?(js|ts|json)$/, 'vitepress'],
  [/(^|\/)\.vitepress\/config\/index\.[cm]?[jt]s$/, 'vitepress'],
  [/(^|\/)mkdocs\.ya?ml$/, 'mkdocs'],
  [/(^|\/)astro\.config\.[cm]?[jt]s$/, 'starlight'],
];

/** Finds the configuration that is nearest to the docs folder: in it, above it, or just below. */
export async function readStyle(
  files: DocsFiles,
  root: string,
  signal?: AbortSignal,
): Promise<SiteStyle> {
  const found: { path: string; style: Style; folder: string; distance: number }[] = [];
  for (const path of files.paths()) {
    const style = configFiles.find(([name]) => name.test(path))?.[1];
    if (style === undefined || path.includes('node_modules/')) continue;
    const folder = posix.dirname(path).replace(/(^|\/)\.vitepress(\/config)?$/, '') || '.';
    const distance = distanceOf(folder === '.' ? '' : folder, root);
    if (distance !== undefined)
      found.push({ path, style, folder: folder === '.' ? '' : folder, distance });
  }
  found.sort((a, b) => a.distance - b.distance);
  for (const { path, style, folder } of found.slice(0, 5)) {
    const text = (await files.read([path], signal)).get(path)?.toString('utf8') ?? '';
    const read = readers[style](text, folder, root);
    if (read) return { ...read, config: path };
  }
  return plain(root);
}

/** Folders between; above the docs folder counts less than below it. */
function distanceOf(folder: string, root: string): number | undefined {
  if (isIn(root, folder)) return 2 * (depth(root) - depth(folder));
  if (isIn(folder, root) && depth(folder) - depth(root) <= 3)
    return 2 * (depth(folder) - depth(root)) + 1;
  return undefined;
}

const depth = (path: string) => (path === '' ? 0 : path.split('/').length);

export function isIn(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

export function join(...parts: string[]): string {
  const path = posix.normalize(parts.filter(Boolean).join('/'));
  return path === '.' ? '' : path.replace(/^\/+|\/+$/g, '');
}

function plain(root: string): SiteStyle {
  const name = posix.basename(root);
  return {
    style: 'plain',
    siteFolder: root,
    // Sites often stand under a path that the folder does not show: `/docs/install` for `install.md`.
    mounts: [
      { folder: root, at: '/' },
      ...(name ? [{ folder: root, at: `/${name}` }] : [{ folder: 'docs', at: '/' }]),
    ],
    statics: staticsOf(root),
    generated: [],
    redirects: [],
    isMarkdownMdx: false,
  };
}

const staticsOf = (folder: string, ...more: string[]) => [
  ...new Set(
    ['', ...more].flatMap((one) => ['', 'public', 'static'].map((name) => join(folder, one, name))),
  ),
];

const quoted = (text: string, key: string): string[] =>
  [...text.matchAll(new RegExp(`\\b${key}\\s*:\\s*(['"\`])(.*?)\\1`, 'g'))].map(
    ([, , value = '']) => value,
  );

const asRoute = (path: string) => `/${path.replace(/^\/+|\/+$/g, '')}`;

const readers: Record<
  Style,
  (text: string, folder: string, root: string) => SiteStyle | undefined
> = {
  plain: (_, __, root) => plain(root),

  mintlify(text, folder) {
    const config = json(text);
    // A `docs.json` may be anybody's.
    if (!config || !('navigation' in config)) return undefined;
    const redirects = Array.isArray(config['redirects']) ? config['redirects'] : [];
    const openapi = findAll(config, 'openapi');
    const directories = openapi.flatMap((one) =>
      typeof one === 'object' && one !== null && 'directory' in one
        ? [asRoute(String(one.directory))]
        : [],
    );
    return {
      ...plain(folder),
      style: 'mintlify',
      mounts: [{ folder, at: '/' }],
      generated: openapi.length > 0 ? ['/api-reference', ...directories] : [],
      redirects: redirects.flatMap((one: unknown) =>
        typeof one === 'object' && one !== null && 'source' in one
          ? [asRoute(String(one.source).replace(/\/:[\w*]+.*$/, '/*'))]
          : [],
      ),
      isMarkdownMdx: true,
    };
  },

  docusaurus(text, folder) {
    const base = asRoute(quoted(text, 'baseUrl')[0] ?? '/');
    const prefixes = ['/docs', ...quoted(text, 'routeBasePath').map(asRoute), '/'];
    const docs = [
      ...new Set([join(folder, 'docs'), ...quoted(text, 'path').map((path) => join(folder, path))]),
    ];
    const mounts = docs.flatMap((one) => prefixes.map((at) => ({ folder: one, at })));
    mounts.push({ folder: join(folder, 'src/pages'), at: '/' });
    return {
      ...plain(folder),
      style: 'docusaurus',
      mounts: withBase(mounts, base),
      statics: [join(folder, 'static'), folder],
      generated: ['/blog', '/search', '/tags', '/docs/tags', '/docs/category', '/category'],
      redirects: quoted(text, 'from').map(asRoute),
      isMarkdownMdx: !/\bformat\s*:\s*['"](md|detect)['"]/.test(text),
    };
  },

  vitepress(text, folder) {
    const source = join(folder, quoted(text, 'srcDir')[0] ?? '');
    return {
      ...plain(folder),
      style: 'vitepress',
      mounts: withBase([{ folder: source, at: '/' }], asRoute(quoted(text, 'base')[0] ?? '/')),
      statics: [join(source, 'public'), source],
    };
  },

  mkdocs(text, folder) {
    const config = yaml(text);
    const docs = join(
      folder,
      typeof config?.['docs_dir'] === 'string' ? config['docs_dir'] : 'docs',
    );
    const maps = findAll(config, 'redirect_maps');
    return {
      ...plain(folder),
      style: 'mkdocs',
      mounts: [{ folder: docs, at: '/' }],
      statics: [docs],
      redirects: maps.flatMap((map) =>
        Object.keys(map ?? {}).map((file) => asRoute(file.replace(/(^|\/)(index)?\.md$/, ''))),
      ),
    };
  },

  starlight(text, folder) {
    if (!/starlight/i.test(text)) return undefined;
    const docs = join(folder, 'src/content/docs');
    const mounts = [
      { folder: docs, at: '/' },
      { folder: join(folder, 'src/pages'), at: '/' },
    ];
    const redirects = /\bredirects\s*:\s*\{([^}]*)\}/.exec(text)?.[1] ?? '';
    return {
      ...plain(folder),
      style: 'starlight',
      mounts: withBase(mounts, asRoute(quoted(text, 'base')[0] ?? '/')),
      statics: [join(folder, 'public'), docs],
      redirects: [...redirects.matchAll(/['"](\/[^'"]*)['"]\s*:/g)].map(([, from = '']) =>
        asRoute(from),
      ),
    };
  },
};

/** With and without the base: generators differ in whether authors write it. */
function withBase(mounts: Mount[], base: string): Mount[] {
  if (base === '/') return mounts;
  return [...mounts, ...mounts.map(({ folder, at }) => ({ folder, at: asRoute(`${base}${at}`) }))];
}

export function json(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

export function yaml(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = parse(text, { logLevel: 'silent' });
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Every value that has this key, however deep. */
export function findAll(value: unknown, key: string): object[] | unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one) => findAll(one, key));
  return Object.entries(value).flatMap(([name, inner]) =>
    name === key ? [inner as unknown] : findAll(inner, key),
  );
}
