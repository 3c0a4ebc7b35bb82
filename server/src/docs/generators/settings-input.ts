/** What the readers of settings have in common. */
import { readScript } from '../parsing/parse.ts';
import type { Layout, Mount } from './layout.ts';
import { joinFile } from './paths.ts';
import { entriesAt, settingsIn, textAt, texts } from './script-values.ts';

export interface SettingsInput {
  /** `''` if the owner names the generator and there is no file. */
  text: string;
  /** Folder of the settings. */
  siteFolder: string;
  /** Folder of the pages, or of the whole project. */
  folder: string;
  read: (path: string) => Promise<string | undefined>;
}

/** A part of a layout. `pages` are the folders of pages, the usual one first. */
export type FoundSettings =
  | (Partial<Omit<Layout, 'mounts' | 'root'>> & { pages: Mount[] })
  | undefined;

/** The settings that a script exports. */
export const configOf = async (text: string) =>
  text === '' ? undefined : settingsIn((await readScript(text))?.exported);

/** The name and the address of a site, if they're known. */
export const facts = (name: string | undefined, url: string | undefined) => ({
  ...(name !== undefined && { name }),
  ...(url !== undefined && { url }),
});

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
