/**
 * The settings of the tag, `update`, and `createDocent`. The loader needs the ones in this file.
 * The others are in all-settings.ts.
 */
/* oxlint-disable typescript/restrict-template-expressions -- every page loads this file: `${x}` is shorter than String(x). */
import type { DocentOptions } from '../embed/options.ts';
import { parseShortcut } from './shortcut.ts';

type Optional = 'deflect' | 'accent' | 'target' | 'title' | 'consentLink' | 'filter' | 'strings';

/** The owner's options, with a default for each. */
export type Settings = Omit<Required<DocentOptions>, 'url' | 'shortcut' | 'consent' | Optional> & {
  [Name in Optional]: DocentOptions[Name];
} & {
  /** The origin and folder of the script. */
  base: string;
  shortcut: string | undefined;
  consent: 'required' | 'given';
};

/** Text from attributes, or values from JavaScript. */
export type Data = Readonly<Record<string, unknown>>;

/** Returns `undefined` for a wrong value, and `null` to switch the setting off. */
export type Parse = (written: unknown) => unknown;
/** `null`: required. */
type Fallback = string | boolean | null | undefined;
export type Row = readonly [expected: RegExp | Parse, fallback?: Fallback];

/** An attribute without a value means yes. */
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

/** By the name of the option. explain.ts has a sentence for each. */
export const basics = {
  site: [/^[\w.-]+$/, null],
  key: [/^svc_dsc_[\w-]+$/, null],
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
  hidden: [yesOrNo, false],
  hideOn: [
    (written) => {
      const paths = `${written}`.split(/[,\s]+/).filter(Boolean);
      return paths.every((path) => /^[/*]/.test(path)) ? paths : undefined;
    },
    '',
  ],
  launcher: [yesOrNo, true],
  selection: [yesOrNo, true],
  code: [yesOrNo, true],
  // In `:not()`, every selector of the list must be valid.
  deflect: [(written) => (CSS.supports(`selector(:not(${written}))`) ? written : undefined)],
  filter: [object],
  strings: [object],
} satisfies Record<string, Row>;

export const baseOf = (src: string): string => new URL('.', src).href.slice(0, -1);

/** Returns the settings with their defaults, and the names of wrong or missing ones. */
export function readSettings(
  data: Data,
  src: string,
  rows: Readonly<Record<string, Row>> = basics,
): { settings: Settings; wrong: string[] } {
  const wrong: string[] = [];
  const settings: Record<string, unknown> = { base: baseOf(src) };
  for (const [name, [expected, fallback]] of Object.entries(rows)) {
    const parse: Parse =
      typeof expected === 'function'
        ? expected
        : (written) => (expected.test(`${written}`) ? written : undefined);
    const text = data[name];
    const written = typeof text === 'string' ? text.trim() : text;
    let value = written == null ? undefined : parse(written);
    if (value === undefined) {
      if (written || fallback === null) wrong.push(name);
      // A default matches its own pattern, and each pattern costs time at its first use.
      value = typeof expected === 'function' && fallback != null ? expected(fallback) : fallback;
    }
    settings[name] = value ?? undefined;
  }
  return { settings: settings as unknown as Settings, wrong };
}
