import { expect, test } from 'vitest';
import { createRepetition } from './vet-text.ts';

/** How much of a text is read until it counts as a repetition; undefined: it never does. */
function cutAt(text: string, length = 7): number | undefined {
  const repetition = createRepetition();
  for (let at = 0; at < text.length; at += length) {
    if (repetition.push(text.slice(at, at + length))) return at;
  }
  return undefined;
}

const before =
  'To install Kestrel, run one command. It asks for the address of your server. '.repeat(2);

test.each([
  ['a sign', '\n'],
  ['a word', 'the '],
  ['a sentence', 'It needs no root rights, and it asks for nothing else. '],
  [
    'a paragraph',
    'The readings that were already sent stay on the server, and those that were not are lost. '.repeat(
      3,
    ) + 'So be it. ',
  ],
])('%s without end is noticed within about 200 tokens', (_what, piece) => {
  const at = cutAt(before + piece.repeat(5_000 / piece.length));
  expect(at).toBeGreaterThan(before.length + 300);
  expect(at).toBeLessThan(before.length + piece.length + 1_000);
});

test.each([
  [
    'a numbered list',
    Array.from({ length: 200 }, (_, at) => `${at + 1}. Open the page and press the button.\n`).join(
      '',
    ),
  ],
  [
    'a table with empty cells',
    '| name | value | note |\n| --- | --- | --- |\n' +
      Array.from({ length: 60 }, (_, at) => `| key${at} |  |  |\n`).join(''),
  ],
  [
    'code that stands twice',
    ('const station = open("rooftop");\nstation.calibrate({ wind: 3 });\n'.repeat(2) + '\n').repeat(
      2,
    ),
  ],
  ['a line of hyphens', `${'-'.repeat(300)}\nEnd`],
])('%s is none', (_what, text) => {
  expect(cutAt(before + text)).toBeUndefined();
});
