/** All that an owner can set, and what an update makes of it; loaded with the first interest of a reader. */
import type { DocentOptions } from './options.ts';
import {
  basics,
  type Data,
  isObject,
  object,
  type Parse,
  readSettings,
  type Row,
  type Settings,
  yesOrNo,
} from '../loader/settings.ts';

/** `null` says that there is no text or choice of that name; the loader passes over it by itself. */
const withoutNulls: Parse = (written) => {
  const value = object(written);
  return value && Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null));
};

export const table: Readonly<Record<Exclude<keyof DocentOptions, 'url'>, Row>> = {
  ...basics,
  target: [
    (written) =>
      written instanceof Element || CSS.supports(`selector(${String(written)})`)
        ? written
        : undefined,
  ],
  push: [yesOrNo, false],
  // Anything else is taken as a wish for more privacy, not for less.
  consent: [(written) => (written === 'given' || written === true ? 'given' : 'required'), 'given'],
  consentLink: [/^(https?:\/)?\//],
  feedback: [yesOrNo, true],
  suggestions: [yesOrNo, true],
  filter: [withoutNulls],
  strings: [withoutNulls],
  deepLink: [/^(prefill|send|off)$/, 'prefill'],
};

export const readAllSettings = (data: Data, src: string): { settings: Settings; wrong: string[] } =>
  readSettings(data, src, table);

/**
 * What an update makes of `written` (the tag) and `patches` (the updates before it). What is wrong
 * in it changes nothing; `null` returns to the default, also inside `strings` and `filter`.
 */
export function patchSettings(written: Data, patches: Data, patch: Data, src: string) {
  let next = patches;
  const wrong: string[] = [];
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    const { settings } = readAllSettings({ ...written, ...next }, src);
    const trial = {
      ...next,
      [name]: isObject(value)
        ? { ...(settings[name as keyof Settings] as object), ...value }
        : value,
    };
    // The first three are what the widget is; another would be another widget.
    const isRight =
      Object.keys(table).indexOf(name) > 2 &&
      !readAllSettings({ ...written, ...trial }, src).wrong.includes(name);
    if (isRight) next = trial;
    else wrong.push(name);
  }
  return { patches: next, wrong };
}
