/**
 * What an owner can set, in one table: by an attribute of the script tag (`data-hide-on`), by
 * `Docent('update', { hideOn })` and by `createDocent({ hideOn })`. What is wrong is explained by
 * explain.ts, which is loaded only then.
 */
import type { AnswerFilter, DocentOptions } from './options.ts';
import { parseShortcut } from './shortcut.ts';

export interface Settings {
  /** Where the service is: the origin and folder the script came from. */
  base: string;
  site: string;
  key: string;
  /** Tells the widgets of one page apart; empty for the one that needs no name. */
  name: string;
  theme: 'auto' | 'light' | 'dark';
  accent: string | undefined;
  position: 'right' | 'left';
  layout: 'bubble' | 'sidebar' | 'modal' | 'inline';
  /** Where an inline panel goes; without one, where the script tag is. */
  target: string | Element | undefined;
  /** A sidebar moves the page aside instead of covering it. */
  isPushing: boolean;
  title: string | undefined;
  shortcut: string | undefined;
  /** A language tag; `auto` follows `<html lang>`. */
  language: string;
  /** The reader has to agree before anything is sent to the service or stored. */
  needsConsent: boolean;
  /** The owner's page about privacy, shown where the reader is asked. */
  consentLink: string | undefined;
  /** The assistant is away until this is false again. */
  isHidden: boolean;
  /** Paths without an assistant; `*` stands for anything. */
  hideOn: readonly string[];
  /** `false`: the page has a button of its own. */
  hasLauncher: boolean;
  /** Offers to ask about selected text, and about blocks of code. */
  offersSelection: boolean;
  offersCode: boolean;
  /** Thumbs and reasons under each answer; both are missing where an older loader is on the page. */
  offersFeedback: boolean;
  /** Questions to go on with, under the last answer. */
  offersSuggestions: boolean;
  /** What `?ask=…` in the page's address does. */
  deepLink: 'prefill' | 'send' | 'off';
  /** What answers may use of the documentation: a version, a language. */
  filter: AnswerFilter | undefined;
  /** Texts of the owner in the place of ours, by their key in text/english.ts. */
  strings: Readonly<Record<string, string>> | undefined;
}

/** As written: text from attributes, or values from JavaScript. */
export type Data = Readonly<Record<string, unknown>>;

export const themes = ['auto', 'light', 'dark'] as const;
export const positions = ['right', 'left'] as const;
export const layouts = ['bubble', 'sidebar', 'modal', 'inline'] as const;
export const deepLinks = ['prefill', 'send', 'off'] as const;

/** The value, `undefined` where it is not as it must be, `null` where it switches the setting off. */
type Parse = (written: unknown) => unknown;

const pattern =
  (expected: RegExp): Parse =>
  (written) =>
    typeof written === 'string' && expected.test(written) ? written : undefined;
const oneOf =
  (choices: readonly string[]): Parse =>
  (written) =>
    choices.find((choice) => choice === written);
/** An attribute without a value switches on, as HTML's own do. */
const yesOrNo: Parse = (written) =>
  /^(true|)$/.test(String(written)) || (String(written) === 'false' ? false : undefined);
const isObject = (value: unknown): value is Record<string, unknown> =>
  Object.prototype.toString.call(value) === '[object Object]';
const object: Parse = (written) => {
  try {
    const value: unknown = typeof written === 'string' ? JSON.parse(written) : written;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};
const anything = pattern(/./);

type Row = readonly [field: keyof Settings, parse: Parse, fallback?: unknown, ifWrong?: unknown];

/** By public name, which is the attribute's without `data-`: field, parser, default as written. */
export const table: Readonly<Record<Exclude<keyof DocentOptions, 'url'>, Row>> = {
  site: ['site', pattern(/^[\w.-]+$/)],
  key: ['key', pattern(/^svc_dsc_/)],
  name: ['name', pattern(/^[\w-]*$/), ''],
  theme: ['theme', oneOf(themes), 'auto'],
  accent: ['accent', (written) => (CSS.supports('color', String(written)) ? written : undefined)],
  position: ['position', oneOf(positions), 'right'],
  layout: ['layout', oneOf(layouts), 'bubble'],
  target: [
    'target',
    (written) =>
      written instanceof Element || CSS.supports(`selector(${String(written)})`)
        ? written
        : undefined,
  ],
  push: ['isPushing', yesOrNo, false],
  title: ['title', anything],
  shortcut: [
    'shortcut',
    (written) => (written === false || written === 'none' ? null : parseShortcut(String(written))),
    'mod+i',
  ],
  language: ['language', pattern(/^(auto|[a-z]{2,3}(-\w+)*)$/i), 'auto'],
  consent: [
    'needsConsent',
    (written) => {
      if (written === 'given' || written === true) return false;
      return written === 'required' || written === '' || written === false || undefined;
    },
    'given',
    // A mistake is taken as a wish for more privacy, not for less.
    'required',
  ],
  consentLink: ['consentLink', pattern(/^(https?:\/)?\//)],
  hidden: ['isHidden', yesOrNo, false],
  hideOn: [
    'hideOn',
    (written) => {
      const paths = Array.isArray(written) ? written : String(written).split(/[,\s]+/);
      return paths.every((path) => /^[/*]/.test(String(path))) ? paths : undefined;
    },
    [],
  ],
  launcher: ['hasLauncher', yesOrNo, true],
  selection: ['offersSelection', yesOrNo, true],
  code: ['offersCode', yesOrNo, true],
  feedback: ['offersFeedback', yesOrNo, true],
  suggestions: ['offersSuggestions', yesOrNo, true],
  deepLink: ['deepLink', oneOf(deepLinks), 'prefill'],
  filter: ['filter', object],
  strings: ['strings', object],
};

/** The folder of the script, without a slash at its end. */
export const baseOf = (src: string): string => new URL('.', src).href.replace(/\/$/, '');

/** The settings, with defaults for what is wrong, and the names of those that are wrong or missing. */
export function readSettings(data: Data, src: string): { settings: Settings; wrong: string[] } {
  const wrong: string[] = [];
  const settings: Record<string, unknown> = { base: baseOf(src) };
  for (const [name, [field, parse, fallback, ifWrong = fallback]] of Object.entries(table)) {
    const text = data[name];
    const written = (typeof text === 'string' ? text.trim() : text) ?? undefined;
    let value = written === undefined ? undefined : parse(written);
    if (value === undefined) {
      const isWrong = written || field === 'site' || field === 'key';
      if (isWrong) wrong.push(name);
      const instead = isWrong ? ifWrong : fallback;
      value = instead === undefined ? undefined : parse(instead);
    }
    settings[field] = value ?? undefined;
  }
  return { settings: settings as unknown as Settings, wrong };
}

const fixed = /^(site|key|name)$/;

/**
 * What an update makes of `written` (the tag) and `patches` (the updates before it). What is wrong
 * in it changes nothing; `null` returns to the default, also inside `strings` and `filter`.
 */
export function patchSettings(
  written: Data,
  patches: Data,
  patch: Data,
  settings: Settings,
): { patches: Data; wrong: string[] } {
  const next: Record<string, unknown> = {};
  const wrong: string[] = [];
  for (const [name, value] of Object.entries(patch)) {
    const field = Object.hasOwn(table, name) && table[name as keyof typeof table][0];
    if (!field || fixed.test(name)) wrong.push(name);
    else if (isObject(value)) {
      const merged = Object.entries({ ...(settings[field] as object | undefined), ...value });
      next[name] = Object.fromEntries(merged.filter(([, each]) => each !== null));
    } else if (value !== undefined) next[name] = value;
  }
  for (const name of readSettings({ ...written, ...patches, ...next }, settings.base).wrong) {
    if (!(name in next)) continue;
    wrong.push(name);
    delete next[name];
  }
  return { patches: { ...patches, ...next }, wrong };
}
