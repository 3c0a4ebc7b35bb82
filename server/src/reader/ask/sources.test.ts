import { citedNumbers } from '@docent/shared/citations';
import { expect, test } from 'vitest';
import { contentWords } from '../../retrieval/ranker/question.ts';
import { maxQuoteLength, quoteOf, toSources } from './sources.ts';

const passage = (anchor: string, heading: string) => ({
  anchor,
  heading,
  headingPath: [],
  markdown: `About ${heading}`,
  text: '',
  code: '',
  score: 1,
});
const docs = {
  folder: '/d',
  basePath: '/',
  pathStyle: 'clean',
  baseUrl: 'https://d.test',
} as const;

test('passages under one heading are one source, and share its number', () => {
  const { sources, passages } = toSources(
    [
      {
        path: '/install',
        title: 'Install',
        score: 2,
        passages: [passage('npm', 'From npm'), passage('', 'Install'), passage('npm', 'From npm')],
      },
      { path: '/keys', title: 'Keys', score: 1, passages: [passage('keys', 'Keys')] },
    ],
    docs,
    'How do I install it?',
  );
  expect(sources).toEqual([
    { id: '1', url: 'https://d.test/install#npm', title: 'Install › From npm' },
    { id: '2', url: 'https://d.test/install', title: 'Install' },
    { id: '3', url: 'https://d.test/keys#keys', title: 'Keys' },
  ]);
  expect(passages.map(({ number }) => number)).toEqual(['1', '2', '1', '3']);
});

test.each([
  ['Yes [1]. And [2, 3].', ['1', '2', '3']],
  ['A [link](/x), a [4](/x) and a [5]: /x', []],
  ['`list[0]` and\n```\na[6]\n```\n[7]', ['7']],
  ['```\nopen [8]', []],
  ['[note] [] [1234]', []],
])('%j cites %j', (text, numbers) => {
  expect([...citedNumbers(text)]).toEqual(numbers);
});

const filler = (count: number) =>
  Array.from({ length: count }, (_, index) => `Filler number ${index} says little.`).join(' ');

test('a short passage is quoted whole', () => {
  expect(quoteOf(contentWords('anything'), [{ text: 'Run it.\nThen wait.', code: '' }])).toBe(
    'Run it.\nThen wait.',
  );
});

test('of a long passage, the sentences with the words of the question are quoted', () => {
  const text = `${filler(30)} Revoke a key with one command. ${filler(30)}`;
  const quote = quoteOf(contentWords('How do I revoke a key?'), [{ text, code: '' }]);
  expect(quote).toContain('Revoke a key with one command.');
  expect(quote.length).toBeLessThanOrEqual(maxQuoteLength);
});

test('passages of one section are quoted together, while there is room', () => {
  const one = { text: 'a'.repeat(400), code: '' };
  expect(quoteOf(new Map(), [one, { text: 'b'.repeat(150), code: '' }, one])).toBe(
    `${'a'.repeat(400)}\n${'b'.repeat(150)}`,
  );
  expect(quoteOf(new Map(), [one, { text: 'b'.repeat(250), code: '' }])).toBe('a'.repeat(400));
});

test('a passage with only code quotes the code, and an empty one nothing', () => {
  expect(quoteOf(new Map(), [{ text: '', code: 'npm i docent' }])).toBe('npm i docent');
  expect(quoteOf(new Map(), [{ text: ' ', code: '' }])).toBe('');
  expect(quoteOf(new Map(), [])).toBe('');
});

test('text without sentence ends is cut between characters', () => {
  const quote = quoteOf(new Map(), [{ text: '🦅'.repeat(2_000), code: '' }]);
  expect(quote.length).toBeLessThanOrEqual(maxQuoteLength);
  expect(quote.isWellFormed()).toBe(true);
});
