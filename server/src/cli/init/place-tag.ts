/** Where the script tag goes for each generator, and the files that are written to put it there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DetectedSite } from './detect-site.ts';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { BaseServices } from '../../open-services.ts';
import type { KeyEditor } from '../../accounts/keys/keys.ts';
import type { Site } from '../../platform/tenants/sites.ts';

export interface Tag {
  /** The address of `docent.js`. */
  src: string;
  site: string;
  key: string;
}

export interface Place {
  /** The file that gets the tag, or where to look for it. */
  where: string;
  /** What to paste there. */
  snippet: string;
  /** The site has it already. */
  isDone?: true;
  /** New contents of files. Missing if only the owner can tell where the tag goes. */
  files?: Map<string, string>;
}

export function tagOf({ src, site, key }: Tag): string {
  return `<script src="${src}" data-site="${site}" data-key="${key}" async></script>`;
}

export function placeTag(site: DetectedSite, tag: Tag): Place {
  const place = placeOf(site, tag);
  const isThere = [place.where, ...(place.files?.keys() ?? [])].some((file) =>
    (textOf(file) ?? '').includes('/docent.js'),
  );
  return isThere ? { where: place.where, snippet: place.snippet, isDone: true } : place;
}

function placeOf({ generator, settings = '', siteFolder, built }: DetectedSite, tag: Tag): Place {
  if (built?.generator === 'Sphinx') return inSphinx(built.settings ?? '', tag);
  if (built?.folder !== undefined) {
    return inTemplate(built.folder, templates, tagOf(tag), theTemplate);
  }
  const attributes = (isAsync = 'true') =>
    `src: '${tag.src}', async: ${isAsync}, 'data-site': '${tag.site}', 'data-key': '${tag.key}'`;
  switch (generator) {
    case 'docusaurus':
      return inCode(settings, `scripts: [{ ${attributes()} }],`, /(?=\n[^\S\n]*title\s*:)/);
    case 'vitepress':
    case 'vuepress':
      return inCode(
        settings,
        `head: [['script', { ${attributes("''")} }]],`,
        /(?:define(?:User)?Config\(|export default)\s*\{/,
      );
    case 'starlight':
      return inCode(
        settings,
        `head: [{ tag: 'script', attrs: { ${attributes()} } }],`,
        /starlight\(\s*\{/,
      );
    case 'nuxt':
      return inCode(
        settings,
        `app: { head: { script: [{ ${attributes()} }] } },`,
        /defineNuxtConfig\(\s*\{/,
      );
    case 'mkdocs':
      return inMkDocs(settings, siteFolder, tag);
    case 'docsify':
      return inHtml(settings, tagOf(tag));
    case 'mintlify':
      return newFile(join(siteFolder, 'docent.js'), ownScript(tag));
    case 'nextra':
    case 'fumadocs':
      return inTemplate(siteFolder, ['app', 'src/app'], tagOf(tag), 'app/layout, inside <body>');
    case 'mdbook':
      return inMdBook(settings, siteFolder, tag);
    case 'plain':
      return { where: theTemplate, snippet: tagOf(tag) };
  }
}

const textOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);

/** Adds a line where an object of settings opens, unless it has the setting, or opens somewhere else than usual. */
function inCode(file: string, line: string, opens: RegExp): Place {
  const text = textOf(file) ?? '';
  const found = opens.exec(text);
  const isTaken = new RegExp(`\\b${line.split(':', 1)[0]}\\s*:`).test(text);
  if (!found || isTaken) return { where: file, snippet: line };
  const at = found.index + found[0].length;
  const indent = /^[^\S\n]*\n[^\S\n]*/.exec(text.slice(at))?.[0] ?? ' ';
  const changed = `${text.slice(0, at)}${indent}${line}${text.slice(at)}`;
  return { where: file, snippet: line, files: new Map([[file, changed]]) };
}

/** Adds to a list of settings where it opens, or else at the end of the file. */
function inList(text: string, opens: RegExp, item: (open: string[]) => string, atEnd: string) {
  const open = opens.exec(text);
  if (!open) return `${text}${text.endsWith('\n') ? '' : '\n'}\n${atEnd}\n`;
  const at = open.index + open[0].length;
  return text.slice(0, at) + item([...open]) + text.slice(at);
}

/** MkDocs' own list of scripts has no attributes. A hook works with every theme, and follows it. */
function inMkDocs(settings: string, siteFolder: string, tag: Tag): Place {
  const name = 'docent_hook.py';
  const { site, key } = tag;
  const url = tag.src.replace(/\/docent\.js$/, '');
  const hook = readFileSync(new URL(import.meta.resolve(`#plugins/${name}`)), 'utf8').replace(
    /^OPTIONS = .*$/m,
    () => `OPTIONS = ${JSON.stringify({ url, site, key })}`,
  );
  const text = textOf(settings) ?? '';
  const file = join(siteFolder, name);
  const place: Place = {
    where: settings,
    snippet: `hooks:\n  - ${name}\n\nand as ${file} ("docent init --yes" writes both):\n\n${hook}`,
  };
  if (textOf(file) !== undefined) return { ...place, where: file };
  const list = /^hooks\s*:[^\S\n]*\n(?=([^\S\n]*)-)/m;
  if (/^hooks\s*:/m.test(text) && !list.test(text)) return place;
  const item = ([, indent]: string[]) => `${indent}- ${name}\n`;
  const changed = inList(text, list, item, `hooks:\n  - ${name}`);
  return { ...place, files: new Map([[file, hook]]).set(settings, changed) };
}

/** A script of the book's own, which adds the tag. */
function inMdBook(settings: string, siteFolder: string, tag: Tag): Place {
  const name = 'docent.js';
  const file = join(siteFolder, name);
  const text = textOf(settings) ?? '';
  const line = `additional-js = ["${name}"]`;
  const place: Place = {
    where: settings,
    snippet: `[output.html]\n${line}\n\nand as ${file}:\n\n${ownScript(tag)}`,
  };
  if (textOf(file) !== undefined) return { ...place, where: file };
  const list = /^additional-js\s*=\s*\[/m;
  const changed = list.test(text)
    ? inList(text, list, () => `"${name}", `, '')
    : inList(text, /^\[output\.html\][^\S\n]*\n/m, () => `${line}\n`, `[output.html]\n${line}`);
  return { ...place, files: new Map([[file, ownScript(tag)]]).set(settings, changed) };
}

/** Sphinx writes attributes of its scripts as they are. */
function inSphinx(file: string, { src, site, key }: Tag): Place {
  const attributes = { 'data-site': site, 'data-key': key, async: 'async' };
  const script = `(${JSON.stringify(src)}, ${JSON.stringify(attributes)})`;
  const text = textOf(file) ?? '';
  const list = /^html_js_files\s*=\s*\[/m;
  const place: Place = { where: file, snippet: `html_js_files = [${script}]` };
  if (/\bhtml_js_files\b/.test(text) && !list.test(text)) return place;
  const changed = inList(text, list, () => `\n    ${script},`, place.snippet);
  return { ...place, files: new Map([[file, changed]]) };
}

const theTemplate = 'the template of your pages, before </body>';
/** Where Hugo, Jekyll, and Eleventy have the templates of a site. Those of a theme are elsewhere. */
const templates = ['layouts', '_layouts', '_includes', 'src/_layouts', 'src/_includes'];

/** The only template that has the end of a page. Of several, the owner knows which one. */
function inTemplate(site: string, folders: string[], tag: string, where: string): Place {
  const files = folders
    .map((name) => join(site, name))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((file) => /\.(html?|njk|liquid|[jt]sx)$/.test(file))
    .filter((file) => textOf(file)?.includes('</body>'));
  const [file = where] = files;
  return files.length === 1 ? inHtml(file, tag) : { where: file, snippet: tag };
}

function inHtml(file: string, tag: string): Place {
  const text = textOf(file) ?? '';
  const at = text.lastIndexOf('</body>');
  const place: Place = { where: file, snippet: tag };
  if (at < 0) return place;
  const line = text.slice(text.lastIndexOf('\n', at) + 1, at);
  const indent = line.trim() === '' ? line : '';
  const changed = `${text.slice(0, at)}${tag}\n${indent}${text.slice(at)}`;
  return { ...place, files: new Map([[file, changed]]) };
}

function newFile(file: string, text: string): Place {
  const place: Place = { where: file, snippet: text };
  return textOf(file) === undefined ? { ...place, files: new Map([[file, text]]) } : place;
}

/** Mintlify runs every script in the folder on every page, and mdBook those that it's told. */
const ownScript = ({ src, site, key }: Tag) => `const script = document.createElement('script');
script.src = '${src}';
script.dataset.site = '${site}';
script.dataset.key = '${key}';
document.body.append(script);
`;

/**
 * The public key that `docent init` puts into the script tag and `docent start` into its page. Every reader
 * of the site sees it, so it can be stored. A revoked one is replaced.
 */
export async function siteKey(
  { config, keys }: Pick<BaseServices, 'config' | 'keys'>,
  { domain, organization }: Pick<Site, 'domain' | 'organization'>,
  by?: KeyEditor,
): Promise<string> {
  const folder = join(config.server.dataFolder, 'site-keys');
  const file = join(folder, domain);
  const stored = await readFile(file, 'utf8').catch(() => '');
  if (stored !== '' && (await keys.find(stored))?.domain === domain) return stored;
  const name = 'Script tag';
  const { token } = await keys.create({ kind: 'assistant', organization, domain, name }, by);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(file, token, { mode: 0o600 });
  return token;
}
