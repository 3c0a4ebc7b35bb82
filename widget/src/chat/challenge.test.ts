import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { findNumber } from './challenge.ts';

const salt = '01KAKQ4T8W6Z9V1B7M3C5D2E0F.acme-docs.1763740000.';
const challengeOf = (number: number) =>
  createHash('sha256').update(`${salt}${number}`).digest('hex');

test.each([0, 1, 49, 50, 51, 999, 1_000])('finds %i', async (number) => {
  expect(await findNumber(challengeOf(number), salt, 1_000)).toBe(number);
});

test('gives up if there is no solution', async () => {
  await expect(findNumber(challengeOf(1_001), salt, 1_000)).rejects.toThrow(/no solution/);
});

test('stops when the reader stops', async () => {
  const stop = new AbortController();
  const found = findNumber(challengeOf(-1), salt, 1_000_000_000, stop.signal);
  stop.abort();
  await expect(found).rejects.toThrow(/abort/i);
});
