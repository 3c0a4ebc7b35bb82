import { expect, test, vi } from 'vitest';
import { newId } from './ids.ts';

test('ids are ULIDs, each another, and every character of them is used', () => {
  const ids = Array.from({ length: 5_000 }, newId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
  const counts = new Map<string, number>();
  for (const character of ids.map((id) => id.slice(10)).join('')) {
    counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  expect(counts.size).toBe(32);
  // 2,500 of each on average, with a deviation of 49.
  for (const count of counts.values()) expect(Math.abs(count - 2_500)).toBeLessThan(400);
});

test('ids of one millisecond, and of a clock that is set back, sort as they were made', () => {
  const burst = Array.from({ length: 100 }, newId);
  vi.useFakeTimers({ now: Date.now() - 60_000, toFake: ['Date'] });
  try {
    burst.push(newId(), newId());
  } finally {
    vi.useRealTimers();
  }
  burst.push(newId());
  expect(burst).toEqual(burst.toSorted());
});
