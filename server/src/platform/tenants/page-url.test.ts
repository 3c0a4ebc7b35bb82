import { expect, test } from 'vitest';
import { pageUrl } from './sites.ts';

const docs = (pathStyle: 'clean' | 'slash' | 'html', baseUrl?: string) => ({
  pathStyle,
  ...(baseUrl !== undefined && { baseUrl }),
});

test.each([
  ['clean', '/guide/install', 'npm', 'https://d.test/guide/install#npm'],
  ['slash', '/guide/install', 'npm', 'https://d.test/guide/install/#npm'],
  ['html', '/guide/install', 'npm', 'https://d.test/guide/install.html#npm'],
  ['slash', '/', '', 'https://d.test/'],
  ['html', '/', 'top', 'https://d.test/#top'],
  ['clean', '/a b/ü', 'größe', 'https://d.test/a%20b/%C3%BC#gr%C3%B6%C3%9Fe'],
  ['clean', '/"><script>', '"><b>', 'https://d.test/%22%3E%3Cscript%3E#%22%3E%3Cb%3E'],
] as const)('%s: %s and #%s is %s', (style, path, anchor, url) => {
  expect(pageUrl(docs(style, 'https://d.test'), { path }, anchor)).toBe(url);
});

test.each([
  [
    'https://d.test/docs/#',
    '/guide/install',
    'größe',
    'https://d.test/docs/#/guide/install?id=gr%C3%B6%C3%9Fe',
  ],
  ['https://d.test/#', '/', '', 'https://d.test/#/'],
  ['https://d.test/#!', '/a', 'b', 'https://d.test/#!/a?id=b'],
])('where a router keeps pages behind %s: %s and #%s is %s', (baseUrl, path, anchor, url) => {
  expect(pageUrl(docs('clean', baseUrl), { path }, anchor)).toBe(url);
});

test('without an address a link starts at the root of the site that shows it', () => {
  expect(pageUrl(docs('clean'), { path: '/install' }, 'npm')).toBe('/install#npm');
});

test.each([
  ['https://other.test/a.html', 'b c', 'https://other.test/a.html#b%20c'],
  ['https://other.test/api#tag/Users', 'responses', 'https://other.test/api#tag/Users'],
  ['https://other.test/a/', '', 'https://other.test/a/'],
])('a page with an address of its own: %s and #%s is %s', (url, anchor, expected) => {
  expect(pageUrl(docs('html', 'https://d.test'), { path: '/x', url }, anchor)).toBe(expected);
});
