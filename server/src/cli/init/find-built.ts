/** Sites of generators whose pages are known only once they're built: how to build them, and where that goes. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scripts } from '../../docs/generators/layout.ts';
import { readScript } from '../../docs/generators/read-script.ts';
import { at, settingsIn, textAt, type Value } from '../../docs/generators/script-values.ts';
import { readJson, tomlObject, yamlObject } from '../../docs/generators/settings-text.ts';

export interface BuiltSite {
  generator: string;
  /** Builds the site into `output`. */
  command: string;
  output: string;
  name?: string | undefined;
  url?: string | undefined;
  /** The file of its settings, and the folder of the site. */
  settings?: string;
  folder?: string;
  /** Where its own server shows the site during development. */
  port?: number;
  /** The folders that its sources in Markdown may be in. */
  pages?: string[];
}

type Read = (text: string, folder: string) => BuiltSite | undefined;

const toml = (text: string) => tomlObject(text) as Value;
const yaml = (text: string) => yamlObject(text) as Value;
const json = (text: string) => readJson(text) as Value;
/** A text of Python's settings, such as `project = "Requests"`. */
const python = (text: string, name: string) =>
  new RegExp(`^[^\\S\\n]*${name}\\s*=\\s*[a-z]?(["'])(.*?)\\1`, 'm').exec(text)?.[2];

function hugo(settings: Value, folder: string): BuiltSite | undefined {
  const url = textAt(settings, 'baseURL') ?? textAt(settings, 'baseurl');
  if (url === undefined) return undefined;
  const language = textAt(settings, 'defaultContentLanguage') ?? 'en';
  const pages =
    textAt(settings, 'languages', language, 'contentDir') ??
    textAt(settings, 'contentDir') ??
    'content';
  const name = textAt(settings, 'title') ?? textAt(settings, 'languages', language, 'title');
  return {
    generator: 'Hugo',
    command: folder === '' ? 'hugo' : `hugo --source ${folder}`,
    output: join(folder, 'public'),
    port: 1313,
    name,
    url,
    // With several languages, each usually has a folder of its own.
    pages: [join(folder, pages, language), join(folder, pages)],
  };
}

const sphinx: Read = (text, folder) =>
  /^(extensions|project|master_doc|html_theme)\s*=|\bsphinx/m.test(text)
    ? {
        generator: 'Sphinx',
        command: `python -m sphinx -b html ${folder || '.'} ${join(folder, '_build/html')}`,
        output: join(folder, '_build/html'),
        name: python(text, 'project'),
        url: python(text, 'html_baseurl'),
      }
    : undefined;

const jekyll: Read = (text, folder) => {
  const settings = yaml(text);
  const url = textAt(settings, 'url');
  return {
    generator: 'Jekyll',
    command: `bundle exec jekyll build${folder && ` --source ${folder} --destination ${folder}/_site`}`,
    output: join(folder, '_site'),
    port: 4000,
    name: textAt(settings, 'title') ?? textAt(settings, 'name'),
    // The build has no folder for the path at which the site is.
    url: url && url + (textAt(settings, 'baseurl') ?? ''),
  };
};

const eleventy: Read = (_text, folder) => ({
  generator: 'Eleventy',
  command: 'npx @11ty/eleventy',
  output: join(folder, '_site'),
  port: 8080,
});

const docFx: Read = (text, folder) => ({
  generator: 'DocFX',
  command: `docfx build${folder && ` ${folder}/docfx.json`}`,
  output: join(folder, textAt(json(text), 'build', 'output') ?? '_site'),
  port: 8080,
  name: textAt(at(json(text), 'build', 'globalMetadata'), '_appTitle'),
});

const antora: Read = (text, folder) => ({
  generator: 'Antora',
  command: `npx antora ${join(folder, 'antora-playbook.yml')}`,
  output: join(folder, 'build/site'),
  name: textAt(yaml(text), 'site', 'title'),
  url: textAt(yaml(text), 'site', 'url'),
});

/** A part of a site whose playbook is in another repository. */
const antoraPart: Read = (text, folder) => ({
  generator: 'Antora',
  command: 'npx antora <your playbook>',
  output: 'build/site',
  name: textAt(yaml(text), 'title'),
  pages: [join(folder, 'modules')],
});

const quarto: Read = (text, folder) => {
  const settings = yaml(text);
  return textAt(settings, 'project', 'type') === undefined
    ? undefined
    : {
        generator: 'Quarto',
        command: `quarto render${folder && ` ${folder}`}`,
        output: join(folder, textAt(settings, 'project', 'output-dir') ?? '_site'),
        port: 4200,
        name: textAt(settings, 'website', 'title') ?? textAt(settings, 'book', 'title'),
        url: textAt(settings, 'website', 'site-url') ?? textAt(settings, 'book', 'site-url'),
      };
};

/** Their settings are programs. What isn't a literal at its place is left to the owner. */
const program = (text: string) => settingsIn(readScript(text)?.exported);

const vocs: Read = (text, folder) => {
  const settings = program(text);
  const root = textAt(settings, 'rootDir') ?? (folder === '' ? 'docs' : '');
  return {
    generator: 'Vocs',
    command: folder === '' ? 'npx vocs build' : `cd ${folder} && npx vocs build`,
    output: join(folder, root, 'dist'),
    port: 5173,
    name: textAt(settings, 'title'),
    url: textAt(settings, 'baseUrl'),
    pages: [join(folder, root, 'pages'), join(folder, 'pages'), join(folder, 'src/pages')],
  };
};

const rspress: Read = (text, folder) => {
  const settings = program(text);
  const language = textAt(settings, 'lang') ?? 'en';
  const root = textAt(settings, 'root') ?? 'docs';
  return {
    generator: 'Rspress',
    command: folder === '' ? 'npx rspress build' : `cd ${folder} && npx rspress build`,
    output: join(folder, textAt(settings, 'outDir') ?? 'doc_build'),
    port: 3000,
    name: textAt(settings, 'title'),
    url: textAt(settings, 'siteOrigin'),
    pages: [join(folder, root, language), join(folder, root)],
  };
};

const files: readonly (readonly [file: string, read: Read])[] = [
  ...['hugo', 'config', 'config/_default/hugo', 'config/_default/config'].flatMap((name) =>
    Object.entries({ toml, yaml, yml: yaml, json }).map(
      ([ending, parse]) =>
        [`${name}.${ending}`, (text: string, at: string) => hugo(parse(text), at)] as const,
    ),
  ),
  ['conf.py', sphinx],
  ['_config.yml', jekyll],
  ['antora-playbook.yml', antora],
  ['antora.yml', antoraPart],
  ['_quarto.yml', quarto],
  ...['vocs.config.tsx', ...scripts('vocs.config')].map((name) => [name, vocs] as const),
  ...scripts('rspress.config').map((name) => [name, rspress] as const),
  ['docfx.json', docFx],
  ...['.eleventy.js', ...scripts('eleventy.config')].map((name) => [name, eleventy] as const),
];

/** The site in a folder, or in a folder below, those of documentation first. Paths start at the folder. */
export async function findBuilt(folder: string): Promise<BuiltSite | undefined> {
  const usual = ['docs', 'doc', 'documentation', 'website', 'site'];
  // `docs/source/conf.py`, `docs/html/conf.py`.
  const inside = await Promise.all(usual.map((one) => foldersIn(folder, one)));
  const all = ['', ...usual, ...inside.flat(), ...(await foldersIn(folder, ''))];
  for (const below of new Set(all)) {
    for (const [file, read] of files) {
      // oxlint-disable-next-line no-await-in-loop -- the first one counts
      const text = await readFile(join(folder, below, file), 'utf8').catch(() => undefined);
      const found = text === undefined ? undefined : read(text, below);
      if (found) {
        const site = join(folder, below);
        return { ...found, folder: site, settings: join(site, file) };
      }
    }
  }
  return undefined;
}

async function foldersIn(folder: string, below: string): Promise<string[]> {
  const isExample = /^(\.|node_modules$|(examples?|fixtures?|tests?|templates?|themes?|vendor)$)/i;
  const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(() => []);
  return entries
    .flatMap((one) => (one.isDirectory() && !isExample.test(one.name) ? join(below, one.name) : []))
    .toSorted((one, other) => Number(/docs?$/i.test(other)) - Number(/docs?$/i.test(one)))
    .slice(0, 50);
}
