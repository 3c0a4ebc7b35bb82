import { expect, test } from 'vitest';
import { markup } from './html.ts';
import { writeMarkdown } from './markdown-html.ts';

test('whatever stands in a hole is text', () => {
  const hostile = `<script>alert(1)</script> "&' <img src=x onerror=alert(1)>`;
  const written = markup`<p title="${hostile}">${hostile}${[hostile, markup`<b>${1}</b>`]}</p>`;
  expect(written.text).not.toMatch(/<script|<img/);
  expect(written.text).toContain('<b>1</b>');
  expect(written.text.match(/"/g)).toHaveLength(2);
  expect(markup`${undefined}${null}${false}${0}${''}`.text).toBe('0');
});

test.each([
  ['<script>alert(1)</script>'],
  ['<img src=x onerror=alert(1)>'],
  ['text <b onclick="x()">b</b> text'],
  ['[a](javascript:alert(1))'],
  ['[a](JaVaScRiPt:alert(1))'],
  ['[a](data:text/html,<script>alert(1)</script>)'],
  ['[a](vbscript:x)'],
  ['[a](//evil.example/x)'],
  ['[a](/relative "x\\" onmouseover=\\"alert(1)")'],
  ['<a href="https://evil.example" style="position:fixed">x</a>'],
  ['![a](https://evil.example/pixel.png)'],
  ['![a](javascript:alert(1))'],
  ['<https://x.example/" onmouseover="alert(1)>'],
  ['[x]: javascript:alert(1)\n\n[x]'],
  ['```"><script>alert(1)</script>\ncode\n```'],
  ['<style>*{display:none}</style>'],
  ['<form action=https://evil.example><input name=key></form>'],
  ['| a |\n| - |\n| <script>alert(1)</script> |'],
  ['a[^1]\n\n[^1]: <iframe src=x></iframe>'],
  ['<!-- --><svg/onload=alert(1)>'],
])('Markdown cannot become a program: %s', (source) => {
  const written = writeMarkdown({ text: source, prefix: 'test' });
  const tags = written.match(/<[^>]*>/g) ?? [];
  for (const tag of tags) {
    expect(tag).not.toMatch(/^<\/?(script|img|style|iframe|form|svg|b\b)/i);
    expect(tag).not.toMatch(/\son\w+=|style=|src=/i);
    const [, href] = /href="([^"]*)"/.exec(tag) ?? [];
    if (href !== undefined) expect(href).toMatch(/^(https?:\/\/|#)/);
  }
});

test('headings follow those of the page without a gap', () => {
  const source = '### Three\n\n# One\n\n#### Four\n\n## Two';
  const levels = [...writeMarkdown({ text: source, prefix: 'x' }).matchAll(/<h(\d)/g)].map(
    ([, level]) => Number(level),
  );
  expect(levels[0]).toBe(3);
  levels.forEach((level, index) => expect(level - (levels[index - 1] ?? 2)).toBeLessThanOrEqual(1));
});

test('the text of raw HTML is still to be read, and notes of templates are not', () => {
  const written = writeMarkdown({ text: '<!-- fill in -->\nA <kbd>key</kbd>', prefix: 'x' });
  expect(written).toContain('&#x3C;kbd>key&#x3C;/kbd>');
  expect(written).not.toContain('fill in');
});

test('a comment without an end is left out, and many of them take linear time', () => {
  const render = (source: string) => writeMarkdown({ text: source, prefix: 'x' });
  expect(render('One\n\n<!-- two\n\nthree')).toBe('<p>One</p>\n');
  expect(render('<!--'.repeat(50_000))).toBe('');
});

test.each([
  [
    'a table of many columns with short rows',
    `${'|a'.repeat(3_500)}|\n${'|-'.repeat(3_500)}|\n${'|\n'.repeat(3_500)}`,
  ],
  ['emphasis that never ends', '*a_ '.repeat(25_000)],
  ['quotes in quotes', '>'.repeat(3_000)],
  [
    'lists in lists',
    Array.from({ length: 300 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n'),
  ],
])('%s stays as it was written', (_what, text) => {
  expect(writeMarkdown({ text, prefix: 'x' })).toMatch(/^<pre>[^<]*<\/pre>$/);
});

test('a large table, much emphasis, and code with many marks are written', () => {
  const table = `| a | b | c |\n| - | - | - |\n${'| 1 | 2 | 3 |\n'.repeat(500)}`;
  const code = `\`\`\`json\n${'{ "a_b": ["*"] },\n'.repeat(1_000)}\`\`\``;
  const text = `${table}\n${'**a** _b_ `c`\n\n'.repeat(1_000)}\n${code}`;
  const written = writeMarkdown({ text, prefix: 'x' });
  expect(written.match(/<td>/g)).toHaveLength(1_500);
  expect(written.match(/<strong>/g)).toHaveLength(1_000);
});
