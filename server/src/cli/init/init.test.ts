import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../platform/config/load.ts';
import { detectSite } from './detect-site.ts';
import { placeTag } from './place-tag.ts';
import { writeFirstConfig } from './write-config.ts';

const tag = { src: 'http://127.0.0.1:4320/docent.js', site: 'acme', key: 'svc_dsc_x' };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docent-init-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(files: Record<string, string>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
}

interface Example {
  files: Record<string, string>;
  expected: { generator: string; docs: string; name: string; url?: string };
  /** The files that get the tag. */
  tagIn?: string[];
}

const page = '# Acme\n\nText.\n';
const examples: Record<string, Example> = {
  Docusaurus: {
    files: {
      'website/docusaurus.config.ts':
        "const config = {\n  title: 'Acme Docs',\n  url: 'https://docs.acme.dev',\n  baseUrl: '/',\n};\nexport default config;\n",
      'website/docs/intro.md': page,
    },
    expected: {
      generator: 'docusaurus',
      docs: './website/docs',
      name: 'Acme Docs',
      url: 'https://docs.acme.dev',
    },
    tagIn: ['website/docusaurus.config.ts'],
  },
  'Docusaurus with scripts of its own': {
    files: {
      'docusaurus.config.js': "module.exports = {\n  title: 'Acme',\n  scripts: ['/a.js'],\n};\n",
      'docs/intro.md': page,
    },
    expected: { generator: 'docusaurus', docs: './docs', name: 'Acme' },
  },
  VitePress: {
    files: {
      'docs/.vitepress/config.mts':
        "import { defineConfig } from 'vitepress'\n\nexport default defineConfig({\n  title: \"Acme's\",\n})\n",
      'docs/index.md': page,
    },
    expected: { generator: 'vitepress', docs: './docs', name: "Acme's" },
    tagIn: ['docs/.vitepress/config.mts'],
  },
  Starlight: {
    files: {
      'astro.config.mjs':
        "import starlight from '@astrojs/starlight';\nexport default defineConfig({\n\tsite: 'https://acme.dev',\n\tintegrations: [\n\t\tstarlight({\n\t\t\ttitle: 'Acme',\n\t\t}),\n\t],\n});\n",
      'src/content/docs/index.md': page,
    },
    expected: {
      generator: 'starlight',
      docs: './src/content/docs',
      name: 'Acme',
      url: 'https://acme.dev',
    },
    tagIn: ['astro.config.mjs'],
  },
  MkDocs: {
    files: {
      'mkdocs.yml': 'site_name: Acme\nsite_url: https://acme.example/\ntheme: readthedocs',
      'docs/index.md': page,
    },
    expected: { generator: 'mkdocs', docs: './docs', name: 'Acme' },
    tagIn: ['docent_hook.py', 'mkdocs.yml'],
  },
  'MkDocs with a hook of its own': {
    files: {
      'mkdocs.yml': 'site_name: Acme\nhooks:\n  - own.py\ntheme: mkdocs\n',
      'docs/index.md': page,
    },
    expected: { generator: 'mkdocs', docs: './docs', name: 'Acme' },
    tagIn: ['docent_hook.py', 'mkdocs.yml'],
  },
  Nextra: {
    files: {
      'next.config.mjs': "import nextra from 'nextra';\nexport default nextra({})({});\n",
      'content/index.mdx': page,
      'package.json': '{"name":"acme-site"}',
    },
    expected: { generator: 'nextra', docs: './content', name: 'acme' },
  },
  docsify: {
    files: {
      'docs/index.html': "<body><script>window.$docsify = { name: 'Acme' }</script></body>",
      'docs/README.md': page,
    },
    expected: { generator: 'docsify', docs: './docs', name: 'Acme' },
    tagIn: ['docs/index.html'],
  },
  Mintlify: {
    files: { 'docs.json': '{"name":"Acme","navigation":{}}', 'index.mdx': page },
    expected: { generator: 'mintlify', docs: '.', name: 'Acme' },
    tagIn: ['docent.js'],
  },
  'a title of somebody else': {
    files: {
      'astro.config.mjs':
        "const authors = { ann: { title: 'Co-Founder' } };\nexport default defineConfig({ integrations: [starlight({ plugins: [blog({ authors })], title: 'Acme' })] });\n",
      'src/content/docs/index.md': page,
    },
    expected: { generator: 'starlight', docs: './src/content/docs', name: 'Acme' },
    tagIn: ['astro.config.mjs'],
  },
  'a title that a run would end, and examples beside the site': {
    files: {
      'docs/.vitepress/config.ts':
        "const more: string = (() => { switch (process.env.X) { default: return '' } })();\nexport default defineConfig({\n  title: `Acme${more}`,\n});\n",
      'docs/index.md': page,
      'examples/blog/.vitepress/config.ts': 'export default { title: "Example" }',
      'examples/blog/index.md': page,
    },
    expected: { generator: 'vitepress', docs: './docs', name: 'Acme' },
    tagIn: ['docs/.vitepress/config.ts'],
  },
  'MkDocs in several languages': {
    files: {
      'docs/de/mkdocs.yml': 'INHERIT: ../en/mkdocs.yml\n',
      'docs/de/docs/index.md': page,
      'docs/en/mkdocs.yml':
        "site_name: Acme\nsite_url: !ENV [URL, 'https://docs.acme.dev/']\ntheme: material\n",
      'docs/en/docs/index.md': page,
    },
    expected: {
      generator: 'mkdocs',
      docs: './docs/en/docs',
      name: 'Acme',
      url: 'https://docs.acme.dev',
    },
    tagIn: ['docs/en/docent_hook.py', 'docs/en/mkdocs.yml'],
  },
  mdBook: {
    files: {
      'book.toml': '[book]\ntitle = "Acme"\n\n[output.html]\nno-section-label = true\n',
      'src/SUMMARY.md': '# Summary\n\n- [Start](start.md)\n',
      'src/start.md': page,
    },
    expected: { generator: 'mdbook', docs: './src', name: 'Acme' },
    tagIn: ['docent.js', 'book.toml'],
  },
  VuePress: {
    files: {
      'docs/.vuepress/config.js':
        "export default { base: '/', title: 'Acme', theme: defaultTheme({}) };\n",
      'docs/README.md': page,
    },
    expected: { generator: 'vuepress', docs: './docs', name: 'Acme' },
    tagIn: ['docs/.vuepress/config.js'],
  },
  'Nuxt Content': {
    files: {
      'docs/nuxt.config.ts':
        "export default defineNuxtConfig({\n  extends: ['docus'],\n  site: { name: 'Acme', url: 'https://acme.dev' },\n})\n",
      'docs/content/1.start.md': page,
    },
    expected: {
      generator: 'nuxt',
      docs: './docs/content',
      name: 'Acme',
      url: 'https://acme.dev',
    },
    tagIn: ['docs/nuxt.config.ts'],
  },
  Fumadocs: {
    files: {
      'apps/docs/source.config.ts':
        "import { defineDocs } from 'fumadocs-mdx/config';\nexport const docs = defineDocs({ dir: 'content/guide' });\n",
      'apps/docs/app/layout.tsx':
        "export const metadata = { title: { template: '%s | Acme', default: 'Acme: a tool' }, metadataBase: new URL('https://acme.dev') };\nexport default function Layout() { return <html><body><main /></body></html>; }\n",
      'apps/docs/content/guide/index.mdx': page,
      'packages/create-app/template/source.config.ts': "import 'fumadocs-mdx';",
      'packages/create-app/template/content/docs/index.mdx': page,
    },
    expected: {
      generator: 'fumadocs',
      docs: './apps/docs/content/guide',
      name: 'Acme',
      url: 'https://acme.dev',
    },
    tagIn: ['apps/docs/app/layout.tsx'],
  },
  'a version whose folder is missing, and a package with a scope': {
    files: {
      'docusaurus.config.js':
        "const last = '2.x';\nmodule.exports = { title: 'Docs', presets: [['classic', { docs: { lastVersion: last } }]] };\n",
      'versions.json': '["2.x", "1.x"]',
      'package.json': '{"name":"@acme/docs"}',
      'docs/intro.md': page,
      'versioned_docs/version-1.x/intro.md': page,
    },
    expected: { generator: 'docusaurus', docs: './docs', name: 'acme' },
  },
  'Jekyll below a path, with a layout of its own': {
    files: {
      '_config.yml': 'title: Acme\nurl: https://acme.dev\nbaseurl: /handbook\n',
      '_layouts/default.html': '<html><body>{{ content }}</body></html>\n',
      '_layouts/page.html': '---\nlayout: default\n---\n{{ content }}\n',
      'docs/index.md': page,
    },
    expected: {
      generator: 'plain',
      docs: './docs',
      name: 'Acme',
      url: 'https://acme.dev/handbook',
    },
    tagIn: ['_layouts/default.html'],
  },
  'two templates, of which only the owner knows the right one': {
    files: {
      'examples/hugo.toml': 'baseURL = "https://example.dev/"\n',
      'acme.dev/config/_default/hugo.yaml': 'baseURL: https://acme.dev/\ntitle: Acme\n',
      'acme.dev/layouts/_default/baseof.html': '<body></body>',
      'acme.dev/layouts/print.html': '<body></body>',
      'acme.dev/content/_index.md': page,
    },
    expected: {
      generator: 'plain',
      docs: './acme.dev/content',
      name: 'Acme',
      url: 'https://acme.dev',
    },
  },
  'Sphinx without its build': {
    files: {
      'docs/conf.py': 'extensions = []\nproject = u"Acme"\nhtml_baseurl = "https://acme.dev/"\n',
      'README.md': page,
    },
    expected: { generator: 'plain', docs: '.', name: 'Acme', url: 'https://acme.dev' },
    tagIn: ['docs/conf.py'],
  },
  'Sphinx with settings that a function makes': {
    files: {
      'docs/conf.py':
        "from sphinx_acme import conf\n\nglobals().update(conf.build(\n    project='Acme',\n))\n",
      'README.md': page,
    },
    expected: { generator: 'plain', docs: '.', name: 'Acme' },
    tagIn: ['docs/conf.py'],
  },
  'Sphinx two folders below': {
    files: { 'docs/html/conf.py': 'project = "Acme"\n', 'docs/html/index.md': page },
    expected: { generator: 'plain', docs: './docs', name: 'Acme' },
    tagIn: ['docs/html/conf.py'],
  },
  'Quarto, whose chapters may be Markdown too': {
    files: {
      '_quarto.yml':
        'project:\n  type: website\nwebsite:\n  title: Acme\n  site-url: https://acme.dev\n',
      'docs/index.md': page,
    },
    expected: { generator: 'plain', docs: './docs', name: 'Acme', url: 'https://acme.dev' },
  },
  'Vocs beside the sources of its project': {
    files: {
      'site/vocs.config.ts': "export default defineConfig({ title: 'Acme' })\n",
      'site/pages/index.mdx': page,
      'src/CHANGELOG.md': page,
    },
    expected: { generator: 'plain', docs: './site/pages', name: 'Acme' },
  },
  'Rspress with languages, and fixtures elsewhere': {
    files: {
      'website/rspress.config.ts':
        "const siteOrigin = 'https://acme.dev';\nexport default defineConfig({ title: 'Acme', siteOrigin, lang: 'en' });\n",
      'website/docs/en/index.mdx': page,
      'website/docs/zh/index.mdx': page,
      'packages/core/fixtures/a.md': page,
    },
    expected: {
      generator: 'plain',
      docs: './website/docs/en',
      name: 'Acme',
      url: 'https://acme.dev',
    },
  },
  'a package with a scope, in a folder with a common name': {
    files: { 'docs/index.md': page, 'package.json': '{"name":"@acme/docs"}' },
    expected: {
      generator: 'plain',
      docs: './docs',
      name: expect.not.stringContaining('@') as string,
    },
  },
  'no known generator': {
    files: { 'documentation/index.md': page, 'package.json': '{"name":"docs-acme"}' },
    expected: { generator: 'plain', docs: './documentation', name: 'acme' },
  },
};

test.each(Object.entries(examples))('%s', async (_name, { files, expected, tagIn }) => {
  await put(files);
  const site = await detectSite(folder);
  const { generator, docs, name, url } = site;
  expect({ generator, docs, name, ...(url !== undefined && { url }) }).toEqual(expected);

  await writeFirstConfig(folder, () => {});
  const { config } = await loadConfig(join(folder, 'docent.config.mjs'));
  expect(config.sites[0]).toMatchObject({
    name,
    docs: { folder: join(folder, docs), ...(url !== undefined && { baseUrl: url }) },
  });
  await expect(writeFirstConfig(folder, () => {})).rejects.toThrow('EEXIST');

  const place = placeTag(site, tag);
  expect(place.snippet).toContain(generator === 'mintlify' ? "site = 'acme'" : 'svc_dsc_x');
  const changed = [...(place.files ?? [])];
  expect(changed.map(([file]) => relative(folder, file))).toEqual(tagIn ?? []);
  for (const [file, text] of changed) {
    const before = await readFile(file, 'utf8').catch(() => '');
    for (const line of before.split(/\n|(?=<\/body>)|(?<=(?:export default |starlight\()\{)/))
      expect(text).toContain(line);
    await writeFile(file, text);
  }
  if (!tagIn) return;
  expect(changed.map(([, text]) => text).join('')).toContain('http://127.0.0.1:4320');
  const after = await detectSite(folder);
  // The tag is a line more.
  expect({ ...after, unknown: [] }).toEqual({ ...site, unknown: [] });
  expect(placeTag(after, tag)).toMatchObject({ isDone: true });
});

test('a folder without pages is refused', async () => {
  await expect(detectSite(folder)).rejects.toThrow(/^There are no Markdown files in /);
});

test('a site without Markdown: the owner learns what to build', async () => {
  await put({ 'docs/antora.yml': 'title: Acme\n', 'docs/modules/ROOT/pages/index.adoc': '= Acme' });
  await expect(detectSite(folder)).rejects.toThrow(
    /Antora builds.*"docent init --html build\/site"/,
  );
});

test('a generator that is not read here: the owner learns what to build, and the build is read', async () => {
  await put({
    'hugo.toml': 'baseURL = "https://acme.dev/"\ntitle = "Acme"\n',
    'content/_index.md': page,
  });
  const said: string[] = [];
  await writeFirstConfig(folder, (line) => said.push(line));
  expect(said.join('\n')).toMatch(/Hugo.*\n.*"hugo" writes public.*"docent init --html public"/);

  await rm(join(folder, 'docent.config.mjs'));
  await expect(writeFirstConfig(folder, () => {}, join(folder, 'public'))).rejects.toThrow(
    'Build the site first',
  );
  await put({ 'public/index.html': '<h1>Acme</h1><p>Text.</p>' });
  await writeFirstConfig(folder, () => {}, join(folder, 'public'));
  const { config } = await loadConfig(join(folder, 'docent.config.mjs'));
  expect(config.sites[0]?.docs.sources).toMatchObject([
    { type: 'html', folder: join(folder, 'public') },
  ]);
});

test('what only a run of the settings tells is said with its line, and what was taken', async () => {
  await put({
    'docs/.vitepress/config.ts': `import { title } from './names';\nimport { nothing } from './missing';\nexport default defineConfig({\n  title,\n  base: nothing,\n});\n`,
    'docs/.vitepress/names.ts': `export const version = process.version;\nexport const title = \`Acme \${version}\`;\n`,
    'docs/index.md': page,
  });
  const said: string[] = [];
  await writeFirstConfig(folder, (line) => said.push(line));
  expect(said.join('\n')).toContain(
    `docs/.vitepress/config.ts:5: "base" is known only to the build. The usual value is taken.`,
  );
  expect(said.join('\n')).toContain(
    `docs/.vitepress/config.ts: "title" is known only to the build. The name is 'Acme'.`,
  );
});

test('translations in folders of their own are named, with the lines that add them', async () => {
  await put({
    'docs/en/mkdocs.yml': 'site_name: Acme\n',
    'docs/en/docs/index.md': page,
    'docs/fr/docs/index.md': page,
  });
  const said: string[] = [];
  await writeFirstConfig(folder, (line) => said.push(line));
  expect(said.join('\n')).toContain(
    `Translations in other folders: fr. To answer from them too, write sources: [{ type: 'folder', folder: './docs/en/docs' }, { type: 'folder', folder: './docs/fr/docs', generator: 'mkdocs', basePath: '/fr', language: 'fr' }] in place of the folder.`,
  );
});

test('versions of MkDocs are below a path, and an unknown address is that of the package', async () => {
  await put({
    'mkdocs.yml':
      'site_name: Acme\nsite_url: https://acme.dev\nextra:\n  version:\n    provider: mike\n',
    'docs/index.md': page,
  });
  expect((await detectSite(folder)).url).toBe('https://acme.dev/latest');
  await rm(join(folder, 'mkdocs.yml'));
  await put({
    'website/docusaurus.config.js': `const { homepage } = load();\nexport default { title: 'Acme', url: homepage, presets: [['classic', { docs: { path: '../docs' } }]] };`,
    'package.json': '{ "homepage": "https://docs.acme.dev/start" }',
  });
  expect(await detectSite(folder)).toMatchObject({
    docs: './docs',
    url: 'https://docs.acme.dev',
  });
});

test('a site of Docusaurus in several languages', async () => {
  await put({
    'docusaurus.config.js': `export default { title: 'Acme', i18n: { defaultLocale: 'en', locales: ['en', 'fr'] } };`,
    'docs/intro.md': page,
    'i18n/fr/docusaurus-plugin-content-docs/current/intro.md': page,
  });
  expect((await detectSite(folder)).translations).toEqual([
    { folder: './i18n/fr/docusaurus-plugin-content-docs/current', language: 'fr' },
  ]);
});
