import { expect, test } from 'vitest';
import { digestOf, sha256 } from './hash.ts';

test('SHA-256 as FIPS 180-4 has it, in one piece or in several', () => {
  const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  expect([sha256('abc'), sha256(['a', Buffer.from('bc')]), sha256(Buffer.from('abc'))]).toEqual([
    abc,
    abc,
    abc,
  ]);
  expect(sha256('abc', 'base64url')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
});

test('a digest separates what a joined text would not', () => {
  expect(digestOf(['a', 'b c'])).toBe(digestOf(['a', 'b c']));
  expect(digestOf(['a', 'b c'])).not.toBe(digestOf(['a b', 'c']));
});
