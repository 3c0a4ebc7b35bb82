/**
 * Pages that are made to take long. The texts are so long that more than linear time would take longer than
 * a test may.
 */
import { describe, expect, test } from 'vitest';
import { setAnchors } from '../generators/anchors.ts';
import { fromPythonMarkdown } from '../generators/parse-page.ts';
import { readFrontmatter } from '../markdown/frontmatter.ts';
import { htmlText } from '../markdown/html-tags.ts';
import { replaceHeadingIds } from '../markdown/parse-markdown.ts';
import { readPage } from './read-page.ts';

describe('attributes after a heading', () => {
  test('without a closing brace', () => {
    const title = `Title {#a${'.a'.repeat(40)}`;
    const { passages } = readPage({ file: 'a.md', markdown: `## ${title}\n\ntext` });
    expect(passages[0]?.heading).toBe(title);
  });

  const pieces = ['{#a', '{ #a ', ' ', '[#a', '{/* #a', '\uE000#a', '.a', '#a=', '{#a b="', ' }'];
  test.each(pieces.flatMap((piece) => ['', '}', ']', '*/}'].map((end) => [piece, end])))(
    'many times %j, then %j',
    (piece, end) => {
      const value = `Title ${piece.repeat(200_000)}${end}`;
      const heading = { type: 'heading', children: [{ type: 'text', value }], anchor: undefined };
      setAnchors({ type: 'root', children: [heading] } as never, value, 'vitepress');
      expect(heading.anchor).toBeTypeOf('string');
      replaceHeadingIds(`## ${value}`, (id) => id);
    },
  );
});

test.each([
  '<a ',
  '<!--',
  '<svg>',
  '<img alt="',
  '<B title="',
  '</p',
  '<script',
  '<a "',
  '&lt',
  ' \n',
])('HTML with many %j', (piece) => {
  expect(htmlText(`start ${piece.repeat(300_000)}`)).toMatch(/^start/);
  expect(htmlText(`start ${piece.repeat(300_000)}>`)).toMatch(/^start/);
});

test('an alternative text may hold a greater-than sign', () => {
  expect(htmlText('Open <img src="a.png" alt="Settings > General"> <b>now</b>')).toBe(
    'Open Settings > General now',
  );
});

test.each(['k: 1\n', 'a: "\n', 'a: [\n', '@a\n', '%x\n', '- ', '{'])(
  'frontmatter with many %j',
  (piece) => {
    const { problem } = readFrontmatter(`---\n${piece.repeat(200_000)}\n---\n`);
    expect(problem).toEqual({ line: 2, reason: 'it is longer than 16 kB' });
    expect(readFrontmatter(`---\n${piece.repeat(3_000)}\n---\n`).isPresent).toBe(true);
  },
);

test.each(['!!! ', '!!! a', '=== "', '=== " ', '-8<', '{.a', '{', '{ #', '\t'])(
  'Python-Markdown with many %j',
  (piece) => {
    for (const start of ['', '!!! ', '## ']) {
      const { text } = fromPythonMarkdown(`${start}${piece.repeat(200_000)}\n\nend`);
      expect(text).toContain('end');
    }
  },
);
