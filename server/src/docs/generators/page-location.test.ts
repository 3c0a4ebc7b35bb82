/** Addresses and anchors as the generators really make them; the sites were built to see them. */
import type { Generator } from '../../platform/config/docs-config.ts';
import { expect, test } from 'vitest';
import { parse } from '../parsing/parse.ts';
import { filePages } from '../sources/file-pages.ts';
import {
  basePathOf,
  describeLayout,
  plainLayout,
  readLayout,
  withOwnerSettings,
} from './layout.ts';

interface Site {
  /** Every file of the project. */
  files: Record<string, string>;
  /** What the configuration names as the folder of the pages. */
  folder: string;
  generator?: Generator;
}

async function layoutOf({ files, folder, generator }: Site) {
  return readLayout({ folder, read: (path) => Promise.resolve(files[path]), generator });
}

/** Address of each page, and those of its sections. */
async function addresses(site: Site): Promise<Record<string, string[]>> {
  const prefix = site.folder === '' ? '' : `${site.folder}/`;
  const files = Object.keys(site.files)
    .filter((path) => path.startsWith(prefix) && /\.mdx?$/.test(path))
    .map((path) => path.slice(prefix.length));
  const warnings: string[] = [];
  const { folder, generator } = site;
  const pages = await filePages(
    {
      names: files,
      unread: [],
      folder,
      read: (file) => Promise.resolve(Buffer.from(site.files[prefix + file] ?? '')),
      readSettings: (path) => Promise.resolve(site.files[path]),
      readIncluded: () => Promise.resolve(new Map()),
      repository: undefined,
      modified: () => Promise.resolve(undefined),
      from: 'the test',
    },
    { folder, generator },
    { parse, onWarning: (warning) => void warnings.push(warning) },
  );
  expect(warnings).toEqual([]);
  const read = await Promise.all(
    pages.map(async (page) => ({ ...(await page.read()), from: page.from })),
  );
  return Object.fromEntries(
    read.map(({ from, path, url, passages }) => [
      from,
      [url ?? path, ...new Set(passages.map(({ anchor }) => anchor).filter(Boolean))],
    ]),
  );
}

const text = 'Some words.\n\n';

test('Docusaurus: id, slug, numbers, index pages, partials', async () => {
  const files = {
    'docusaurus.config.ts': `export default { baseUrl: '/', presets: [['classic', {
      docs: { sidebarPath: './sidebars.ts', editUrl: 'https://x.test/' }, // routeBasePath: '/no'
      blog: { routeBasePath: 'news' },
    }]] };`,
    'docs/intro.md': `---\nsidebar_position: 1\n---\n# Intro\n\n## What's new?\n${text}## Größe {/* #size */}\n${text}`,
    'docs/02-guides/01-deploy.mdx': `---\nid: ship-it\n---\n# Deploy\n\n## Use <Key name="Ctrl" />\n${text}`,
    'docs/02-guides/start.md': `---\nslug: /begin\n---\n${text}`,
    'docs/02-guides/rel.md': `---\nslug: deep/down\n---\n${text}`,
    'docs/odd.md': `---\nslug: a:b%zz\n---\n${text}`,
    'docs/billing/billing.md': text,
    'docs/api/README.md': text,
    'docs/api/_part.mdx': text,
    'docs/_drafts/a.md': text,
    'docs/2024-01-02-news.md': text,
  };
  const expected = {
    'intro.md': ['/docs/intro', 'whats-new', 'size'],
    '02-guides/01-deploy.mdx': ['/docs/guides/ship-it', 'use-'],
    '02-guides/start.md': ['/docs/begin'],
    '02-guides/rel.md': ['/docs/guides/deep/down'],
    'odd.md': ['/docs/a:b%zz'],
    'billing/billing.md': ['/docs/billing/'],
    'api/README.md': ['/docs/api/'],
    '2024-01-02-news.md': ['/docs/2024-01-02-news'],
  };
  expect(await addresses({ files, folder: 'docs' })).toEqual(expected);
  const whole = await addresses({ files, folder: '' });
  expect(whole['docs/intro.md']).toEqual(expected['intro.md']);
  expect(Object.keys(whole)).toHaveLength(Object.keys(expected).length);
});

test.each([
  ['docs', '/product/docs/next/intro'],
  ['versioned_docs/version-2.0', '/product/docs/intro'],
  ['versioned_docs/version-1.0', '/product/docs/1.0/intro'],
  ['api', '/product/reference/intro'],
  ['', '/product/docs/intro'],
])('Docusaurus with versions and a second docs plugin: %s', async (folder, address) => {
  const files = {
    'docusaurus.config.js': `module.exports = { baseUrl: '/product/', trailingSlash: false,
      plugins: [['@docusaurus/plugin-content-docs', { id: 'api', path: 'api', routeBasePath: 'reference' }]],
      presets: [['classic', { docs: { versions: { current: { label: 'Next' } } } }]] };`,
    'versions.json': '["2.0", "1.0"]',
    'docs/intro.md': text,
    'versioned_docs/version-2.0/intro.md': text,
    'versioned_docs/version-1.0/intro.md': text,
    'api/intro.md': text,
  };
  expect(Object.values(await addresses({ files, folder }))).toEqual([[address]]);
});

test.each([
  ['docs', '/docs/intro'],
  ['versioned_docs/version-1.0', '/docs/1.0/intro'],
])('Docusaurus that publishes no current version: %s', async (folder, address) => {
  const files = {
    'docusaurus.config.js': `module.exports = { presets: [['classic', { docs: { includeCurrentVersion: false } }]] };`,
    // The build copies "docs" to the folder of the newest version.
    'versions.json': '["2.0", "1.0"]',
    'docs/intro.md': text,
    'versioned_docs/version-1.0/intro.md': text,
  };
  expect(Object.values(await addresses({ files, folder }))[0]?.[0]).toMatch(
    new RegExp(`^${address}/?$`),
  );
});

test('Docusaurus at the root of its site', async () => {
  const files = {
    'docusaurus.config.ts': `export default { presets: [['classic', { docs: { routeBasePath: '/' } }]] };`,
    'docs/index.md': text,
    'docs/a.md': text,
  };
  expect(await addresses({ files, folder: 'docs' })).toEqual({ 'index.md': ['/'], 'a.md': ['/a'] });
});

test.each([
  ['', ['/base/guide/', '/base/guide/install.html']],
  ['cleanUrls: true,', ['/base/guide/', '/base/guide/install']],
])('VitePress %s', async (setting, [index, page]) => {
  const files = {
    'docs/.vitepress/config.mts': `export default { base: '/base/', ${setting} }`,
    'docs/guide/index.md': text,
    'docs/guide/install.md': `# Install\n\n## What's new? <Badge type="tip" text="new" />\n${text}## 1. Größe :tada: & Maß\n${text}## Own {#my-id}\n${text}## Install\n${text}`,
    'docs/packages/[name].md': text,
  };
  expect(await addresses({ files, folder: 'docs' })).toEqual({
    'guide/index.md': [index],
    'guide/install.md': [page, 'what-s-new', '_1-große-maß', 'my-id', 'install-1'],
  });
});

test.each([
  ['', '/guides/get-started/'],
  ["build: { format: 'file' },", '/guides/get-started.html'],
  ["trailingSlash: 'never',", '/guides/get-started'],
])('Starlight %s', async (setting, address) => {
  const files = {
    'astro.config.mjs': `export default defineConfig({ ${setting} integrations: [starlight({ title: 'A' })] });`,
    'src/content/docs/index.mdx': text,
    'src/content/docs/guides/Get Started.mdx': `## What's new?\n${text}## Use <Key name="Ctrl" />\n${text}`,
    'src/content/docs/guides/_part.mdx': text,
    'src/content/docs/guides/01-first.md': `---\nslug: other/place\n---\n${text}`,
  };
  const found = await addresses({ files, folder: 'src/content/docs' });
  expect(found['guides/Get Started.mdx']).toEqual([address, 'whats-new', 'use']);
  expect(found['guides/_part.mdx']).toBeUndefined();
  expect(found['guides/01-first.md']?.[0]).toMatch(/^\/other\/place(\/|\.html)?$/);
  expect(Object.keys(await addresses({ files, folder: '' }))).toContain(
    'src/content/docs/index.mdx',
  );
});

test('an Astro site without Starlight is not recognized', async () => {
  const files = { 'astro.config.mjs': 'export default {}', 'docs/a.md': text };
  expect((await layoutOf({ files, folder: 'docs' })).generator).toBe('plain');
});

test.each([
  ['', '/project/setup/fonts/'],
  ['use_directory_urls: false', '/project/setup/fonts.html'],
])('MkDocs %s', async (setting, page) => {
  const files = {
    'mkdocs.yml': `site_url: https://acme.github.io/project/\n${setting}\nmarkdown_extensions:\n  - toc:\n      permalink: true\n  - emoji: !!python/name:x.y\n`,
    'docs/setup/index.md': text,
    'docs/setup/fonts.md': `# Fonts\n\n## Größe\n${text}## Größe\n${text}## :smile: Own { #own .wide }\n${text}## 9.1 <small>May</small> { id="9.1" }\n${text}## Quiet { data-search-exclude }\n${text}`,
  };
  expect(await addresses({ files, folder: 'docs' })).toEqual({
    'setup/index.md': ['/project/setup/'],
    'setup/fonts.md': [page, 'groe', 'groe_1', 'own', '9.1', 'quiet'],
  });
});

test('MkDocs whose headings keep the letters of every script', async () => {
  const files = {
    'mkdocs.yml': `markdown_extensions:\n  - toc:\n      slugify: !!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}\n`,
    'docs/a.md': `## Größe messen\n${text}## Größe messen\n${text}`,
  };
  expect(await addresses({ files, folder: 'docs' })).toEqual({
    'a.md': ['/a/', 'größe-messen', 'größe-messen_1'],
  });
});

test('docsify with addresses behind the #, and Nextra with its content folder', async () => {
  expect(
    await addresses({
      files: {
        'docs/index.html': '<script>window.$docsify = {}</script>',
        'docs/README.md': text,
        'docs/_sidebar.md': text,
        'docs/guide/a.md': text,
      },
      folder: 'docs',
    }),
  ).toEqual({ 'README.md': ['/#/'], 'guide/a.md': ['/#/guide/a'] });
  expect(
    await addresses({
      files: {
        'next.config.mjs':
          "import nextra from 'nextra'; export default nextra({ contentDirBasePath: '/docs' })({})",
        'content/guide/index.mdx': text,
        'content/guide/a.mdx': `## Own [#mine]\n${text}`,
      },
      folder: 'content',
    }),
  ).toEqual({ 'guide/index.mdx': ['/docs/guide'], 'guide/a.mdx': ['/docs/guide/a', 'mine'] });
});

test('a folder below the folder of pages, and a generator that the owner names', async () => {
  const files = { 'mkdocs.yml': 'site_name: A', 'docs/setup/a.md': text };
  expect(await addresses({ files, folder: 'docs/setup' })).toEqual({ 'a.md': ['/setup/a/'] });
  expect(await addresses({ files, folder: 'docs/setup', generator: 'plain' })).toEqual({
    'a.md': ['/a'],
  });
  expect(await addresses({ files, folder: 'docs/setup', generator: 'docusaurus' })).toEqual({
    'a.md': ['/docs/a'],
  });
});

test.each([
  ['https://acme.github.io', '/project/docs'],
  ['https://acme.github.io/project', '/docs'],
  ['https://acme.github.io/pro', '/project/docs'],
])('%s: what the address says is not said again', (baseUrl, expected) => {
  const layout = { ...plainLayout('docs'), mounts: [{ folder: 'docs', at: '/project/docs' }] };
  expect(basePathOf(withOwnerSettings(layout, { baseUrl }))).toBe(expected);
  expect(basePathOf(withOwnerSettings(layout, { baseUrl, basePath: '/own' }))).toBe('/own');
});

test('the owner sees which generator was found, and in which file', async () => {
  const files = { 'site/docusaurus.config.ts': `export default { baseUrl: '/' }` };
  expect(describeLayout(await layoutOf({ files, folder: 'site/docs' }), 'site/docs')).toBe(
    'Docusaurus (../docusaurus.config.ts): addresses such as /docs/guide/install',
  );
});

test('names of versions are names, whatever an expression would make of them', async () => {
  const evil = '(a+)+$';
  const layout = await layoutOf({
    folder: '',
    files: {
      'docusaurus.config.js': `module.exports = { presets: [['classic', { docs: { versions: { "${evil}": { path: "old" }, "${'a'.repeat(5_000)}": {} } } }]] }`,
      'versions.json': JSON.stringify(['2.0', evil]),
      'docs/a.md': '# A',
    },
  });
  expect(layout.mounts).toContainEqual(
    expect.objectContaining({
      folder: `versioned_docs/version-${evil}`,
      at: '/docs/old',
    }),
  );
});

test('mdBook: chapters of the summary, anchors as in mdBook’s own tests, includes with anchors', async () => {
  const files = {
    'book.toml':
      '[book]\nsrc = "chapters"\n[output.html]\nsite-url = "/book/"\n[output.html.redirect]\n"old.html" = "new.html"\n',
    'chapters/SUMMARY.md':
      '# Summary\n\n[Start](README.md)\n\n- [Install](guide/install.md)\n  - [Draft]()\n- [All](guide/index.md#x)\n',
    'chapters/README.md': text,
    'chapters/guide/index.md': text,
    'chapters/guide/install.md': `## \`--passes\`: add more rustdoc passes\n${text}## Method-call 🐙 expressions \u{1f47c}\n${text}## 中文\n${text}## ::\n${text}## Own {#mine}\n${text}## Mine\n${text}## Mine\n${text}`,
    'chapters/notes.md': text,
  };
  expect(await addresses({ files, folder: 'chapters' })).toEqual({
    'README.md': ['/book/'],
    'guide/index.md': ['/book/guide/'],
    'guide/install.md': [
      '/book/guide/install.html',
      '--passes-add-more-rustdoc-passes',
      'method-call--expressions-',
      '中文',
      'section',
      'mine',
      'mine-1',
    ],
  });
  const layout = await layoutOf({ files, folder: '' });
  expect(layout.redirects).toEqual(['/book/old.html']);
  expect(layout.chapters).toContainEqual(['chapters/guide/install.md', 'Install']);
});

test('VuePress, Nuxt Content, and Fumadocs', async () => {
  expect(
    await addresses({
      files: {
        'docs/.vuepress/config.ts': "export default { base: '/v/' }",
        'docs/README.md': text,
        'docs/guide/a.md': `## What's new?\n${text}## Own {#mine}\n${text}`,
        'docs/guide/b.md': `---\npermalink: /custom/b.html\n---\n${text}`,
      },
      folder: 'docs',
    }),
  ).toEqual({
    'README.md': ['/v/'],
    'guide/a.md': ['/v/guide/a.html', 'what-s-new', 'own-mine'],
    'guide/b.md': ['/v/custom/b.html'],
  });
  expect(
    await addresses({
      files: {
        'nuxt.config.ts': "export default defineNuxtConfig({ modules: ['@nuxt/content'] })",
        'content/index.md': text,
        'content/1.guide/1.index.md': text,
        'content/1.guide/2.Start Here.md': `## 3 steps\n${text}## A -- b\n${text}`,
        'content/1.guide/01-kept.draft.md': text,
        'content/2.0/a.md': text,
      },
      folder: 'content',
    }),
  ).toEqual({
    'index.md': ['/'],
    '1.guide/1.index.md': ['/guide'],
    '1.guide/2.Start Here.md': ['/guide/start-here', '_3-steps', 'a-b'],
    '1.guide/01-kept.draft.md': ['/guide/01-kept'],
    '2.0/a.md': ['/2.0/a'],
  });
  expect(
    await addresses({
      files: {
        'source.config.ts':
          "import { defineDocs } from 'fumadocs-mdx/config'; export const docs = defineDocs({ dir: 'content/guide' })",
        'lib/source.ts':
          "import { loader } from 'fumadocs-core/source'; export const source = loader({ baseUrl: '/guide', source: docs.toFumadocsSource() })",
        'content/guide/index.mdx': text,
        'content/guide/(start)/install.mdx': `## Own [#mine]\n${text}`,
      },
      folder: 'content/guide',
    }),
  ).toEqual({ 'index.mdx': ['/guide'], '(start)/install.mdx': ['/guide/install', 'mine'] });
});

test('pages of the App Router, with groups, private folders, and paths that a program makes', async () => {
  expect(
    await addresses({
      files: {
        'next.config.ts':
          "import nextra from 'nextra'; export default nextra({})({ basePath: '/b' })",
        'app/layout.tsx': 'export default function Layout() {}',
        'app/page.mdx': text,
        'app/(docs)/guide/page.mdx': `## Install\n${text}`,
        'app/guide/part.mdx': text,
        'app/_parts/page.mdx': text,
        'app/[lang]/page.mdx': text,
      },
      folder: 'app',
    }),
  ).toEqual({ 'page.mdx': ['/b'], '(docs)/guide/page.mdx': ['/b/guide', 'install'] });
});

test('VitePress moves files by its rewrites', async () => {
  expect(
    await addresses({
      files: {
        '.vitepress/config.ts': `export default {
          cleanUrls: true,
          rewrites: { 'en/:rest*': ':rest*', 'src/a.md': 'start/here.md', 'p/:pkg/(.*)': ':pkg' },
        }`,
        'en/index.md': text,
        'en/guide/a.md': text,
        'src/a.md': text,
        'src/b.md': text,
        'p/one/c.md': text,
      },
      folder: '',
    }),
  ).toEqual({
    'en/index.md': ['/'],
    'en/guide/a.md': ['/guide/a'],
    'src/a.md': ['/start/here'],
    'src/b.md': ['/src/b'],
    'p/one/c.md': ['/p/one/c'],
  });
});

test.each([
  {
    generator: 'VitePress',
    settings: {
      'docs/.vitepress/config.ts': `export default { srcExclude: ['**/drafts/*', 'AGENTS.md'] };`,
    },
  },
  {
    generator: 'Docusaurus',
    settings: {
      'docusaurus.config.js': `export default { presets: [['classic', { docs: { routeBasePath: '/', include: ['{guide,other}/**/*.{md,mdx}', '*.md'], exclude: ['**/drafts/**', 'AGENTS.md'] } }]] };`,
    },
  },
  { generator: 'MkDocs', settings: { 'mkdocs.yml': 'exclude_docs: |\n  drafts/\n  /AGENTS.md\n' } },
])('$generator leaves out the files that its settings exclude', async ({ settings }) => {
  const pages = ['index.md', 'AGENTS.md', 'guide/a.md', 'guide/drafts/b.md', 'guide/AGENTS.md'];
  const files = {
    ...settings,
    ...Object.fromEntries(pages.map((name) => [`docs/${name}`, `# A\n\n${text}`])),
  };
  const found = Object.keys(await addresses({ files, folder: 'docs' }));
  expect(found.toSorted()).toEqual(['guide/AGENTS.md', 'guide/a.md', 'index.md']);
});

test('globs that would take long to compare are left alone', async () => {
  const slow = ['*a*a*a*a*b', '{a,b}{a,b}{a,b}/*', '+(+(a))', '**/a/**/b/**/c/**', 'a'.repeat(300)];
  const { mounts } = await layoutOf({
    files: { 'docs/.vitepress/config.json': JSON.stringify({ srcExclude: [...slow, 'b.md'] }) },
    folder: 'docs',
  });
  expect(mounts[0]?.globs).toEqual({ exclude: ['b.md'] });
});

test('the settings that MkDocs inherits from a file that a program makes are unknown', async () => {
  const { unknown } = await layoutOf({
    files: { 'mkdocs.yml': 'INHERIT: mkdocs.generated.yml\nsite_name: Acme\n' },
    folder: 'docs',
  });
  expect(unknown).toEqual([{ setting: 'site_url', line: 0 }]);
});
