/** All settings of an owner. Loaded with the panel. */
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

/** `null` removes an entry. */
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
  // In doubt, choose more privacy.
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
 * Adds an update to `patches`, the updates before it. A wrong value changes nothing. `null`
 * restores the default, also inside `strings` and `filter`.
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
    // The first three identify the widget.
    const isRight =
      Object.keys(table).indexOf(name) > 2 &&
      !readAllSettings({ ...written, ...trial }, src).wrong.includes(name);
    if (isRight) next = trial;
    else wrong.push(name);
  }
  return { patches: next, wrong };
}
