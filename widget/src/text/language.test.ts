import { afterEach, describe, expect, test } from 'vitest';
import { directionOf, languageOf } from './language.ts';

afterEach(() => document.documentElement.removeAttribute('lang'));

describe('the language of a widget', () => {
  test.each([
    ['de', 'de'],
    ['de-CH', 'de'],
    ['de_DE', 'de'],
    ['pt-BR', 'pt'],
    ['zh-CN', 'zh'],
    ['zh-Hans-SG', 'zh'],
    ['zh-Hant-HK', 'zh-tw'],
    ['zh-TW', 'zh-tw'],
    ['zh-HK', 'zh-tw'],
    ['en-GB', 'en'],
    // Swahili, and tags that only begin alike.
    ['sw', 'en'],
    ['arn', 'en'],
    ['', 'en'],
  ])('%s is answered with %s', (asked, expected) => {
    document.documentElement.lang = asked;
    expect(languageOf('auto')).toBe(expected);
    expect(languageOf(asked || 'auto')).toBe(expected);
  });

  test('a setting counts more than the page', () => {
    document.documentElement.lang = 'fr';
    expect(languageOf('ja')).toBe('ja');
  });

  test('Arabic is written from the right', () => {
    expect(directionOf('ar')).toBe('rtl');
    expect(directionOf('de')).toBe('ltr');
  });
});
