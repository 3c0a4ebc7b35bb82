import { expect, test } from 'vitest';
import { spansOf } from './highlight.ts';

const samples: Record<string, [code: string, kind: string, piece: string]> = {
  ts: ['const a: string = "x";', 'keyword', 'const'],
  javascript: ['return 1 // why', 'comment', '// why'],
  tsx: ['<A b="c" />', 'property', 'b'],
  json: ['{ "a": 1 }', 'property', '"a"'],
  yaml: ['a: "text"', 'string', '"text"'],
  toml: ['a = 1', 'number', '1'],
  bash: ['echo "x" # why', 'comment', '# why'],
  sh: ['for a in b; do', 'keyword', 'for'],
  python: ['def f(): return 1', 'keyword', 'def'],
  go: ['func main() {}', 'keyword', 'func'],
  rust: ['let a = 1;', 'keyword', 'let'],
  java: ['class A {}', 'keyword', 'class'],
  sql: ['SELECT 1', 'keyword', 'SELECT'],
  html: ['<p class="x">', 'property', 'class'],
  css: ['a { color: red }', 'property', 'color'],
  diff: ['+ added', 'string', '+ added'],
  dockerfile: ['FROM node', 'keyword', 'FROM'],
};

test.each(Object.entries(samples))('%s', async (language, [code, kind, piece]) => {
  const spans = await spansOf(code, language);
  expect(spans.map((span) => [span.kind, code.slice(span.start, span.end)])).toContainEqual([
    kind,
    piece,
  ]);
  const ends = spans.map(({ end }) => end);
  expect(ends.toSorted((a, b) => a - b)).toEqual(ends);
  expect(Math.max(...ends)).toBeLessThanOrEqual(code.length);
});

test.each(['unknown', '__proto__', 'constructor', 'extend'])(
  '%s is left plain',
  async (language) => {
    expect(await spansOf('const a = 1', language)).toEqual([]);
  },
);
