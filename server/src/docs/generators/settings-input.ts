/** What the readers of settings have in common. */
import { posix } from 'node:path';
import { readScript } from '../parsing/parse.ts';
import type { ScriptValues } from './read-script.ts';
import { readJson } from './settings-text.ts';
import type { Layout, Mount, UnknownSetting } from './layout.ts';
import { joinFile } from './paths.ts';
import {
  at,
  entriesAt,
  isUnknown,
  settingsIn,
  textAt,
  texts,
  type Value,
} from './script-values.ts';

export interface SettingsInput {
  /** `''` if the owner names the generator and there is no file. */
  text: string;
  file: string;
  siteFolder: string;
  /** Folder of the pages, or of the whole project. */
  folder: string;
  read: (path: string) => Promise<string | undefined>;
}

/** A part of a layout. `pages` are the folders of pages, the usual one first. */
export type FoundSettings =
  | (Partial<Omit<Layout, 'mounts' | 'root'>> & { pages: Mount[] })
  | undefined;

/** What a script says, with what it imports from other files of the project. */
export async function scriptOf(
  { text, file, read }: Pick<SettingsInput, 'text' | 'file' | 'read'>,
  levels = 2,
): Promise<ScriptValues | undefined> {
  const values = text === '' ? undefined : await readScript(text);
  const modules = new Map<string, ScriptValues | undefined>();
  const imported: Record<string, Value> = {};
  for (const [local, { from, name }] of Object.entries(values?.imports ?? {})) {
    if (levels === 0 || modules.size === maxModules) break;
    // Packages aren't the project's.
    if (!from.startsWith('.')) continue;
    // oxlint-disable-next-line no-await-in-loop -- a module that is imported twice is read once
    if (!modules.has(from)) modules.set(from, await moduleOf(from, { file, read }, levels));
    const module = modules.get(from);
    const value =
      name === 'default' ? module?.exported : name === '*' ? module?.named : module?.named[name];
    if (value !== undefined) imported[local] = withoutLines(value);
  }
  return Object.keys(imported).length === 0 ? values : await readScript(text, imported);
}

const maxModules = 12;

/** A line of another file says nothing here. */
const withoutLines = (value: Value) =>
  JSON.parse(JSON.stringify(value, (key, one: unknown) => (key === '$unknown' ? 0 : one))) as Value;

async function moduleOf(
  from: string,
  { file, read }: Pick<SettingsInput, 'file' | 'read'>,
  levels: number,
): Promise<ScriptValues | undefined> {
  const path = joinFile(posix.dirname(file), from);
  const bare = path.replace(/\.[cm]?js$/, '');
  const endings = ['.ts', '.mts', '.js', '.mjs', '.cjs', '/index.ts', '/index.js'];
  for (const name of new Set([path, ...endings.map((ending) => bare + ending)])) {
    // oxlint-disable-next-line no-await-in-loop -- the first one counts
    const text = await read(name);
    if (text === undefined) continue;
    if (!name.endsWith('.json')) return scriptOf({ text, file: name, read }, levels - 1);
    return { exported: readJson(text) as Value, named: {}, imports: {} };
  }
  return undefined;
}

export const configOf = async (input: Pick<SettingsInput, 'text' | 'file' | 'read'>) =>
  settingsIn((await scriptOf(input))?.exported);

/** Of these settings, those that only a run of the file would tell. A dot separates keys. */
export const unknownIn = (config: Value, ...settings: string[]): UnknownSetting[] =>
  settings.flatMap((setting) => {
    const value = at(config, ...setting.split('.'));
    return isUnknown(value) ? [{ setting, line: value.$unknown }] : [];
  });

/** Globs of settings, as far as it's cheap to compare every file with them: they may be a stranger's. */
export const globsIn = (values: readonly Value[]): string[] =>
  texts(values)
    .slice(0, 50)
    .filter((glob) => /^[\w@ .,/{}*-]{1,200}$/.test(glob))
    .filter((glob) => [glob.split('{'), glob.split('**')].every(({ length }) => length <= 3))
    .filter((glob) => glob.split(',').length <= 16)
    .filter((glob) => glob.split('/').every((part) => part.split('*').length <= 3));

/** `"@components/*": ["./components/*"]` in the settings of TypeScript. */
export async function readAliases(
  siteFolder: string,
  read: SettingsInput['read'],
): Promise<Record<string, string>> {
  const names = ['tsconfig.json', 'jsconfig.json'].map((name) => joinFile(siteFolder, name));
  const [first, second] = await Promise.all(names.map((name) => read(name)));
  // JSON with comments is an object of JavaScript.
  const config = (await readScript(`export default ${first ?? second ?? '{}'}`))?.exported;
  const base = joinFile(siteFolder, textAt(config, 'compilerOptions', 'baseUrl') ?? '');
  return Object.fromEntries(
    entriesAt(config, 'compilerOptions', 'paths').flatMap(([alias, to]) => {
      const [target] = Array.isArray(to) ? texts(to) : [];
      return alias.endsWith('/*') && target !== undefined
        ? [[alias.slice(0, -1), joinFile(base, target.split('*')[0] ?? '')]]
        : [];
    }),
  );
}
