import { expect, test } from 'vitest';
import { relativeTime } from './formats.ts';

const now = Date.UTC(2026, 10, 21, 12);
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

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
