import { trimOf } from '../../platform/text.ts';
import { readYaml } from '../parsing/parse.ts';
import { languageTag } from './languages.ts';
import { joinFile, joinPath } from './paths.ts';
import { at, flagAt, textAt, texts, type Value } from './script-values.ts';
import { type FoundSettings, globsIn, type SettingsInput } from './settings-input.ts';
import { findAll, isObject } from './settings-text.ts';

export async function mkdocs({ text, siteFolder, read }: SettingsInput): Promise<FoundSettings> {
  const settings = (await readYaml(text)) ?? {};
  const above = settings['INHERIT'];
  const inherited = typeof above === 'string' ? await read(joinFile(siteFolder, above)) : undefined;
  const config = { ...(inherited !== undefined && (await readYaml(inherited))), ...settings };
  const folder = typeof config['docs_dir'] === 'string' ? config['docs_dir'] : 'docs';
  // `!ENV [SITE_URL, 'https://docs.acme.dev']` ends with what holds without the variable.
  const address = texts([config['site_url']].flat()).at(-1) ?? '';
  const base = joinPath(URL.canParse(address) ? new URL(address).pathname : '/');
  // mike publishes each version below its name, and the newest one usually as `latest`.
  const [version = 'latest'] = texts([at(config as Value, 'extra', 'version', 'default')].flat());
  const isVersioned = textAt(config as Value, 'extra', 'version', 'provider') === 'mike';
  const url =
    base === '/' && URL.canParse(address) && isVersioned ? new URL(version, address).href : address;
  const translations = findAll(config['plugins'], 'i18n').find((one) => isObject(one));
  const list = Array.isArray(translations?.['languages'])
    ? (translations['languages'] as Value[])
    : [];
  const main = textAt(
    list.find((one) => flagAt(one, 'default')),
    'locale',
  );
  const isBySuffix = translations?.['docs_structure'] === 'suffix';
  // Each language may have settings in a folder of its own, as in `docs/fr/mkdocs.yml`.
  const language =
    textAt(config as Value, 'theme', 'language') ?? languageTag(siteFolder.split('/').at(-1) ?? '');
  const toc = /\btoc:([\s\S]*?)(?=^\s{0,2}- |(?![\s\S]))/m.exec(text)?.[1] ?? '';
  const pages = joinFile(siteFolder, folder);
  return {
    pages: [
      {
        folder: pages,
        at: base,
        globs: { exclude: ignored(config['exclude_docs']) },
        ...(list.length === 0 && language && { language }),
      },
    ],
    // The file above is made by a program.
    ...(inherited === undefined &&
      typeof above === 'string' && {
        unknown: ['site_name', 'site_url']
          .filter((setting) => !(setting in config))
          .map((setting) => ({ setting, line: 0 })),
      }),
    languages: { main, isBySuffix },
    ...(list.length > 0 && !isBySuffix && main !== undefined && { moves: [[`${main}/`, '']] }),
    name: texts([config['site_name']].flat()).at(-1),
    url: url || undefined,
    base,
    pathStyle: config['use_directory_urls'] === false ? 'html' : 'slash',
    anchors: /slugify:.{0,200}(pymdownx\.slugs|slugify_uni)/.test(toc)
      ? 'python-unicode'
      : 'python',
    statics: [pages],
    redirects: findAll(config, 'redirect_maps').flatMap((map) =>
      Object.keys(map ?? {}).map((file) => joinPath(base, file.replace(/(^|\/)(index)?\.md$/, ''))),
    ),
    builders: namesIn(config['plugins']).filter((name) =>
      /^(mkdocstrings|gen-files|api-autonav|autoapi|mkdoxy|macros)$/.test(name),
    ),
    extensions: [config['markdown_extensions'], config['plugins']].flatMap(namesIn),
    includePaths: includePathsIn(config, siteFolder, pages),
  };
}

/** `exclude_docs` is written as a `.gitignore` is. */
function ignored(value: unknown): string[] {
  const lines = typeof value === 'string' ? value.split('\n').map((line) => trimOf(line, ' ')) : [];
  return globsIn(
    lines.filter(Boolean).flatMap((line) => {
      const glob = trimOf(line, '/');
      const start = line.startsWith('/') || glob.includes('/') ? glob : `**/${glob}`;
      return [start, `${start}/**`];
    }),
  );
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
