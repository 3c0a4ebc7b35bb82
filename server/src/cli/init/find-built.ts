/** Sites of generators whose pages are known only once they're built: how to build them, and where that goes. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { at, textAt, type Value } from '../../docs/generators/script-values.ts';
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
    command: 'hugo',
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
    command: 'bundle exec jekyll build',
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
  command: 'docfx build',
  output: join(folder, textAt(readJson(text) as Value, 'build', 'output') ?? '_site'),
  port: 8080,
  name: textAt(at(readJson(text) as Value, 'build', 'globalMetadata'), '_appTitle'),
});

const antora: Read = (text, folder) => ({
  generator: 'Antora',
  command: 'npx antora antora-playbook.yml',
  output: join(folder, 'build/site'),
  name: textAt(yaml(text), 'site', 'title'),
  url: textAt(yaml(text), 'site', 'url'),
});

const files: readonly (readonly [file: string, read: Read])[] = [
  ['hugo.toml', (text, folder) => hugo(toml(text), folder)],
  ['hugo.yaml', (text, folder) => hugo(yaml(text), folder)],
  ['hugo.yml', (text, folder) => hugo(yaml(text), folder)],
  ['hugo.json', (text, folder) => hugo(readJson(text) as Value, folder)],
  ['config.toml', (text, folder) => hugo(toml(text), folder)],
  ['config.yaml', (text, folder) => hugo(yaml(text), folder)],
  ['config.yml', (text, folder) => hugo(yaml(text), folder)],
  ['config/_default/hugo.toml', (text, folder) => hugo(toml(text), folder)],
  ['config/_default/config.toml', (text, folder) => hugo(toml(text), folder)],
  ['conf.py', sphinx],
  ['source/conf.py', (text, folder) => sphinx(text, join(folder, 'source'))],
  ['_config.yml', jekyll],
  ['antora-playbook.yml', antora],
  ['docfx.json', docFx],
  ...[
    '.eleventy.js',
    'eleventy.config.js',
    'eleventy.config.mjs',
    'eleventy.config.cjs',
    'eleventy.config.ts',
  ].map((name) => [name, eleventy] as const),
];

/** The site in a folder, or in its folder of documentation. Paths start at the folder. */
export async function findBuilt(folder: string): Promise<BuiltSite | undefined> {
  const entries = await readdir(folder).catch(() => []);
  const usual = ['', 'docs', 'doc', 'documentation', 'website', 'site'];
  const others = entries.filter((name) => /[-_.]docs?$/i.test(name) && !name.startsWith('.'));
  for (const below of [...usual, ...others]) {
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
