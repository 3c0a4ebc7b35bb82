import { expect, test } from 'vitest';
import { type Html, markup, visible } from './html.ts';
import { renderMarkdown } from './markdown.ts';

const text = (html: Html | string) => (typeof html === 'string' ? html : html.text);

test('line breaks of a message stay, in a page they are spaces', () => {
  const written = (breaks: boolean) =>
    renderMarkdown('> one\n> two\n\n- a\n  b\n\n`c\nd`', { prefix: 'x', breaks }).text;
  expect(written(true)).toMatch(/one<br>\s*two[^]*a<br>\s*b[^]*<code>c d<\/code>/);
  expect(written(false)).not.toContain('<br>');
});

test('whatever stands in a hole is text', () => {
  const hostile = `<script>alert(1)</script> "&' <img src=x onerror=alert(1)>`;
  const written = markup`<p title="${hostile}">${hostile}${[hostile, markup`<b>${1}</b>`]}</p>`;
  expect(written.text).not.toMatch(/<script|<img/);
  expect(written.text).toContain('<b>1</b>');
  expect(written.text.match(/"/g)).toHaveLength(2);
  expect(markup`${undefined}${null}${false}${0}${''}`.text).toBe('0');
});

test('signs that cannot be seen have a name', () => {
  expect(visible('plain\ttext\n')).toBe('plain\ttext\n');
  expect(text(visible('a\u202Eb\u200B<'))).toContain('U+202E');
  expect(text(visible('a\u202Eb\u200B<'))).toContain('&lt;');
  const named = text(visible('\u0000\u2066'));
  expect(named.includes('\u0000') || named.includes('\u2066')).toBe(false);
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
  const { text: written } = renderMarkdown(source, { prefix: 'test' });
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
  const levels = [...renderMarkdown(source, { prefix: 'x' }).text.matchAll(/<h(\d)/g)].map(
    ([, level]) => Number(level),
  );
  expect(levels[0]).toBe(3);
  levels.forEach((level, index) => expect(level - (levels[index - 1] ?? 2)).toBeLessThanOrEqual(1));
});

test('the text of raw HTML is still to be read, and notes of templates are not', () => {
  const { text: written } = renderMarkdown('<!-- fill in -->\nA <kbd>key</kbd>', { prefix: 'x' });
  expect(written).toContain('&#x3C;kbd>key&#x3C;/kbd>');
  expect(written).not.toContain('fill in');
});

test('a comment without an end is left out, and many of them take linear time', () => {
  const render = (source: string) => renderMarkdown(source, { prefix: 'x' }).text;
  expect(render('One\n\n<!-- two\n\nthree')).toBe('<p>One</p>\n');
  expect(render('<!--'.repeat(50_000))).toBe('');
});
