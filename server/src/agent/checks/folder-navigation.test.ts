/** Generators whose folders have a file each with the order of their pages. */
import { expect, test } from 'vitest';
import { check, type Files } from '../../../testing/agent-checks.ts';

const problems = async (files: Files, write: Record<string, string | null>) =>
  (await check(files, { write }, { root: 'content' })).problems
    .filter((one) => one.check === 'navigation')
    .map(({ path, line, message }) => `${path}:${line} ${message}`);

const page = '---\ntitle: A\n---\n\nText.\n';

test('meta.json of Fumadocs', async () => {
  const files: Files = {
    'source.config.ts': `import { defineDocs } from 'fumadocs-mdx/config';\nexport const docs = defineDocs({ dir: 'content/docs' });\n`,
    'content/docs/meta.json':
      '{\n  "pages": [\n    "index",\n    "---Guides---",\n    "install",\n    "guides",\n    "[Site](https://acme.dev)"\n  ]\n}\n',
    'content/docs/index.mdx': page,
    'content/docs/install.mdx': page,
    'content/docs/guides/one.mdx': page,
  };
  expect(await problems(files, { 'content/docs/install.mdx': null })).toEqual([
    'content/docs/meta.json:5 The navigation entry "install" leads to no page. Name a page, or remove the entry.',
  ]);
  expect(await problems(files, { 'content/docs/guides/two.mdx': page })).toEqual([]);
  expect(await problems(files, { 'content/docs/lost.mdx': page })).toMatchObject([
    expect.stringMatching(/^content.docs.lost\.mdx.* Add it to content.docs.meta\.json\.$/),
  ]);
  const rest = { ...files, 'content/docs/meta.json': '{ "pages": ["install", "..."] }' };
  expect(await problems(rest, { 'content/docs/lost.mdx': page })).toEqual([]);
});

test('_meta of Nextra', async () => {
  const files: Files = {
    'next.config.mjs': `import nextra from 'nextra';\nexport default nextra({})({});\n`,
    'content/_meta.js': `export default {\n  index: 'Start',\n  install: { title: 'Install' },\n  more: { title: 'More', href: 'https://acme.dev' },\n  '-- 1': { type: 'separator' },\n};\n`,
    'content/index.mdx': page,
    'content/install.mdx': page,
  };
  expect(await problems(files, { 'content/install.mdx': null })).toEqual([
    'content/_meta.js:3 The navigation entry "install" leads to no page. Name a page, or remove the entry.',
  ]);
  expect(await problems(files, { 'content/new.mdx': page })).toEqual([]);
});
