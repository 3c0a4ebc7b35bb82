import { expect, test } from 'vitest';
import { createLanguages } from './languages.ts';
import { readLayout } from './layout.ts';
import { createSitePages } from './site-pages.ts';

/** The language and the path of every page. */
async function read(files: Record<string, string>, folder = '') {
  const layout = await readLayout({ folder, read: async (path) => files[path] });
  const pages = Object.keys(files).filter((file) => /\.mdx?$/.test(file));
  const languageOf = createLanguages(layout, pages);
  const site = createSitePages(layout, pages, (path) => path in files);
  return Object.fromEntries(
    pages.map((file) => [file, [languageOf(file), site.pathOf(file)].filter(Boolean).join(' ')]),
  );
}

test('folders of translations, with and without settings', async () => {
  expect(await read({ 'a.md': '', 'b.md': '', 'zh-cn/a.md': '', 'zh-cn/b.md': '' })).toEqual({
    'a.md': 'en /a',
    'b.md': 'en /b',
    'zh-cn/a.md': 'zh-CN /zh-cn/a',
    'zh-cn/b.md': 'zh-CN /zh-cn/b',
  });
  expect(
    await read({
      '.vitepress/config.ts': `export default { lang: 'zh-CN', rewrites: { 'zh/:rest*': ':rest*' } }`,
      'zh/a.md': '',
      'en/a.md': '',
    }),
  ).toEqual({ 'zh/a.md': 'zh /a', 'en/a.md': 'en /en/a' });
  expect(
    await read({
      'astro.config.mjs': `export default { integrations: [starlight({ locales: { root: { lang: 'de' }, br: { lang: 'pt-BR' } } })] }`,
      'src/content/docs/a.md': '',
      'src/content/docs/br/a.md': '',
    }),
  ).toEqual({
    'src/content/docs/a.md': 'de /a',
    'src/content/docs/br/a.md': 'pt-BR /br/a',
  });
});

test('folders that only look like a language, and one language alone', async () => {
  const sdks = { 'index.md': '', 'cs/install.md': '', 'ts/install.md': '', 'py/install.md': '' };
  expect(Object.values(await read(sdks)).join()).toBe('/,/cs/install,/ts/install,/py/install');
  expect(await read({ 'en/a.md': '' })).toEqual({ 'en/a.md': '/en/a' });
});

test('files of translations', async () => {
  const i18n = (structure: string) =>
    `site_name: A\nplugins:\n  - i18n:\n      docs_structure: ${structure}\n      languages:\n        - locale: en\n          default: true\n        - locale: fr\n`;
  expect(
    await read({ 'mkdocs.yml': i18n('suffix'), 'docs/g/a.md': '', 'docs/g/a.fr.md': '' }),
  ).toEqual({ 'docs/g/a.md': 'en /g/a', 'docs/g/a.fr.md': 'fr /fr/g/a' });
  expect(
    await read({ 'mkdocs.yml': i18n('folder'), 'docs/en/a.md': '', 'docs/fr/a.md': '' }),
  ).toEqual({ 'docs/en/a.md': 'en /a', 'docs/fr/a.md': 'fr /fr/a' });
  const fumadocs = (more: string) => ({
    'source.config.ts': `import { defineDocs } from 'fumadocs-mdx/config';\nexport const docs = defineDocs({ dir: 'content/docs' });`,
    'lib/i18n.ts': `export const i18n = defineI18n({ defaultLanguage: 'en', languages: ['en', 'cn'], ${more} });`,
    'content/docs/a.mdx': '',
    'content/docs/a.cn.mdx': '',
  });
  expect(await read(fumadocs(`hideLocale: 'default-locale'`))).toEqual({
    'content/docs/a.mdx': 'en /docs/a',
    'content/docs/a.cn.mdx': 'zh-CN /cn/docs/a',
  });
  expect(await read(fumadocs(''))).toMatchObject({ 'content/docs/a.mdx': 'en /en/docs/a' });
});

test('the folder of a translation, read as a source of its own', async () => {
  const config = `export default { i18n: { defaultLocale: 'en', locales: ['en', 'fr'] } }`;
  const folder = 'i18n/fr/docusaurus-plugin-content-docs/current';
  expect(await read({ 'docusaurus.config.js': config, [`${folder}/a.md`]: '' }, folder)).toEqual({
    [`${folder}/a.md`]: 'fr /fr/docs/a',
  });
  const settings = { 'docs/fr/mkdocs.yml': 'site_name: A', 'docs/fr/docs/a.md': '' };
  expect(await read(settings, 'docs/fr')).toEqual({ 'docs/fr/docs/a.md': 'fr /a' });
});
