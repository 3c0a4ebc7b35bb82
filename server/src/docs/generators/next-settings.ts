/** Nextra and Fumadocs: sites that Next.js builds. */
import { trimOf } from '../../platform/text.ts';
import { readScript } from '../parsing/parse.ts';
import type { Mount } from './layout.ts';
import { isIn, joinFile, joinPath } from './paths.ts';
import { at, callsIn, isCall, settingsIn, textAt, texts } from './script-values.ts';
import { type FoundSettings, readAliases, scriptOf, type SettingsInput } from './settings-input.ts';

export async function nextra({
  text,
  file,
  siteFolder,
  folder,
  read,
}: SettingsInput): Promise<FoundSettings> {
  if (text !== '' && !/nextra/i.test(text)) return undefined;
  const values = await scriptOf({ text, file, read });
  const config = settingsIn(values?.exported);
  const base = joinPath(textAt(config, 'basePath') ?? '/');
  const [options] = callsIn([values?.exported, values?.named], 'nextra').flatMap(({ args }) =>
    args.filter((one) => textAt(one, 'contentDirBasePath') !== undefined),
  );
  const below = joinPath(base, textAt(options, 'contentDirBasePath') ?? '/');
  const folders = ['content', 'src/content', 'pages', 'src/pages', 'app', 'src/app'];
  const all = folders.map((one): Mount => {
    const isApp = one.endsWith('app');
    return {
      folder: joinFile(siteFolder, one),
      at: isApp ? base : below,
      ...(isApp && { isApp }),
    };
  });
  const named = all.find((mount) => folder !== siteFolder && isIn(folder, mount.folder));
  const own = named ?? (await firstWith(all, read)) ?? all[0];
  return {
    pages: own ? [own, ...all.filter(({ isApp }) => isApp && !own.isApp)] : [],
    ...(await nextMetadata(siteFolder, read)),
    base,
    baseRule: 'always',
    statics: [joinFile(siteFolder, 'public')],
    aliases: await readAliases(siteFolder, read),
  };
}

export async function fumadocs({ text, siteFolder, read }: SettingsInput): Promise<FoundSettings> {
  if (text !== '' && !/fumadocs/i.test(text)) return undefined;
  const values = text === '' ? undefined : await readScript(text);
  const dirs = callsIn([values?.exported, values?.named], 'defineDocs').flatMap(
    ({ args }) => textAt(args[0], 'dir') ?? [],
  );
  const source = await readFirst(
    ['lib/source', 'src/lib/source', 'app/source', 'lib/geistdocs/source'],
    siteFolder,
    read,
  );
  const loader = callsIn((await readScript(source ?? ''))?.named, 'loader').flatMap(({ args }) =>
    args.flatMap((one) => textAt(one, 'baseUrl') ?? []),
  );
  const i18n = await readFirst(
    ['lib/i18n', 'src/lib/i18n', 'lib/geistdocs/i18n'],
    siteFolder,
    read,
  );
  const [locales] = callsIn((await readScript(i18n ?? ''))?.named, 'defineI18n');
  const [about] = locales?.args ?? [];
  const pages = joinFile(siteFolder, dirs[0] ?? 'content/docs');
  return {
    pages: [{ folder: pages, at: joinPath(loader[0] ?? '/docs') }],
    languages: {
      main: textAt(about, 'defaultLanguage'),
      isBySuffix: about !== undefined && textAt(about, 'parser') !== 'dir',
      isMainShown: !/^(default-locale|always)$/.test(textAt(about, 'hideLocale') ?? 'never'),
    },
    ...(await nextMetadata(siteFolder, read)),
    statics: [joinFile(siteFolder, 'public')],
    aliases: await readAliases(siteFolder, read),
  };
}

async function readFirst(
  modules: readonly string[],
  siteFolder: string,
  read: SettingsInput['read'],
): Promise<string | undefined> {
  const endings = ['.ts', '.tsx', '.jsx', '.js', '/index.ts', '/index.tsx'];
  const names = modules.flatMap((one) =>
    endings.map((ending) => joinFile(siteFolder, one + ending)),
  );
  return (await Promise.all(names.map((name) => read(name)))).find(Boolean);
}

/** Files that a folder of pages has. */
const marks = [
  'index.mdx',
  'index.md',
  ...['js', 'ts', 'tsx', 'jsx', 'json'].map((ending) => `_meta.${ending}`),
  ...['tsx', 'ts', 'js'].map((ending) => `_meta.global.${ending}`),
  'layout.tsx',
  'layout.jsx',
];

async function firstWith(
  mounts: readonly Mount[],
  read: SettingsInput['read'],
): Promise<Mount | undefined> {
  for (const mount of mounts) {
    // oxlint-disable-next-line no-await-in-loop -- the first one counts
    const found = await Promise.all(marks.map((file) => read(joinFile(mount.folder, file))));
    if (found.some((one) => one !== undefined)) return mount;
  }
  return undefined;
}

/** The title and the address in the root layout of a Next.js site. */
async function nextMetadata(siteFolder: string, read: SettingsInput['read']) {
  const text = await readFirst(['app/layout', 'src/app/layout'], siteFolder, read);
  const named = text === undefined ? undefined : (await readScript(text))?.named['metadata'];
  const metadata = settingsIn(named);
  const address = at(metadata, 'metadataBase');
  const [url] = isCall(address) ? texts(address.args) : [];
  // `%s | Acme`: the template has the name alone.
  const [before = '', after = ''] = textAt(metadata, 'title', 'template')?.split('%s') ?? [];
  const template = trimOf(before + after, ' |–—·:-') || undefined;
  const name =
    textAt(metadata, 'applicationName') ??
    template ??
    textAt(metadata, 'title', 'default') ??
    textAt(metadata, 'title');
  return { name: name?.includes('%s') ? undefined : name, url };
}
