import { expect, test } from 'vitest';
import { retryAfterMs } from './retry.ts';

const now = Date.parse('2026-11-22T12:00:00Z');

test.each([
  ['120', 120_000],
  ['0', 0],
  ['1.5', 1_500],
  [' 7 ', 7_000],
  ['Sun, 22 Nov 2026 12:00:30 GMT', 30_000],
  ['Sunday, 22-Nov-26 12:00:30 GMT', 30_000],
  ['Sun Nov 22 12:00:30 2026', 30_000],
  ['Sun, 22 Nov 2026 11:00:00 GMT', 0],
  ['', undefined],
  ['-5', undefined],
  ['soon', undefined],
  ['1e3', undefined],
  ['2026', 2_026_000],
  ['2026-11-22', undefined],
  ['Sun, 99 Nov 2026 12:00:30 GMT', undefined],
])('Retry-After: %s', (value, ms) => {
  expect(retryAfterMs({ 'retry-after': value }, now)).toBe(ms);
  expect(retryAfterMs(new Headers({ 'Retry-After': value }), now)).toBe(ms);
});

test('milliseconds come first, and no headers ask for nothing', () => {
  expect(retryAfterMs({ 'retry-after-ms': '250', 'retry-after': '1' }, now)).toBe(250);
  expect(retryAfterMs({ 'retry-after-ms': 'x', 'retry-after': ['1'] }, now)).toBe(1_000);
  expect(retryAfterMs({}, now)).toBeUndefined();
  expect(retryAfterMs(undefined, now)).toBeUndefined();
});
