/** The script tag's `data-*` attributes as settings. What is wrong is explained by explain.ts. */
import type { SearchFilter } from '@docent/shared/assistant';
import { parseShortcut } from './shortcut.ts';

export interface Settings {
  /** Where the service is: the origin and folder the script came from. */
  base: string;
  site: string;
  key: string;
  theme: 'auto' | 'light' | 'dark';
  accent: string | undefined;
  position: 'right' | 'left';
  layout: 'bubble' | 'sidebar' | 'modal' | 'inline';
  /** Where an inline panel goes: a CSS selector; without one, where the script tag is. */
  target: string | undefined;
  /** A sidebar moves the page aside instead of covering it. */
  isPushing: boolean;
  title: string | undefined;
  shortcut: string | undefined;
  /** A language tag; `auto` follows `<html lang>`. */
  language: string;
  /** The reader has to agree before anything is sent to the service. */
  needsConsent: boolean;
  /** Paths without an assistant; `*` stands for anything. */
  hideOn: readonly string[];
  /** `false`: the page has a button of its own. */
  hasLauncher: boolean;
  /** Offers to ask about selected text, and about blocks of code. */
  offersSelection: boolean;
  offersCode: boolean;
  /** What `?ask=…` in the page's address does. */
  deepLink: 'prefill' | 'send' | 'off';
  /** What answers may use of the documentation: a version, a language. */
  filter: SearchFilter | undefined;
  /** Texts of the owner in the place of ours, by their key in text/english.ts. */
  strings: Readonly<Record<string, string>> | undefined;
}

export type Data = Readonly<Record<string, string | undefined>>;

export const themes = ['auto', 'light', 'dark'] as const;
export const positions = ['right', 'left'] as const;
export const layouts = ['bubble', 'sidebar', 'modal', 'inline'] as const;

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
    layout: choose('layout', layouts),
    target: undefined,
    isPushing: false,
    title: read('title', Boolean),
    shortcut: parseShortcut(shortcut),
    language: 'auto',
    needsConsent: false,
    hideOn: [],
    hasLauncher: true,
    offersSelection: true,
    offersCode: true,
    deepLink: 'prefill',
    filter: undefined,
    strings: undefined,
  };
  return { settings, wrong };
}
