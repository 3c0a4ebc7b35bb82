/** The script tag's `data-*` attributes as settings. What is wrong is explained by explain.ts. */
import { parseShortcut } from './shortcut.ts';

export interface Settings {
  /** Where the service is: the origin and folder the script came from. */
  base: string;
  site: string;
  key: string;
  theme: 'auto' | 'light' | 'dark';
  accent: string | undefined;
  position: 'right' | 'left';
  title: string | undefined;
  shortcut: string | undefined;
}

export type Data = Readonly<Record<string, string | undefined>>;

export const themes = ['auto', 'light', 'dark'] as const;
export const positions = ['right', 'left'] as const;

/** The folder of the script, without a slash at its end. */
export const baseOf = (src: string): string => new URL('.', src).href.replace(/\/$/, '');

/** The settings, with defaults for what is wrong, and the names of the attributes that are or miss. */
export function readSettings(data: Data, src: string): { settings: Settings; wrong: string[] } {
  const wrong: string[] = [];
  /** The attribute, or `undefined` where it is missing or not as it must be. */
  const read = (
    name: string,
    isRight: (value: string) => boolean,
    isNeeded = false,
  ): string | undefined => {
    const value = data[name]?.trim();
    if (value && isRight(value)) return value;
    if (value || isNeeded) wrong.push(name);
    return undefined;
  };
  const choose = <Choice extends string>(name: string, choices: readonly Choice[]): Choice =>
    (read(name, (value) => choices.includes(value as Choice)) ?? choices[0]) as Choice;

  const shortcut =
    read('shortcut', (value) => value === 'none' || !!parseShortcut(value)) ?? 'mod+i';
  const settings: Settings = {
    base: baseOf(src),
    site: read('site', (value) => /^[\w.-]+$/.test(value), true) ?? '',
    key: read('key', (value) => value.startsWith('svc_dsc_'), true) ?? '',
    theme: choose('theme', themes),
    accent: read('accent', (value) => CSS.supports('color', value)),
    position: choose('position', positions),
    title: read('title', Boolean),
    shortcut: parseShortcut(shortcut),
  };
  return { settings, wrong };
}
