/**
 * Pages that are made to take long. The texts are so long that more than linear time would take longer than
 * a test may.
 */
import { describe, expect, test } from 'vitest';
import { setAnchors } from '../generators/parse-page.ts';
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
