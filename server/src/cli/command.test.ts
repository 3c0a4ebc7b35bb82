import { expect, test } from 'vitest';
import { createProgressBar, describeSpeed } from './command.ts';

/** What a run of so many pages writes where it isn't a terminal. */
function linesOf(total: number): string[] {
  const lines: string[] = [];
  const out = { isTTY: false, write: (line: string) => lines.push(line) };
  const bar = createProgressBar('Indexing docs', { out: out as unknown as NodeJS.WriteStream });
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

test('a slow task also writes a line every half minute, with its speed', () => {
  const lines: string[] = [];
  const out = { isTTY: false, write: (line: string) => lines.push(line) };
  let time = 0;
  const bar = createProgressBar('Embedding docs', {
    out: out as unknown as NodeJS.WriteStream,
    isSlow: true,
    now: () => time,
  });
  for (let done = 0; done <= 200; done += 8, time += 4000)
    bar.update({ done, total: 5000, at: describeSpeed({ done, total: 5000, perSecond: 2 }) });
  expect(lines).toEqual([
    'Embedding docs 0/5000 texts, 2.0 per second, about 42 minutes left\n',
    'Embedding docs 64/5000 texts, 2.0 per second, about 41 minutes left\n',
    'Embedding docs 128/5000 texts, 2.0 per second, about 41 minutes left\n',
    'Embedding docs 192/5000 texts, 2.0 per second, about 40 minutes left\n',
  ]);
});

test.each([
  [0, undefined, 'texts'],
  [4990, 2, 'texts, 2.0 per second, about 5 seconds left'],
  [0, 0.2, 'texts, 0.2 per second, about 6.9 hours left'],
  [5000, 120.4, 'texts, 120 per second'],
])('after %i texts at %d per second', (done, perSecond, text) => {
  expect(describeSpeed({ done, total: 5000, perSecond })).toBe(text);
});
