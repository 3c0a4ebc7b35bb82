import { expect, test } from 'vitest';
import { trimEnd } from './link-policy.ts';

test.each([
  ['https://x.dev/a.', 'https://x.dev/a'],
  ['https://x.dev/a_(b)', 'https://x.dev/a_(b)'],
  ['https://x.dev/a_(b).', 'https://x.dev/a_(b)'],
  ['https://x.dev/a_(b))', 'https://x.dev/a_(b)'],
  ['https://x.dev/a).)', 'https://x.dev/a'],
  ['https://x.dev/a(', 'https://x.dev/a('],
  ['https://x.dev/(a)b)"', 'https://x.dev/(a)b'],
  [')', ''],
])('%s without what belongs to its sentence', (written, address) => {
  expect(trimEnd(written)).toBe(address);
});

test('an address with a million brackets takes linear time', () => {
  expect(trimEnd(`https://x.dev/${')'.repeat(1_000_000)}`)).toBe('https://x.dev/');
});
