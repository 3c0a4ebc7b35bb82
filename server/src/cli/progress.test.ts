import { expect, test } from 'vitest';
import { createProgressBar } from './progress.ts';

/** What a run of so many pages writes where it isn't a terminal. */
function linesOf(total: number): string[] {
  const lines: string[] = [];
  const out = { isTTY: false, write: (line: string) => lines.push(line) };
  const bar = createProgressBar('Indexing docs', out as unknown as NodeJS.WriteStream);
  for (let done = 0; done <= total; done++) bar.update({ done, total, at: `/page-${done}` });
  bar.clear();
  return lines;
}

test('without a terminal, a line is written every ten percent', () => {
  const tens = Array.from({ length: 11 }, (_, tenth) => `Indexing docs ${tenth * 100}/1000\n`);
  expect(linesOf(1_000)).toEqual(tens);
  expect(linesOf(237)).toHaveLength(11);
});

test('a few pages are a line each', () => {
  expect(linesOf(3)).toEqual([0, 1, 2, 3].map((done) => `Indexing docs ${done}/3\n`));
  expect(linesOf(0)).toEqual(['Indexing docs 0/0\n']);
});
