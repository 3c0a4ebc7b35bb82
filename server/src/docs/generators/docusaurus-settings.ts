import type { Mount } from './layout.ts';
import { joinFile, joinPath } from './paths.ts';
import { at, flagAt, isCall, listAt, textAt, texts, type Value } from './script-values.ts';
import {
  configOf,
  type FoundSettings,
  globsIn,
  type SettingsInput,
  unknownIn,
} from './settings-input.ts';
import { isObject, readJson } from './settings-text.ts';

export async function docusaurus({
  text,
  file: settings,
  siteFolder,
  read,
}: SettingsInput): Promise<FoundSettings> {
  const config = await configOf({ text, file: settings, read });
  const base = joinPath(textAt(config, 'baseUrl') ?? '/');
  const slash = flagAt(config, 'trailingSlash');
  const pages: Mount[] = [];
  for (const instance of docsInstances(config)) {
    const versions = await docusaurusVersions(instance, (file) => read(joinFile(siteFolder, file)));
    pages.push(
      ...versions
        // Where a whole project is read, the version shown at the route itself comes first.
        .toSorted((one, other) => Number(other.isShown) - Number(one.isShown))
        .map(({ folder, at: below }) => ({
          folder: joinFile(siteFolder, folder),
          at: joinPath(base, below),
          globs: {
            include: globsIn(listAt(instance.options, 'include')),
            exclude: globsIn(listAt(instance.options, 'exclude')),
          },
        })),
    );
  }
  const main = textAt(config, 'i18n', 'defaultLocale') ?? 'en';
  const others = texts(listAt(config, 'i18n', 'locales')).filter((one) => one !== main);
  const translated = others.slice(0, maxInstances).flatMap((language) =>
    docsInstances(config).map(({ id, route }): Mount => ({
      folder: joinFile(
        siteFolder,
        `i18n/${language}/docusaurus-plugin-content-docs${id === 'default' ? '' : `-${id}`}/current`,
      ),
      at: joinPath(base, language, route),
      language,
    })),
  );
  const redirects = pluginsOf(config, 'plugin-client-redirects').flatMap((options) =>
    listAt(options, 'redirects').flatMap((one) => [at(one, 'from')].flat()),
  );
  return {
    languages: { main },
    pages: [
      ...pages,
      ...translated,
      { folder: joinFile(siteFolder, 'src/pages'), at: base, isOther: true },
    ],
    name: textAt(config, 'title'),
    url: textAt(config, 'url'),
    unknown: unknownIn(config, 'title', 'url', 'baseUrl'),
    builders: [...listAt(config, 'plugins'), ...listAt(config, 'presets')]
      .flatMap(pluginId)
      .filter((name) => /typedoc|openapi|redoc|graphql/i.test(name)),
    base,
    baseRule: 'missing',
    pathStyle: slash === undefined ? 'kept' : slash ? 'slash' : 'clean',
    statics: [joinFile(siteFolder, 'static'), siteFolder],
    generated: ['blog', 'search', 'tags', 'docs/tags', 'docs/category', 'category'].map((one) =>
      joinPath(base, one),
    ),
    redirects: texts(redirects).map((from) => joinPath(base, from)),
    isMarkdownMdx: !/^(md|detect)$/.test(textAt(config, 'markdown', 'format') ?? ''),
  };
}

/** Each of them is read. */
const maxInstances = 50;
const maxVersions = 200;

interface DocsInstance {
  id: string;
  path: string;
  route: string;
  options: Value;
}

/** The options of every plugin whose name ends like this. */
function pluginsOf(config: Value, name: string): Value[] {
  return listAt(config, 'plugins').flatMap((one) => {
    const [id] = pluginId(one);
    return id?.endsWith(name) ? [Array.isArray(one) ? one[1] : undefined] : [];
  });
}

/** The name of a plugin with or without options. `require.resolve('@docusaurus/…')` is the same. */
function pluginId(one: Value): string[] {
  const plugin = Array.isArray(one) ? one[0] : one;
  return texts(isCall(plugin) ? plugin.args : [plugin]).slice(0, 1);
}

/** The docs of the preset, and those of further docs plugins. */
function docsInstances(config: Value): DocsInstance[] {
  const presets = listAt(config, 'presets').flatMap((one) =>
    Array.isArray(one) ? [at(one[1], 'docs')] : [],
  );
  const all = [
    ...presets.filter((docs) => isObject(docs)),
    ...pluginsOf(config, 'plugin-content-docs'),
  ].slice(0, maxInstances);
  const found = all.length > 0 || presets.includes(false) ? all : [undefined];
  return found.map((options) => ({
    id: textAt(options, 'id') ?? 'default',
    path: textAt(options, 'path') ?? 'docs',
    route: textAt(options, 'routeBasePath') ?? 'docs',
    options,
  }));
}

/** The folders of all versions, and which one is shown at the route itself. */
async function docusaurusVersions(
  { id, path, route, options }: DocsInstance,
  read: SettingsInput['read'],
): Promise<{ folder: string; at: string; isShown: boolean }[]> {
  const prefix = id === 'default' ? '' : `${id}_`;
  const list: unknown = readJson((await read(`${prefix}versions.json`)) ?? '');
  const names = Array.isArray(list) ? texts(list).slice(0, maxVersions) : [];
  const last = textAt(options, 'lastVersion') ?? names[0] ?? 'current';
  const versions = ['current', ...names].map((name) => {
    const set = at(options, 'versions', name, 'path');
    const usual = name === last ? '' : name === 'current' ? 'next' : name;
    return {
      folder: name === 'current' ? path : `${prefix}versioned_docs/version-${name}`,
      at: joinPath(route, typeof set === 'string' ? set : usual),
      isShown: name === last,
    };
  });
  const shown = versions.find(({ isShown }) => isShown);
  if (flagAt(options, 'includeCurrentVersion') !== false || !shown) return versions;
  // The pages of `path` have no address yet. They get that of the newest version, which some builds copy from them.
  return [...versions.slice(1), { ...shown, folder: path }];
}
