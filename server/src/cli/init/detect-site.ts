/** What a folder says about its documentation site: generator, pages, name, and addresses. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, parse, relative, resolve, sep } from 'node:path';
import { joinFile } from '../../docs/generators/paths.ts';
import { type Generator, type Layout, readLayout } from '../../docs/generators/layout.ts';
import { readJson, yamlObject } from '../../docs/generators/settings-text.ts';
import { textSetting, withoutComments } from '../../docs/generators/settings-text.ts';
import { walkFolder } from '../../docs/sources/folder-source.ts';
import { DocentError } from '../../platform/errors.ts';

export interface DetectedSite {
  generator: Generator;
  /** The folder of the settings. */
  siteFolder: string;
  /** The file of the settings. */
  settings?: string;
  /** The folder of the pages, relative to the folder that was looked at. */
  docs: string;
  name: string;
  /** The address of the published site, if the settings have a real one. */
  url?: string;
}

/** Where each generator's own server shows the site during development. */
export const developmentPorts: Record<Generator, number> = {
  docusaurus: 3000,
  vitepress: 5173,
  starlight: 4321,
  mkdocs: 8000,
  nextra: 3000,
  docsify: 3000,
  mintlify: 3000,
  plain: 8000,
};

/** Usual names of a folder of pages without a known generator. */
const usualFolders = ['docs', 'doc', 'documentation', 'content', 'pages', 'src', ''];

export async function detectSite(folder: string): Promise<DetectedSite> {
  const { root } = parse(resolve(folder));
  const inside = (path: string) => joinFile(resolve(path).slice(root.length).replaceAll(sep, '/'));
  const outside = (path: string) => join(root, path);
  const read = (path: string) => readFile(outside(path), 'utf8').catch(() => undefined);
  const below = (await foldersBelow(folder)).map(inside);
  const found = await readLayout({ folder: inside(folder), read, below });
  const isKnown = found.generator !== 'plain';
  const pages = isKnown ? outside(found.root) : await findPages(folder);
  // docsify's settings are in the folder of the pages.
  const layout = isKnown ? found : await readLayout({ folder: inside(pages), read });
  const siteFolder = outside(layout.siteFolder);
  const text = layout.config === undefined ? '' : ((await read(layout.config)) ?? '');
  const said = settingsOf(layout, text);
  const url = said.url !== undefined && isReal(said.url) ? new URL(said.url).origin : undefined;
  return {
    generator: layout.generator,
    siteFolder,
    ...(layout.config !== undefined && { settings: outside(layout.config) }),
    docs: relativeTo(folder, pages),
    name: said.name ?? (await nameOf(resolve(folder))),
    ...(url !== undefined && { url }),
  };
}

/** Settings may be in a subfolder: `docs/.vitepress`, `website/docusaurus.config.js`, `apps/docs/…`. */
async function foldersBelow(folder: string, levels = 2): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const own = entries
    .filter((one) => one.isDirectory() && !/^(\.|node_modules$)/.test(one.name))
    .map(({ name }) => join(folder, name));
  const deeper =
    levels > 1 ? await Promise.all(own.map((one) => foldersBelow(one, levels - 1))) : [];
  return [...own, ...deeper.flat()].slice(0, 500);
}

async function findPages(folder: string): Promise<string> {
  for (const name of usualFolders) {
    // oxlint-disable-next-line no-await-in-loop -- the first one that has pages counts
    const pages = await walkFolder({ folder: join(folder, name), onWarning: () => {} }).catch(
      () => [],
    );
    if (pages.length > 0) return join(folder, name);
  }
  throw new DocentError(
    'bad_request',
    `There are no Markdown files in ${resolve(folder)}. Run the command in the folder of your documentation site.`,
  );
}

function relativeTo(folder: string, path: string): string {
  const way = relative(resolve(folder), path).replaceAll(sep, '/');
  return way.startsWith('..') ? way : way === '' ? '.' : `./${way}`;
}

function settingsOf({ generator }: Layout, text: string): { name?: string; url?: string } {
  const data = generator === 'mkdocs' ? yamlObject(text) : readJson(text);
  const code = withoutComments(text);
  const setting = (...keys: string[]) => {
    for (const key of keys) {
      const value = data ? data[key] : textSetting(code, key);
      if (typeof value === 'string' && value.trim() !== '') return value;
    }
    return undefined;
  };
  const name = setting('title', 'site_name', 'name');
  const url = setting('url', 'site_url', 'site', 'hostname');
  return { ...(name !== undefined && { name }), ...(url !== undefined && { url }) };
}

/** Templates have invented addresses, to which no citation should lead. */
function isReal(url: string): boolean {
  return URL.canParse(url) && /^https?:/.test(url) && !/\bexample\b|\blocalhost\b/.test(url);
}

async function nameOf(folder: string): Promise<string> {
  const manifest = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '');
  const name = readJson(manifest)?.['name'];
  return typeof name === 'string' && name !== '' ? name : basename(folder) || 'Docs';
}

/** A site's identifier: lowercase letters, digits, and dashes. */
export function domainOf(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 60) || 'docs';
}
