import { signal } from '@preact/signals';
import { afterEach, expect, test } from 'vitest';
import { localeOf } from './formats.ts';
import { readSettings } from '../loader/settings.ts';

afterEach(() => document.documentElement.removeAttribute('lang'));

test.each([
  ['the region of the page', 'pt-br', 'auto', 'pt', '31/12/2026'],
  ['what the owner set', 'fr', 'de-CH', 'de', '31.12.2026'],
  ['a page in a language that the panel does not speak', 'fa', 'auto', 'en', '12/31/2026'],
  ['underscores', 'en_GB', 'auto', 'en', '31/12/2026'],
  ['no language at all', 'not a language', 'auto', 'en', '12/31/2026'],
  ['the same language in another script', 'zh-HK', 'auto', 'zh-tw', '31/12/2026'],
])('dates: %s', (_case, page, setting, spoken, expected) => {
  document.documentElement.lang = page;
  const host = document.createElement('div');
  host.lang = spoken;
  const shadow = host.attachShadow({ mode: 'open' });
  const { settings } = readSettings({ language: setting }, 'https://docent.example.com/docent.js');
  const locale = localeOf({ shadow, settings: signal(settings) });
  expect(new Date(2026, 11, 31).toLocaleDateString(locale)).toBe(expected);
});

test('Arabic has the digits of its answers', () => {
  document.documentElement.lang = 'ar-EG';
  const host = document.createElement('div');
  host.lang = 'ar';
  const shadow = host.attachShadow({ mode: 'open' });
  const { settings } = readSettings({}, 'https://docent.example.com/docent.js');
  const locale = localeOf({ shadow, settings: signal(settings) });
  expect((8000).toLocaleString(locale)).toMatch(/8.000/);
});
