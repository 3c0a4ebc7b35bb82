import { afterEach, expect, test } from 'vitest';
import { dateLanguage, relativeTime } from './relative-time.ts';

const now = Date.UTC(2026, 10, 21, 12);
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

afterEach(() => document.documentElement.removeAttribute('lang'));

test.each([
  [0, 'en', 'now'],
  [59_000, 'en', 'now'],
  [-5 * hour, 'en', 'now'],
  [minute, 'en', '1 minute ago'],
  [59 * minute, 'en', '59 minutes ago'],
  [hour, 'en', '1 hour ago'],
  [day, 'en', 'yesterday'],
  [6.5 * day, 'en', '6 days ago'],
  [10 * day, 'en', 'Nov 11, 2026'],
  [day, 'de', 'gestern'],
  [3 * hour, 'ja', '3 時間前'],
])('%d ms ago in %s: %s', (age, language, words) => {
  expect(relativeTime(now - age, now, language)).toBe(words);
});

test('the language is the panel’s, the page’s, or left to the browser', () => {
  document.documentElement.lang = 'pt-br';
  expect(dateLanguage('auto')).toBe('pt-BR');
  expect(dateLanguage('de')).toBe('de');
  document.documentElement.lang = 'not a language';
  expect(dateLanguage('auto')).toBeUndefined();
});
