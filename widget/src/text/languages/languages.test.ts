/** No language leaves a text of ours out, and none loses a place to fill. */
import { describe, expect, test } from 'vitest';
import { english, offerStrings } from '../english.ts';
import { deflectStrings } from '../deflect-strings.ts';
import { formStrings } from '../form-strings.ts';
import { languages } from '../load-language.ts';

const original: Record<string, string> = {
  ...english,
  ...offerStrings,
  ...formStrings,
  ...deflectStrings,
};
const places = (text: string) =>
  [...text.matchAll(/\{(\w+)\}/g)].map(([place]) => place).toSorted();

describe.each(Object.entries(languages))('%s', (_tag, load) => {
  test('says everything, in its own words and with the same places', async () => {
    const translation = (await load()).default as Record<string, string>;
    expect(Object.keys(translation).toSorted()).toEqual(Object.keys(original).toSorted());
    const same: string[] = [];
    for (const [key, text] of Object.entries(translation)) {
      expect(text.trim(), key).not.toBe('');
      expect(places(text), key).toEqual(places(original[key] ?? ''));
      if (text === original[key]) same.push(text);
    }
    // A few words are the same in two languages; a text that was forgotten is not among them.
    expect(same.filter((text) => text.includes(' '))).toEqual([]);
  });
});
