import { expect, test } from 'vitest';
import type { FoundPage } from '../../retrieval/retriever.ts';
import { bestSections } from './best-sections.ts';

test('as many sections as a question may use, the best of all pages', () => {
  const pages = Array.from(
    { length: 50 },
    (_, page) =>
      ({
        path: `/${page}`,
        score: 50 - page,
        passages: ['a', 'b'].map((anchor, at) => ({ anchor, score: 2 - at })),
      }) as unknown as FoundPage,
  );
  const countOf = (most: number) =>
    bestSections(pages, most).reduce((sum, { passages }) => sum + passages.length, 0);
  expect([5, 10, 12, 50].map(countOf)).toEqual([5, 10, 12, 50]);
  expect(bestSections(pages, 3).map(({ path }) => path)).toEqual(['/0', '/1', '/2']);
});
