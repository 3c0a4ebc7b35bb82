import { expect, test } from 'vitest';
import type { FoundPage } from '../../retrieval/retriever.ts';
import { bestSections } from './best-sections.ts';

function found(
  path: string,
  score: number,
  passages: [anchor: string, score: number][],
): FoundPage {
  const texts = { heading: 'Heading', headingPath: [], markdown: 'Text.', text: 'Text.', code: '' };
  return {
    path,
    title: path,
    score,
    passages: passages.map(([anchor, value]) => ({ ...texts, anchor, score: value })),
  };
}
const namesOf = (pages: FoundPage[]) =>
  pages.flatMap(({ path, passages }) => passages.map(({ anchor }) => `${path}#${anchor}`));

const pages = [
  found('/a', 10, [
    ['one', 4],
    ['two', 3],
    ['one', 2],
  ]),
  found('/b', 8, [
    ['one', 9],
    ['two', 1],
  ]),
];

test('takes as many sections as asked for, each with all its passages', () => {
  expect(namesOf(bestSections(pages, 1))).toEqual(['/a#one', '/a#one']);
  expect(namesOf(bestSections(pages, 2))).toEqual(['/a#one', '/a#one', '/b#one']);
  expect(namesOf(bestSections(pages, 9))).toHaveLength(5);
});

test('a section is preferred to an introduction that matches hardly better', () => {
  const intro = found('/c', 10, [
    ['', 10],
    ['one', 9],
    ['two', 5],
  ]);
  expect(namesOf(bestSections([intro], 1))).toEqual(['/c#one']);
  expect(namesOf(bestSections([intro], 3))).toEqual(['/c#one', '/c#', '/c#two']);
});

test('nothing found stays nothing', () => {
  expect(bestSections([], 5)).toEqual([]);
});
