/**
 * What an owner can set, in tables: by an attribute of the script tag (`data-hide-on`), by
 * `Docent('update', { hideOn })` and by `createDocent({ hideOn })`. Here is what the loader needs
 * before a reader shows interest, the rest is in all-settings.ts. What is wrong is explained by
 * explain.ts, which is loaded only then.
 */
/* oxlint-disable typescript/restrict-template-expressions -- every page loads this file: `${x}` is shorter than String(x). */
import type { AnswerFilter } from '../embed/options.ts';
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
  /** Thumbs and reasons under each answer. */
  offersFeedback: boolean;
  /** Questions to go on with, under the last answer. */
  offersSuggestions: boolean;
  /** How `?ask=…` in the page's address is used. */
  deepLink: 'prefill' | 'send' | 'off';
  /** Limits answers to a part of the documentation, such as a version or a language. */
  filter: AnswerFilter | undefined;
  /** Texts of the owner in the place of ours, by their key in text/english.ts. */
  strings: Readonly<Record<string, string>> | undefined;
}

/** As written: text from attributes, or values from JavaScript. */
export type Data = Readonly<Record<string, unknown>>;

/** The value, `undefined` where it is not as it must be, `null` where it switches the setting off. */
export type Parse = (written: unknown) => unknown;
/** A default as written; `null`: there is none, and nothing can start without it. */
type Fallback = string | boolean | null | undefined;
/** `field`: where it is called otherwise in `Settings`. */
export type Row = readonly [expected: RegExp | Parse, fallback?: Fallback, field?: keyof Settings];

/** An attribute without a value switches on, as HTML's own do. */
export const yesOrNo: Parse = (written) =>
  /^(true|false|)$/.test(`${written}`) ? `${written}` !== 'false' : undefined;

export const isObject = (value: unknown): value is object =>
  ({}).toString.call(value) === '[object Object]';
export const object: Parse = (written) => {
  try {
    const value: unknown = typeof written === 'string' ? JSON.parse(written) : written;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** By public name, which is the attribute's without `data-`. Explain.ts has a sentence for each. */
export const basics = {
  site: [/^[\w.-]+$/, null],
  key: [/^svc_dsc_/, null],
  name: [/^[\w-]*$/, ''],
  theme: [/^(auto|light|dark)$/, 'auto'],
  accent: [(written) => (CSS.supports('color', `${written}`) ? written : undefined)],
  position: [/^(right|left)$/, 'right'],
  layout: [/^(bubble|sidebar|modal|inline)$/, 'bubble'],
  title: [/./],
  shortcut: [
    (written) => (/^(none|false)$/.test(`${written}`) ? null : parseShortcut(`${written}`)),
    'mod+i',
  ],
  language: [/^(auto|[a-z]{2,3}(-\w+)*)$/i, 'auto'],
  hidden: [yesOrNo, false, 'isHidden'],
  hideOn: [
    (written) => {
      const paths = `${written}`.split(/[,\s]+/).filter(Boolean);
      return paths.every((path) => /^[/*]/.test(path)) ? paths : undefined;
    },
    '',
  ],
  launcher: [yesOrNo, true, 'hasLauncher'],
  selection: [yesOrNo, true, 'offersSelection'],
  code: [yesOrNo, true, 'offersCode'],
  filter: [object],
  strings: [object],
} satisfies Record<string, Row>;

/** The folder of the script, without a slash at its end. */
export const baseOf = (src: string): string => new URL('.', src).href.slice(0, -1);

/** The settings, with defaults for what is wrong, and the names of those that are wrong or missing. */
export function readSettings(
  data: Data,
  src: string,
  rows: Readonly<Record<string, Row>> = basics,
): { settings: Settings; wrong: string[] } {
  const wrong: string[] = [];
  const settings: Record<string, unknown> = { base: baseOf(src) };
  for (const [name, [expected, fallback, field = name]] of Object.entries(rows)) {
    const parse: Parse =
      typeof expected === 'function'
        ? expected
        : (written) => (expected.test(`${written}`) ? written : undefined);
    const text = data[name];
    const written = typeof text === 'string' ? text.trim() : text;
    let value = written == null ? undefined : parse(written);
    if (value === undefined) {
      if (written || fallback === null) wrong.push(name);
      value = fallback == null ? undefined : parse(fallback);
    }
    settings[field] = value ?? undefined;
  }
  return { settings: settings as unknown as Settings, wrong };
}
