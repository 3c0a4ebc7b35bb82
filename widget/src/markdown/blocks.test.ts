import { describe, expect, test } from 'vitest';
import { documents } from '../../testing/documents.ts';
import type { Token } from 'marked';
import { createBlocks, type Block } from './blocks.ts';
import { lex } from './lexer.ts';

/** As an answer comes: so many characters at a time. */
function grow(text: string, step: number) {
  let lexed = 0;
  const blocks = createBlocks((source) => {
    lexed += source.length;
    return lex(source);
  });
  for (let end = step; end < text.length; end += step) blocks.update(text.slice(0, end), false);
  const last = blocks.update(text, true);
  return { lexed, last };
}

const shapes: Record<string, string> = {
  paragraphs: 'Words that say something about the station, **loudly**, and `code`.\n\n',
  sections: '## A heading\n\nSome words [1].\n\n- one\n- two\n\n```ts\nconst a = 1;\n```\n\n',
  'one list': '- An item with **some** words in it and more of them, as they have.\n',
  'one list with blank lines':
    '1. An item with some words in it.\n\n   And a second paragraph.\n\n',
  'one table': '| a cell | another `cell` | 1,000 |\n',
  'one block of code': 'const reading = await fetch(`${base}/readings`); // the same again\n',
};
const heads: Record<string, string> = {
  'one table': '| A | B | C |\n|---|---|--:|\n',
  'one block of code': '```ts\n',
};

/** The leaves of the tokens: what is on the screen, and as what. */
function wordsOf(blocks: readonly Block[]): string[] {
  const leaves: string[] = [];
  const walk = (token: Token): void => {
    const { items, rows, header, tokens, text } = token as unknown as {
      items?: Token[];
      rows?: { tokens: Token[] }[][];
      header?: { tokens: Token[] }[];
      tokens?: Token[];
      text?: string;
    };
    if (items) items.forEach(walk);
    else if (rows) for (const cell of [header ?? [], ...rows].flat()) cell.tokens.forEach(walk);
    else if (tokens) {
      leaves.push(token.type);
      tokens.forEach(walk);
    } else leaves.push(`${token.type}: ${(text ?? token.raw).trimEnd()}`);
  };
  for (const { key, token } of blocks) {
    leaves.push(String(key));
    walk(token);
  }
  return leaves;
}

describe('what an answer costs', () => {
  // A list or a table is one block, and is lexed anew while it grows.
  test.each(['paragraphs', 'sections', 'one block of code'])(
    '%s: ten times the text, ten times the work',
    (name) => {
      const unit = shapes[name] ?? '';
      const of = (length: number) =>
        (heads[name] ?? '') + unit.repeat(Math.ceil(length / unit.length));
      const small = grow(of(3_000), 40).lexed;
      const large = grow(of(30_000), 40).lexed;
      expect(large / small).toBeLessThan(14);
      // Each character is lexed a few times while it is near the end, and then no more.
      expect(large).toBeLessThan(30_000 * 16);
    },
  );

  test.each(Object.entries({ ...documents, ...shapes }))(
    '%s: in pieces it is what it is at once',
    (name, unit) => {
      const text = (heads[name] ?? '') + unit.repeat(12);
      for (const step of [1, 7, 40]) {
        const { last } = grow(text, step);
        const whole = createBlocks().update(text, true);
        expect(last.map(({ key, token }) => [key, token.type, token.raw.trimEnd()])).toEqual(
          whole.map(({ key, token }) => [key, token.type, token.raw.trimEnd()]),
        );
      }
    },
  );

  test.each(Object.entries({ ...documents, ...shapes }))(
    '%s: at each moment it is what it would be without a past',
    (name, unit) => {
      const text = (heads[name] ?? '') + unit.repeat(4).slice(0, 900);
      for (const step of [1, 5, 38]) {
        const blocks = createBlocks();
        for (let end = step; end < text.length; end += step) {
          const part = text.slice(0, end);
          expect(wordsOf(blocks.update(part, false))).toEqual(
            wordsOf(createBlocks().update(part, false)),
          );
        }
      }
    },
  );

  test('a growing list or table has all of its items and rows at each moment', () => {
    for (const [name, type, of] of [
      ['one list', 'list', (token: unknown) => (token as { items: unknown[] }).items],
      ['one table', 'table', (token: unknown) => (token as { rows: unknown[] }).rows],
    ] as const) {
      const unit = shapes[name] ?? '';
      const blocks = createBlocks();
      const text = (heads[name] ?? '') + unit.repeat(30);
      let most = 0;
      for (let end = 1; end <= text.length; end++) {
        const token = blocks.update(text.slice(0, end), false)[0]?.token;
        if (token?.type !== type) continue;
        expect(of(token).length).toBeGreaterThanOrEqual(most);
        most = of(token).length;
      }
      expect(most).toBe(30);
    }
  });
});
