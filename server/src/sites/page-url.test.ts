import { expect, test } from 'vitest';
import { pageUrl } from './page-url.ts';

const docs = (pathStyle: 'clean' | 'slash' | 'html', baseUrl?: string) => ({
  folder: '/docs',
  basePath: '/',
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
  expect(pageUrl(docs(style, 'https://d.test'), path, anchor)).toBe(url);
});

test('without an address a link starts at the root of the site that shows it', () => {
  expect(pageUrl(docs('clean'), '/install', 'npm')).toBe('/install#npm');
});
