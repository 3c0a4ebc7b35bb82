import { expect, test } from 'vitest';
import { handbook } from '../../../testing/contract-pages.ts';
import { createPageCache } from './rank-candidates.ts';

const [first, second] = handbook as [(typeof handbook)[0], (typeof handbook)[0]];

test('evicts the least recently used page', () => {
  const shelf = createPageCache({ bytes: 100_000, terms: 10_000 })();
  for (const id of ['a', 'b', 'c', 'd']) shelf.add(id, first, 4000);
  for (let number = 0; number < 9; number += 1) {
    expect(shelf.get('a')).toBeDefined();
    shelf.add(`more${number}`, second, 4000);
  }
  expect(shelf.get('a')?.page).toBe(first);
  expect(shelf.get('b')).toBeUndefined();
});

test('returns a page that is too large for the cache', () => {
  const shelf = createPageCache({ bytes: 100_000, terms: 10_000 })();
  expect(shelf.add('a', first, 50_000).terms.bytes.length).toBeGreaterThan(0);
  expect(shelf.get('a')).toBeUndefined();
});

test('starts a new shelf when the vocabulary is full, and keeps the old one for its readers', () => {
  const current = createPageCache({ bytes: 1_000_000, terms: 1 });
  const before = current();
  before.add('a', first, 100);
  const after = current();
  expect(after.get('a')).toBeUndefined();
  expect(after.analyzer).not.toBe(before.analyzer);
  expect(before.get('a')?.page).toBe(first);
});
