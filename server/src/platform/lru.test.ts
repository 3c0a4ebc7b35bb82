import { expect, test } from 'vitest';
import { createLru, createOncePerKey } from './lru.ts';

test('the least recently used entry goes first', () => {
  const lru = createLru<string, number>(2);
  lru.set('a', 1);
  lru.set('b', 2);
  expect(lru.get('a')).toBe(1);
  lru.set('c', 3);
  expect(['a', 'b', 'c'].map((key) => lru.get(key))).toEqual([1, undefined, 3]);
});

test('entries count by their weight, also when they are replaced or removed', () => {
  const lru = createLru<string, string>(10, (text) => text.length);
  lru.set('a', '1234');
  lru.set('a', '123456');
  lru.set('b', '1234');
  expect([lru.get('a'), lru.get('b')]).toEqual(['123456', '1234']);
  lru.remove('a');
  lru.set('c', '123456');
  expect([lru.get('b'), lru.get('c')]).toEqual(['1234', '123456']);
  lru.set('d', '1'.repeat(11));
  expect(lru.get('d')).toBeUndefined();
});

test('a value is made once for all who ask at the same time, and again after a failure', async () => {
  const once = createOncePerKey<number>(2);
  let made = 0;
  const make = () => Promise.resolve(++made);
  expect(await Promise.all([once('a', make), once('a', make), once('b', make)])).toEqual([1, 1, 2]);
  await expect(once('c', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await once('c', make)).toBe(3);
});
