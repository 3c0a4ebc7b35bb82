import { expect, test } from 'vitest';
import { createNavigation, readingOrder } from '../src/navigation.ts';
import { findPageFiles } from '../src/page-files.ts';
import { docsFolder } from './docs-folder.ts';

test('folders become groups; order goes before file names, numbers sort by value', async () => {
  const files = await findPageFiles(
    docsFolder({
      'index.md': '',
      'z-first.md': '',
      '10-late.md': '',
      '2-early.md': '',
      'api/index.md': '',
      'api/call.md': '',
    }),
  );
  const pages = files.map((file) => ({
    ...file,
    title: file.path,
    frontmatter: file.path === '/z-first' ? { order: 1 } : {},
  }));
  const navigation = createNavigation(pages);
  expect(readingOrder(navigation).map(({ path }) => path)).toEqual([
    '/',
    '/z-first',
    '/2-early',
    '/10-late',
    '/api',
    '/api/call',
  ]);
  const api = navigation.find(({ path }) => path === '/api');
  expect(api?.children.map(({ path }) => path)).toEqual(['/api/call']);
});
