/** No language leaves a text of ours out, and none loses a place to fill. */
import { describe, expect, test } from 'vitest';
import { offerStrings } from '../english.ts';
import { languages } from '../load-language.ts';
import { english } from '../text.ts';

const groups: Record<string, Record<string, string>> = { ...english, offer: offerStrings };
const keys = Object.entries(groups).flatMap(([group, strings]) =>
  Object.keys(strings).map((key) => `${group}.${key}`),
);
const places = (text: string) =>
  [...text.matchAll(/\{(\w+)\}/g)].map(([place]) => place).toSorted();
/** The same word in both languages, or the same in every language. */
const mayBeEnglish = /^problems\.(seconds|minutes|hours)$/;

describe.each(Object.entries(languages))('%s', (_tag, load) => {
  test('says everything, in its own words and with the same places', async () => {
    const translation = (await load()).translation as typeof groups;
    const written = Object.entries(translation).flatMap(([group, strings]) =>
      Object.keys(strings).map((key) => `${group}.${key}`),
    );
    expect(written.toSorted()).toEqual(keys.toSorted());
    const same: string[] = [];
    for (const name of keys) {
      const [group = '', key = ''] = name.split('.');
      const text = translation[group]?.[key] ?? '';
      const original = groups[group]?.[key] ?? '';
      expect(text.trim(), name).not.toBe('');
      expect(places(text), name).toEqual(places(original));
      if (text === original && !mayBeEnglish.test(name)) same.push(name);
    }
    // A few words are the same in two languages; a text that was forgotten is not among them.
    expect(same.filter((name) => (inEnglish(name) ?? '').includes(' '))).toEqual([]);
  });
});

function inEnglish(name: string): string | undefined {
  const [group = '', key = ''] = name.split('.');
  return groups[group]?.[key];
}
