/** Reads the settings of each generator. `undefined`: the file belongs to something else. */
import { readScript, readToml } from '../parsing/parse.ts';
import { trimOf } from '../../platform/text.ts';
import { docusaurus } from './docusaurus-settings.ts';
import type { Generator } from '../../platform/config/docs-config.ts';
import type { Layout, Mount } from './layout.ts';
import { type LanguageSettings, languageTag } from './languages.ts';
import { mkdocs } from './mkdocs-settings.ts';
import { fumadocs, nextra } from './next-settings.ts';
import { decodePercent, isIn, joinFile, joinPath } from './paths.ts';
import {
  at,
  callsIn,
  entriesAt,
  flagAt,
  listAt,
  settingsIn,
  textAt,
  texts,
  type Value,
} from './script-values.ts';
import {
  configOf,
  type FoundSettings,
  globsIn,
  readAliases,
  scriptOf,
  type SettingsInput,
  unknownIn,
} from './settings-input.ts';
import { findAll, isObject, readJson } from './settings-text.ts';

export const readers: Record<
  Exclude<Generator, 'plain'>,
  (input: SettingsInput) => FoundSettings | Promise<FoundSettings>
> = {
  docusaurus,
  mkdocs,
  nextra,
  fumadocs,

  async vitepress({ text, file, siteFolder, read }) {
    const config = (readJson(text) as Value) ?? (await configOf({ text, file, read }));
    const source = joinFile(siteFolder, textAt(config, 'srcDir') ?? '');
    const base = joinPath(textAt(config, 'base') ?? '/');
    return {
      pages: [
        { folder: source, at: base, globs: { exclude: globsIn(listAt(config, 'srcExclude')) } },
      ],
      name: textAt(config, 'title'),
      url: textAt(config, 'sitemap', 'hostname'),
      unknown: unknownIn(config, 'title', 'sitemap.hostname', 'base', 'srcDir', 'rewrites'),
      base,
      baseRule: 'always',
      pathStyle: flagAt(config, 'cleanUrls') ? 'kept' : 'html',
      anchors: 'vitepress',
      moves: movesIn(at(config, 'rewrites')),
      languages: localesIn(config),
      statics: [joinFile(source, 'public'), source],
    };
  },

  async vuepress({ text, file, siteFolder, read }) {
    const config = await configOf({ text, file, read });
    const base = joinPath(textAt(config, 'base') ?? '/');
    return {
      pages: [{ folder: siteFolder, at: base }],
      name: textAt(config, 'title') ?? textAt(config, 'locales', '/', 'title'),
      unknown: unknownIn(config, 'title', 'base'),
      base,
      baseRule: 'always',
      pathStyle: 'html',
      anchors: 'vuepress',
      languages: localesIn(config),
      statics: [joinFile(siteFolder, '.vuepress/public'), siteFolder],
    };
  },

  async starlight({ text, file, siteFolder, read }) {
    const values = await scriptOf({ text, file, read });
    const config = settingsIn(values?.exported);
    const [call] = callsIn([values?.exported, values?.named], 'starlight');
    if (text !== '' && !call && !/starlight/i.test(text)) return undefined;
    const options = call?.args[0];
    const base = joinPath(textAt(config, 'base') ?? '/');
    const pages = joinFile(siteFolder, 'src/content/docs');
    // One title, or one for each language.
    const title =
      textAt(options, 'title') ??
      textAt(options, 'title', textAt(options, 'defaultLocale') ?? 'en') ??
      texts(entriesAt(options, 'title').map(([, one]) => one))[0];
    return {
      pages: [
        { folder: pages, at: base },
        { folder: joinFile(siteFolder, 'src/pages'), at: base, isOther: true },
      ],
      name: title,
      url: textAt(config, 'site'),
      unknown: [...unknownIn(config, 'site', 'base'), ...unknownIn(options, 'title')],
      builders: ['starlightTypeDoc', 'starlightOpenAPI'].filter(
        (name) => callsIn([values?.exported, values?.named], name).length > 0,
      ),
      base,
      pathStyle:
        textAt(config, 'build', 'format') === 'file'
          ? 'html'
          : textAt(config, 'trailingSlash') === 'never'
            ? 'clean'
            : 'slash',
      anchors: 'astro',
      languages: localesIn(options),
      statics: [joinFile(siteFolder, 'public'), pages],
      redirects: entriesAt(config, 'redirects').flatMap(([from]) =>
        from.startsWith('/') ? [joinPath(base, from)] : [],
      ),
      aliases: await readAliases(siteFolder, read),
    };
  },

  async mdbook({ text, siteFolder, read }) {
    const config = (await readToml(text)) as Value;
    const source = joinFile(siteFolder, textAt(config, 'book', 'src') ?? 'src');
    const summary = (await read(joinFile(source, 'SUMMARY.md'))) ?? '';
    const address = textAt(config, 'output', 'html', 'site-url') ?? '/';
    const base = joinPath(URL.canParse(address) ? new URL(address).pathname : address);
    return {
      pages: [{ folder: source, at: base }],
      name: textAt(config, 'book', 'title'),
      url: URL.canParse(address) ? address : textAt(config, 'output', 'html', 'cname'),
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
      redirects: entriesAt(config, 'output', 'html', 'redirect').map(([from]) =>
        joinPath(base, from),
      ),
    };
  },

  async nuxt({ text, file, siteFolder, read }) {
    const config = await configOf({ text, file, read });
    const parts = texts([...listAt(config, 'modules'), ...[at(config, 'extends')].flat()]);
    if (text !== '' && !parts.some((one) => /^(@nuxt\/content|docus)/.test(one))) return undefined;
    const base = joinPath(textAt(config, 'app', 'baseURL') ?? '/');
    // Nuxt 4 keeps the sources of the application in `app`, and the content beside it.
    const pages = joinFile(siteFolder, 'content');
    return {
      pages: [{ folder: pages, at: base }],
      name: textAt(config, 'site', 'name') ?? textAt(config, 'llms', 'title'),
      url: textAt(config, 'site', 'url') ?? textAt(config, 'llms', 'domain'),
      unknown: unknownIn(config, 'site.name', 'site.url', 'app.baseURL'),
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
      name: name?.includes('<') ? title : (name ?? title),
      pathStyle: 'hash',
      anchors: 'docsify',
      isRelativeToRoot: !flagAt(options, 'relativePath'),
      statics: [folder],
    };
  },

  mintlify({ text, siteFolder }) {
    const config = (readJson(text) ?? {}) as { [key: string]: Value };
    // Any project may have a `docs.json`.
    if (text !== '' && !('navigation' in config)) return undefined;
    const openapi = findAll(config, 'openapi');
    const directories = openapi.flatMap((one) =>
      isObject(one) && 'directory' in one ? [joinPath(String(one['directory']))] : [],
    );
    const redirects = Array.isArray(config['redirects']) ? (config['redirects'] as unknown[]) : [];
    return {
      pages: [{ folder: siteFolder, at: '/' }],
      name: textAt(config, 'name'),
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

/** `locales` of VitePress (`fr`, `root`), VuePress (`/fr/`, `/`), and Starlight (`fr`, `root`). */
function localesIn(config: Value): LanguageSettings {
  const tags = entriesAt(config, 'locales').map(([name, one]): [string, string | undefined] => {
    const folder = trimOf(name, '/');
    return [folder === 'root' ? '' : folder, textAt(one, 'lang') ?? languageTag(folder)];
  });
  return {
    main: tags.find(([name]) => name === '')?.[1] ?? textAt(config, 'lang'),
    tags: Object.fromEntries(
      tags.flatMap(([name, tag]) => (name !== '' && tag !== undefined ? [[name, tag]] : [])),
    ),
  };
}

/** `'en/:rest*': ':rest*'`, and files by their names. Other patterns need a run. */
function movesIn(rewrites: Value): [from: string, to: string][] {
  return entriesAt(rewrites).flatMap(([from, to]) => {
    if (typeof to !== 'string') return [];
    const [, start, name] = /^([^:]*):(\w+)(?:\*|\(\.\*\))$/.exec(from) ?? [];
    if (start === undefined) return from.includes(':') ? [] : [[from, to]];
    const [end = '', ...rest] = to.split(/:\w+\*?/);
    return to.includes(`:${name}`) && rest.join('') === '' ? [[start, end]] : [];
  });
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
