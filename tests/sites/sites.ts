/**
 * Small sites, which `pnpm sites:record` builds with the real generators, and which the tests index. `pnpm sites:try`
 * puts the script tag into them, and asks a question in Chromium.
 */

export interface RecordedSite {
  generator: string;
  /** The folder of the pages. */
  docs: string;
  /** Another one, which is a source of its own. */
  also?: string;
  files: Readonly<Record<string, string>>;
  npm?: readonly string[];
  pip?: readonly string[];
  /** A program that has to be on the path, and how it's asked for its version. */
  program?: string;
  versionFlag?: string;
  /** Empty: the folder is served as it is. */
  build: readonly string[];
  /** The folder that the build writes, and the one that answers begin at. */
  output: string;
  /** The path of the site on its host, below which the output is. */
  base?: string;
  /** The address of a page with the tag, if it isn't the first one. */
  start?: string;
  /** Pages that the generator adds. */
  made?: RegExp;
}

/** Headings whose anchors generators make differently. */
const headings = [
  'Install `acme` with npm',
  'Install `acme` with npm',
  '1. First steps',
  'Überblick & Ziele',
  'C++ / C# (v2.0)',
  'Options: --dry-run',
  'snake_case and camelCase',
  '日本語の見出し',
  '"Quoted" — dashes',
  'Emoji 🚀 launch',
  'A **bold** word and _more_',
  "What's <br> new?",
];
/** What `pnpm sites:try` asks about. */
const answers: Readonly<Record<string, string>> = {
  'Options: --dry-run': 'The option `--dry-run` shows what the launch would change.',
};
const text = (more: readonly string[] = []) =>
  [...headings, ...more].map((one) => `## ${one}\n\n${answers[one] ?? 'Text of it.'}\n`).join('\n');
const page = (title: string, more: readonly string[] = [], front = '') =>
  `---\ntitle: ${title}\n${front}---\n\n# ${title}\n\nText.\n\n${text(more)}`;
/** Where the title comes from the frontmatter only. */
const titled = (title: string, more: readonly string[] = [], front = '') =>
  page(title, more, front).replace(/^# .*\n\n/m, '');
const own = ['Custom anchor {#own-anchor}'];
const simple = (title: string) =>
  `---\ntitle: ${title}\n---\n\nText.\n\n## Part of ${title}\n\nText.\n`;

const manifest = (more: object = {}) =>
  `${JSON.stringify({ name: 'acme-docs', private: true, type: 'module', ...more }, null, 2)}\n`;
const nextLayout = `export const metadata = { title: 'Acme' };\nexport default function Layout({ children }) {\n  return <html lang="en"><body>{children}</body></html>;\n}\n`;

export const sites: readonly RecordedSite[] = [
  {
    generator: 'VitePress',
    docs: 'docs',
    files: {
      'package.json': manifest(),
      'docs/.vitepress/config.ts': `export default { title: 'Acme', base: '/acme/', srcExclude: ['**/drafts/*'], rewrites: { 'old/:rest*': 'new/:rest*' } };\n`,
      'docs/index.md': page('Welcome'),
      'docs/guide/index.md': page('Guide', own),
      'docs/guide/Upper Case.md': simple('Upper'),
      'docs/old/moved.md': simple('Moved'),
      'docs/guide/drafts/later.md': simple('Later'),
    },
    npm: ['vitepress'],
    build: ['npx', 'vitepress', 'build', 'docs'],
    output: 'docs/.vitepress/dist',
    base: '/acme/',
    made: /^404/,
  },
  {
    generator: 'VuePress',
    docs: 'docs',
    files: {
      'package.json': manifest(),
      'docs/.vuepress/config.js': `import { viteBundler } from '@vuepress/bundler-vite';\nimport { defaultTheme } from '@vuepress/theme-default';\nimport { defineUserConfig } from 'vuepress';\nexport default defineUserConfig({ title: 'Acme', bundler: viteBundler(), theme: defaultTheme() });\n`,
      'docs/README.md': page('Welcome'),
      'docs/guide/README.md': page('Guide', own),
      'docs/guide/install.md': simple('Install'),
      'docs/guide/linked.md':
        '---\npermalink: /elsewhere/page.html\n---\n\n# Linked\n\nText.\n\n## Part\n\nText.\n',
    },
    npm: [
      // Its release candidates name each other too strictly.
      '--legacy-peer-deps',
      'vuepress@2.0.0-rc.31',
      '@vuepress/bundler-vite@2.0.0-rc.31',
      '@vuepress/theme-default@2.0.0-rc.132',
      'sass-embedded',
      'vue',
    ],
    build: ['npx', 'vuepress', 'build', 'docs'],
    output: 'docs/.vuepress/dist',
    made: /^404/,
  },
  {
    generator: 'Docusaurus',
    docs: 'docs',
    also: 'i18n/fr/docusaurus-plugin-content-docs/current',
    files: {
      // Its bundle of the server is CommonJS.
      'package.json': manifest({ type: undefined }),
      'docusaurus.config.js': `export default {\n  title: 'Acme',\n  url: 'https://acme.dev',\n  baseUrl: '/',\n  onBrokenLinks: 'ignore',\n  i18n: { defaultLocale: 'en', locales: ['en', 'fr'] },\n  presets: [['classic', { docs: { routeBasePath: 'manual' }, blog: false }]],\n};\n`,
      'docs/intro.mdx': page('Welcome', own).replace('<br> ', ''),
      'docs/01-guide/02-install.md': simple('Install'),
      'docs/01-guide/index.md': simple('Guide'),
      'docs/01-guide/named.md': simple('Named').replace('title:', 'id: other\ntitle:'),
      'docs/01-guide/slug.md': simple('Slug').replace('title:', 'slug: /start-here\ntitle:'),
      'docs/Upper Case/same.md': simple('Same'),
      'docs/_partial.md': 'A part of a page.\n',
      'i18n/fr/docusaurus-plugin-content-docs/current/intro.mdx': simple('Bienvenue'),
    },
    npm: ['@docusaurus/core', '@docusaurus/preset-classic', 'react', 'react-dom'],
    build: ['npx', 'docusaurus', 'build'],
    output: 'build',
    start: '/manual/intro',
    // Pages that aren't translated are shown in the main language.
    made: /(^|\/)(404|search)\.html$|^fr\/manual\/(?!intro\/)/,
  },
  {
    generator: 'Starlight',
    docs: 'src/content/docs',
    files: {
      'package.json': manifest(),
      'astro.config.mjs': `import starlight from '@astrojs/starlight';\nimport { defineConfig } from 'astro/config';\nexport default defineConfig({\n  site: 'https://acme.dev',\n  integrations: [starlight({ title: 'Acme', pagefind: false, locales: { root: { label: 'English', lang: 'en' }, fr: { label: 'Français' } } })],\n});\n`,
      'src/content.config.ts': `import { defineCollection } from 'astro:content';\nimport { docsLoader } from '@astrojs/starlight/loaders';\nimport { docsSchema } from '@astrojs/starlight/schema';\nexport const collections = { docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }) };\n`,
      'src/content/docs/index.md': titled('Welcome'),
      'src/content/docs/guide/index.md': simple('Guide'),
      'src/content/docs/guide/Upper Case.md': simple('Upper'),
      'src/content/docs/guide/v1.2-notes.md': simple('Notes'),
      'src/content/docs/slug.md': simple('Slug').replace('title:', 'slug: start/here\ntitle:'),
      'src/content/docs/fr/index.md': simple('Bienvenue'),
      'src/content/docs/fr/guide/index.md': simple('Guide'),
    },
    npm: ['astro', '@astrojs/starlight', 'sharp'],
    build: ['npx', 'astro', 'build'],
    output: 'dist',
    // Pages that aren't translated are shown in the main language.
    made: /^(fr\/)?404|^fr\/(guide\/(upper|v1)|start)/,
  },
  {
    generator: 'MkDocs',
    docs: 'docs',
    files: {
      'mkdocs.yml':
        'site_name: Acme\nsite_url: https://acme.dev/\ntheme:\n  name: material\nmarkdown_extensions:\n  - attr_list\n  - toc:\n      permalink: true\n',
      'docs/index.md': page('Welcome', ['Custom anchor { #own-anchor }']),
      'docs/guide/README.md': simple('Guide'),
      'docs/guide/Upper Case.md': simple('Upper'),
      'docs/guide/install.md': simple('Install'),
    },
    pip: ['mkdocs', 'mkdocs-material'],
    build: ['python3', '-m', 'mkdocs', 'build', '--quiet'],
    output: 'site',
    made: /^404/,
  },
  {
    generator: 'MkDocs in several languages',
    docs: 'docs',
    files: {
      'mkdocs.yml':
        'site_name: Acme\nsite_url: https://acme.dev/\nplugins:\n  - i18n:\n      docs_structure: suffix\n      languages:\n        - locale: en\n          name: English\n          default: true\n          build: true\n        - locale: fr\n          name: Français\n          build: true\n',
      'docs/index.md': simple('Welcome'),
      'docs/index.fr.md': simple('Bienvenue'),
      'docs/guide/install.md': simple('Install'),
      'docs/guide/install.fr.md': simple('Installer'),
    },
    pip: ['mkdocs', 'mkdocs-static-i18n'],
    build: ['python3', '-m', 'mkdocs', 'build', '--quiet'],
    output: 'site',
    made: /(^|\/)404/,
  },
  {
    generator: 'mdBook',
    docs: 'src',
    files: {
      'book.toml': '[book]\ntitle = "Acme"\n',
      'src/SUMMARY.md':
        '# Summary\n\n- [Welcome](README.md)\n- [Guide](guide/index.md)\n  - [Install](guide/install.md)\n',
      'src/README.md': page('Welcome', own).replace(/^---[^]*?---\n\n/, ''),
      'src/guide/index.md': '# Guide\n\nText.\n\n## Part\n\nText.\n',
      'src/guide/install.md': '# Install\n\nText.\n\n## Part\n\nText.\n\n## Part\n\nText.\n',
      'src/unlisted.md': '# Unlisted\n\nText.\n',
    },
    program: 'mdbook',
    build: ['mdbook', 'build'],
    output: 'book',
    made: /^(404|print|toc)/,
  },
  {
    generator: 'Nextra',
    docs: 'content',
    also: 'app',
    files: {
      'package.json': manifest({ type: undefined }),
      'next.config.mjs': `import nextra from 'nextra';\nexport default nextra({ contentDirBasePath: '/docs' })({ output: 'export', images: { unoptimized: true } });\n`,
      'mdx-components.js': `import { useMDXComponents as docs } from 'nextra/mdx-components';\nexport const useMDXComponents = (own) => ({ ...docs(), ...own });\n`,
      'app/layout.jsx': nextLayout,
      'app/page.mdx': '# Start\n\nText.\n\n## Part of the start\n\nText.\n',
      'app/docs/[[...mdxPath]]/page.jsx':
        `import { generateStaticParamsFor, importPage } from 'nextra/pages';\nimport { useMDXComponents } from '../../../mdx-components';\nexport const generateStaticParams = generateStaticParamsFor('mdxPath');\nconst Wrapper = useMDXComponents().wrapper;\nexport default async function Page(props) {\n  const params = await props.params;\n  const { default: Content, toc, metadata, sourceCode } = await importPage(params.mdxPath);\n  return <Content {...props} params={params} />;\n}\n`.replace(
          'const Wrapper = useMDXComponents().wrapper;\n',
          '',
        ),
      'content/index.mdx': page('Welcome').replace('<br> ', ''),
      'content/guide/index.mdx': simple('Guide'),
      'content/guide/install.mdx': simple('Install'),
    },
    npm: ['next', 'nextra', 'react', 'react-dom', 'typescript@5'],
    build: ['npx', 'next', 'build'],
    output: 'out',
    made: /^(404|_not-found)/,
  },
  {
    generator: 'Fumadocs',
    docs: 'content/docs',
    files: {
      'package.json': manifest(),
      'tsconfig.json': `${JSON.stringify({ compilerOptions: { jsx: 'preserve', module: 'esnext', moduleResolution: 'bundler', target: 'es2022', lib: ['dom', 'esnext'], skipLibCheck: true, esModuleInterop: true, paths: { '@/.source': ['./.source/index.ts'], '@/*': ['./*'], 'fumadocs-mdx:collections/*': ['./.source/*'] } }, include: ['**/*.ts', '**/*.tsx'] })}\n`,
      'source.config.ts': `import { defineConfig, defineDocs } from 'fumadocs-mdx/config';\nexport const docs = defineDocs({ dir: 'content/docs' });\nexport default defineConfig();\n`,
      'next.config.mjs': `import { createMDX } from 'fumadocs-mdx/next';\nexport default createMDX()({ output: 'export', typescript: { ignoreBuildErrors: true } });\n`,
      'lib/source.ts': `import { docs } from 'fumadocs-mdx:collections/server';\nimport { loader } from 'fumadocs-core/source';\nexport const source = loader({ baseUrl: '/manual', source: docs.toFumadocsSource() });\n`,
      'app/layout.tsx': nextLayout.replace(
        '{ children }',
        '{ children }: { children: React.ReactNode }',
      ),
      'app/manual/[[...slug]]/page.tsx': `import defaultComponents from 'fumadocs-ui/mdx';\nimport { source } from '@/lib/source';\nexport default async function Page(props: { params: Promise<{ slug?: string[] }> }) {\n  const { body: Body } = source.getPage((await props.params).slug)!.data;\n  return <main><Body components={{ ...defaultComponents }} /></main>;\n}\nexport const generateStaticParams = () => source.generateParams();\n`,
      'content/docs/index.mdx': titled('Welcome', ['Custom anchor [#own-anchor]']).replace(
        '<br> ',
        '',
      ),
      'content/docs/(group)/install.mdx': simple('Install'),
      'content/docs/guide/index.mdx': simple('Guide'),
      'content/docs/guide/Upper Case.mdx': simple('Upper'),
    },
    npm: [
      'next',
      'react',
      'react-dom',
      'fumadocs-core@16.10.0',
      'fumadocs-ui@16.10.0',
      'fumadocs-mdx@14.3.2',
      '@types/mdx',
      '@types/react',
      '@types/node',
      'typescript',
    ],
    build: ['npx', 'next', 'build'],
    output: 'out',
    start: '/manual',
    made: /^(404|_not-found)/,
  },
  {
    generator: 'Nuxt Content',
    docs: 'content',
    files: {
      'package.json': manifest(),
      'nuxt.config.ts': `export default defineNuxtConfig({ modules: ['@nuxt/content'], nitro: { prerender: { crawlLinks: false, routes: ['/', '/guide', '/guide/install', '/guide/upper-case'] } } });\n`,
      'content.config.ts': `import { defineCollection, defineContentConfig } from '@nuxt/content';\nexport default defineContentConfig({ collections: { docs: defineCollection({ type: 'page', source: '**' }) } });\n`,
      'app/pages/[...slug].vue': `<script setup>\nconst route = useRoute();\nconst { data } = await useAsyncData(route.path, () => queryCollection('docs').path(route.path).first());\n</script>\n<template><main><ContentRenderer v-if="data" :value="data" /></main></template>\n`,
      'content/index.md': page('Welcome', own),
      'content/1.guide/0.index.md': simple('Guide'),
      'content/1.guide/1.install.md': simple('Install'),
      'content/1.guide/2.Upper Case.md': simple('Upper'),
    },
    npm: ['nuxt', '@nuxt/content', 'better-sqlite3', 'vue', 'vue-router'],
    build: ['npx', 'nuxt', 'generate'],
    output: '.output/public',
    made: /^(200|404)/,
  },
];

const html = (title: string, content: string) =>
  `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${title}</title></head>\n<body>\n<main>\n${content}\n</main>\n</body>\n</html>\n`;
const rst = (title: string, more = '') =>
  `${title}\n=======\n\nText.\n\nOptions: --dry-run\n------------------\n\nThe option \`\`--dry-run\`\` shows what the launch would change.\n${more}`;

/** Sites that are read from their built pages, or need no build. Nothing is recorded of them. */
export const otherSites: readonly RecordedSite[] = [
  {
    generator: 'Sphinx',
    docs: 'docs',
    files: {
      'docs/conf.py': "project = 'Acme'\nhtml_theme = 'furo'\nextensions = []\n",
      'docs/index.rst': rst('Welcome', '\n.. toctree::\n\n   guide/install\n'),
      'docs/guide/install.rst': rst('Install'),
    },
    pip: ['sphinx', 'furo'],
    build: ['python3', '-m', 'sphinx', '-q', '-b', 'html', 'docs', 'docs/_build/html'],
    output: 'docs/_build/html',
  },
  {
    generator: 'MyST',
    docs: 'docs',
    files: {
      'docs/conf.py':
        "project = 'Acme'\nextensions = ['myst_parser']\nmyst_heading_anchors = 3\nhtml_js_files = [\n    'own.js',\n]\nhtml_static_path = ['_static']\n",
      'docs/_static/own.js': 'document.documentElement.dataset.own = "1";\n',
      'docs/index.md': `# Welcome\n\n${text()}\n\`\`\`{toctree}\nguide/install\n\`\`\`\n`,
      'docs/guide/install.md': '# Install\n\nText.\n\n## Part\n\nText.\n',
    },
    pip: ['sphinx', 'myst-parser'],
    build: ['python3', '-m', 'sphinx', '-q', '-b', 'html', 'docs', 'docs/_build/html'],
    output: 'docs/_build/html',
  },
  {
    generator: 'Hugo',
    docs: 'content',
    files: {
      'hugo.toml': 'baseURL = "https://acme.dev/"\ntitle = "Acme"\n',
      'layouts/_default/baseof.html': html('{{ .Title }}', '{{ block "main" . }}{{ end }}'),
      'layouts/_default/single.html':
        '{{ define "main" }}<h1>{{ .Title }}</h1>{{ .Content }}{{ end }}\n',
      'layouts/_default/list.html':
        '{{ define "main" }}<h1>{{ .Title }}</h1>{{ .Content }}{{ end }}\n',
      'layouts/_default/_markup/render-heading.html':
        '<h{{ .Level }} id="{{ .Anchor | safeURL }}">{{ .Text | safeHTML }}</h{{ .Level }}>\n',
      'content/_index.md': titled('Welcome'),
      'content/guide/_index.md': simple('Guide'),
      'content/guide/install.md': simple('Install'),
    },
    program: 'hugo',
    versionFlag: 'version',
    build: ['hugo', '--quiet'],
    output: 'public',
  },
  {
    generator: 'Jekyll',
    docs: '',
    files: {
      '_config.yml': 'title: Acme\nurl: https://acme.dev\nbaseurl: /acme\npermalink: pretty\n',
      '_layouts/default.html': html('{{ page.title }}', '{{ content }}'),
      'index.md': page('Welcome', [], 'layout: default\n'),
      'guide/install.md': simple('Install').replace('title:', 'layout: default\ntitle:'),
    },
    program: 'jekyll',
    build: ['jekyll', 'build', '--quiet'],
    output: '_site',
    base: '/acme/',
  },
  {
    generator: 'Eleventy',
    docs: '',
    files: {
      'package.json': manifest(),
      'eleventy.config.js':
        "import { IdAttributePlugin } from '@11ty/eleventy';\nexport default (config) => {\n  config.addPlugin(IdAttributePlugin);\n};\n",
      '_includes/base.njk': html('{{ title }}', '{{ content | safe }}'),
      'index.md': page('Welcome', [], 'layout: base.njk\n'),
      'guide/install.md': simple('Install').replace('title:', 'layout: base.njk\ntitle:'),
    },
    npm: ['@11ty/eleventy'],
    build: ['npx', '@11ty/eleventy', '--quiet'],
    output: '_site',
  },
  {
    generator: 'docsify',
    docs: '.',
    files: {
      'package.json': manifest(),
      'index.html':
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Acme</title></head>\n<body>\n<div id="app"></div>\n<script>window.$docsify = { name: "Acme" };</script>\n<script src="node_modules/docsify/lib/docsify.min.js"></script>\n</body>\n</html>\n',
      'README.md': page('Welcome').replace(/^---[^]*?---\n\n/, ''),
      'guide/install.md': '# Install\n\nText.\n\n## Part\n\nText.\n',
    },
    npm: ['docsify@4'],
    build: [],
    output: '.',
  },
];
