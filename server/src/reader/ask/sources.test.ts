import { citedNumbers } from '@docent/shared/citations';
import { expect, test } from 'vitest';
import { toSources } from './sources.ts';

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
