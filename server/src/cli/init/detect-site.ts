/** What a folder says about its documentation site: generator, pages, name, and addresses. */
import { existsSync, readdirSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, parse, relative, resolve, sep } from 'node:path';
import { joinFile, joinPath } from '../../docs/generators/paths.ts';
import {
  generators,
  type Layout,
  readLayout,
  type UnknownSetting,
} from '../../docs/generators/layout.ts';
import { languageTag } from '../../docs/generators/languages.ts';
import type { Generator } from '../../platform/config/docs-config.ts';
import { readJson } from '../../docs/generators/settings-text.ts';
import { type BuiltSite, findBuilt } from './find-built.ts';
import { walkFolder } from '../../docs/sources/folder-source.ts';
import { trimEndOf, trimOf } from '../../platform/text.ts';
import { DocentError } from '../../platform/errors.ts';

export interface DetectedSite {
  generator: Generator;
  /** A generator that is read from what it builds. */
  built?: BuiltSite;
  /** The folder of the built site, if it's read instead of the sources. */
  html?: string;
  /** Folders of other sites in the same project. */
  others: string[];
  /** The folder of the settings. */
  siteFolder: string;
  /** The file of the settings. */
  settings?: string;
  /** What it leaves to a run, which `init` does without. */
  unknown: readonly UnknownSetting[];
  /** Folders of translations, which are sources of their own. */
  translations: Translation[];
  /** The folder of the pages, relative to the folder that was looked at. */
  docs: string;
  name: string;
  /** The address of the published site, if the settings have a real one. */
  url?: string;
}

export interface Translation {
  folder: string;
  language: string;
  /** Where its pages start, if the settings don't tell. */
  basePath?: string;
}

/** Whose pages may ask: the published site's, and the generator's own server's. */
export function originsOf({ built, generator, url }: DetectedSite): string[] {
  const port = built?.port ?? generators[generator].port;
  return [
    ...(url === undefined ? [] : [new URL(url).origin]),
    `http://localhost:${port}`,
    `http://127.0.0.1:${port}`,
  ];
}

/** Usual names of a folder of pages without a known generator. */
const usualFolders = [
  'docs/content',
  'docs',
  'doc',
  'documentation',
  'content',
  'src/content',
  'pages',
  'src',
  '',
];

export async function detectSite(folder: string, html?: string): Promise<DetectedSite> {
  const { root } = parse(resolve(folder));
  const inside = (path: string) => joinFile(resolve(path).slice(root.length).replaceAll(sep, '/'));
  const outside = (path: string) => join(root, path);
  const read = (path: string) => readFile(outside(path), 'utf8').catch(() => undefined);
  const below = (await foldersBelow(folder)).map(inside);
  const found = await readLayout({ folder: inside(folder), read, below });
  const isKnown = found.generator !== 'plain';
  const built = isKnown ? undefined : await findBuilt(folder);
  const output = html ?? (built && join(folder, built.output));
  const isBuilt = output !== undefined && (await hasHtml(output));
  if (html !== undefined && !isBuilt) {
    throw new DocentError('bad_request', `There is no HTML file in ${html}. Build the site first.`);
  }
  // A folder of the settings may be missing, such as a version that a build makes.
  const folders = [found.root, ...found.mounts.flatMap((one) => (one.isOther ? [] : one.folder))];
  const there = folders.map(outside).find((one) => existsSync(one));
  const pages = isKnown
    ? (there ?? outside(found.root))
    : isBuilt
      ? resolve(folder)
      : resolve(await findPages(folder, built));
  // docsify's settings are in the folder of the pages.
  const layout = isKnown ? found : await readLayout({ folder: inside(pages), read });
  const siteFolder = outside(layout.siteFolder);
  const { name = built?.name, url: said = built?.url } = layout;
  // The generator's own settings tell the path below the origin, unless the address has another one.
  const address = (from: URL) =>
    built || joinPath(from.pathname) !== layout.base ? trimEndOf(from.href, '/') : from.origin;
  const isLeftOut = layout.unknown?.some(({ setting }) => /url|site|hostname/i.test(setting));
  const given =
    said ??
    (isLeftOut ? await manifestSays([folder, siteFolder], 'homepage', originOf) : undefined);
  const url = given !== undefined && isReal(given) ? address(new URL(given)) : undefined;
  return {
    generator: layout.generator,
    ...(built && { built }),
    ...(isBuilt && { html: relativeTo(folder, output) }),
    others: (layout.others ?? []).map((one) => relativeTo(folder, outside(one))),
    siteFolder,
    ...(layout.config !== undefined && { settings: outside(layout.config) }),
    unknown: layout.unknown ?? [],
    translations: isBuilt ? [] : translationsOf(folder, pages, layout, outside),
    docs: relativeTo(folder, pages),
    name: await nameOf(resolve(folder), siteFolder, name, url),
    ...(url !== undefined && { url }),
  };
}

/** The `i18n` of Docusaurus, and folders beside the one of the pages, as `docs/fr/docs` beside `docs/en/docs`. */
function translationsOf(
  folder: string,
  pages: string,
  { mounts, base }: Layout,
  outside: (path: string) => string,
): Translation[] {
  const isOther = (path: string) => path !== pages && existsSync(path);
  const own = mounts.flatMap(({ folder: path, language }) =>
    language !== undefined && isOther(outside(path))
      ? [{ folder: relativeTo(folder, outside(path)), language }]
      : [],
  );
  const parts = relative(resolve(folder), pages).split(sep);
  const at = parts.findLastIndex((part) => languageTag(part) !== undefined);
  if (at < 0) return own;
  const above = join(resolve(folder), ...parts.slice(0, at));
  const beside = readdirSync(above).flatMap((code) => {
    const path = join(above, code, ...parts.slice(at + 1));
    const language = languageTag(code);
    return language !== undefined && isOther(path)
      ? [{ folder: relativeTo(folder, path), language, basePath: joinPath(base, code) }]
      : [];
  });
  return [...own, ...beside.toSorted((one, other) => (one.folder < other.folder ? -1 : 1))];
}

/** Settings may be in a subfolder: `docs/.vitepress`, `website/docusaurus.config.js`, `packages/acme/src/docs`. */
async function foldersBelow(folder: string, levels = 2): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const own = entries
    .filter((one) => one.isDirectory() && !/^(\.|node_modules$)/.test(one.name))
    // Far below, only where documentation usually is.
    .filter(({ name }) => levels > 0 || /^(src|docs?|website|site|www)$/.test(name))
    .map(({ name }) => join(folder, name));
  const deeper =
    levels > -1 ? await Promise.all(own.map((one) => foldersBelow(one, levels - 1))) : [];
  return [...own, ...deeper.flat()].slice(0, 500);
}

const hasHtml = (folder: string) =>
  walkFolder({ folder, ending: /\.html?$/i, onWarning: () => {} }).then(
    (files) => files.length > 0,
    () => false,
  );

async function findPages(folder: string, built?: BuiltSite): Promise<string> {
  for (const name of [...(built?.pages ?? []), ...usualFolders]) {
    // oxlint-disable-next-line no-await-in-loop -- the first one that has pages counts
    const pages = await walkFolder({ folder: join(folder, name), onWarning: () => {} }).catch(
      () => [],
    );
    if (pages.length > 0) return join(folder, name);
  }
  throw new DocentError(
    'bad_request',
    built
      ? `${built.generator} builds this site, and its sources aren't Markdown. Build the site ("${built.command}" writes ${built.output}), and run "docent init --html ${built.output}".`
      : `There are no Markdown files in ${resolve(folder)}. Run the command in the folder of your documentation site.`,
  );
}

function relativeTo(folder: string, path: string): string {
  const way = relative(resolve(folder), path).replaceAll(sep, '/');
  return way.startsWith('..') ? way : way === '' ? '.' : `./${way}`;
}

/** Templates have invented addresses, to which no citation should lead. */
function isReal(url: string): boolean {
  return URL.canParse(url) && /^https?:/.test(url) && !/\bexample\b|\blocalhost\b/.test(url);
}

/** What the `package.json` of the first folder that says it has under a key. */
async function manifestSays(
  folders: Iterable<string>,
  key: string,
  read: (text: string) => string | undefined,
): Promise<string | undefined> {
  for (const folder of new Set(folders)) {
    // oxlint-disable-next-line no-await-in-loop -- the first one counts
    const manifest = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '');
    const value = readJson(manifest)?.[key];
    const said = typeof value === 'string' ? read(value) : undefined;
    if (said !== undefined) return said;
  }
  return undefined;
}

/** The origin of the page that the package names, unless that's the repository. */
function originOf(page: string): string | undefined {
  const url = URL.canParse(page) ? new URL(page) : undefined;
  return url && !/\b(github|gitlab|npmjs)\.com$/.test(url.host) ? url.origin : undefined;
}

/** The product that a package is named after. */
function productOf(name: string): string | undefined {
  const scope = /^@([^/]*)\//.exec(name)?.[1] ?? '';
  const bare = name
    .replace(/^@[^/]*\//, '')
    .replaceAll(/[-_.]?(docs|website|site|monorepo)\b/g, '');
  return [trimOf(bare, '-_.'), scope].find((one) => one !== '' && !isGeneric(one));
}

/** Names that say nothing of the product. */
const isGeneric = (name: string) =>
  /^(docs?|documentation|website|site|web|www|root|app|home|my[ -]?(docs|site)|(the )?monorepo|workspace)$/i.test(
    name,
  );

/** The settings' own name; or of the published address, the package, or the folder. */
async function nameOf(
  folder: string,
  siteFolder: string,
  said: string | undefined,
  url: string | undefined,
): Promise<string> {
  if (said !== undefined && !isGeneric(said)) return said;
  const [product] =
    url === undefined
      ? []
      : new URL(url).hostname.split('.').filter((one) => !isGeneric(one) && one !== 'dev');
  if (
    product !== undefined &&
    product.length > 2 &&
    !/^(github|gitlab|netlify|vercel)$/.test(product)
  ) {
    return product.charAt(0).toUpperCase() + product.slice(1);
  }
  // `[+]` and the like have no place in a name.
  const bare = basename(folder)
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return (await manifestSays([siteFolder, folder], 'name', productOf)) ?? said ?? (bare || 'Docs');
}

/** A site's identifier: lowercase letters, digits, and dashes. */
export function domainOf(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 60) || 'docs';
}
