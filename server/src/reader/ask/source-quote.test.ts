import { expect, test } from 'vitest';
import { longestQuote, quoteOf } from './source-quote.ts';

const filler = (count: number) =>
  Array.from({ length: count }, (_, index) => `Filler number ${index} says little.`).join(' ');

test('a short passage is quoted whole', () => {
  expect(quoteOf('anything', [{ text: 'Run it.\nThen wait.', code: '' }])).toBe(
    'Run it.\nThen wait.',
  );
});

test('of a long one the sentences that hold the words of the question', () => {
  const text = `${filler(30)} Revoke a key with one command. ${filler(30)}`;
  const quote = quoteOf('How do I revoke a key?', [{ text, code: '' }]);
  expect(quote).toContain('Revoke a key with one command.');
  expect(quote.length).toBeLessThanOrEqual(longestQuote);
});

test('passages of one section are quoted together, while there is room', () => {
  const one = { text: 'a'.repeat(400), code: '' };
  expect(quoteOf('q', [one, { text: 'b'.repeat(150), code: '' }, one])).toBe(
    `${'a'.repeat(400)}\n${'b'.repeat(150)}`,
  );
  expect(quoteOf('q', [one, { text: 'b'.repeat(250), code: '' }])).toBe('a'.repeat(400));
});

test('where there is code alone it is quoted, and nothing where there is nothing', () => {
  expect(quoteOf('q', [{ text: '', code: 'npm i docent' }])).toBe('npm i docent');
  expect(quoteOf('q', [{ text: ' ', code: '' }])).toBe('');
  expect(quoteOf('q', [])).toBe('');
});

test('a text without ends of sentences is cut, and not inside a character', () => {
  const quote = quoteOf('q', [{ text: '🦅'.repeat(2_000), code: '' }]);
  expect(quote.length).toBeLessThanOrEqual(longestQuote);
  expect(quote.isWellFormed()).toBe(true);
});
