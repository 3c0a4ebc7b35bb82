/** The checks on projects of each generator. */
import { describe, expect, test } from 'vitest';
import { check, type Files, short } from '../../../testing/agent-checks.ts';

const md = (title: string, text = '') => `---\ntitle: ${title}\n---\n\n# ${title}\n\n${text}\n`;

const mintlify: Files = {
  'docs.json': JSON.stringify(
    {
      name: 'Acme',
      navigation: {
        tabs: [
          {
            tab: 'Guides',
            groups: [
              {
                group: 'Start',
                pages: ['index', 'start/install', { group: 'More', pages: ['start/deep/page'] }],
              },
            ],
          },
          {
            tab: 'API',
            groups: [
              { group: 'Users', openapi: 'openapi.json', pages: ['GET /users', 'reference/users'] },
            ],
          },
        ],
        anchors: [{ anchor: 'Blog', href: 'https://example.com' }],
      },
      redirects: [
        { source: '/old', destination: '/start/install' },
        { source: '/v1/:slug*', destination: '/:slug*' },
      ],
    },
    null,
    2,
  ),
  'index.mdx': md('Home', '<Card title="Install" href="/start/install" img="/images/a.png" />'),
  'start/install.mdx': md('Install', '<Steps>\n<Step title="Get it">\nText.\n</Step>\n</Steps>'),
  'start/deep/page.mdx': md('Page'),
  'reference/users.mdx': md('Users'),
  'snippets/hint.mdx': 'A [hint](/start/install) and [a](nowhere).\n',
  'images/a.png': 'png',
};

const docusaurus: Files = {
  'website/docusaurus.config.js':
    "module.exports = { baseUrl: '/acme/', presets: [['classic', { docs: { routeBasePath: 'handbook' } }]] };",
  'website/sidebars.json': JSON.stringify(
    {
      docs: [
        'intro',
        {
          type: 'category',
          label: 'Guides',
          link: { type: 'doc', id: 'guides/guides' },
          items: ['guides/alerts', { type: 'doc', id: 'guides/own' }],
        },
      ],
    },
    null,
    2,
  ),
  'website/docs/intro.md': md('Intro'),
  'website/docs/guides/guides.md': md('Guides'),
  'website/docs/guides/01-alerts.md': md('Alerts', '## Own {#my-own}'),
  'website/docs/guides/other.md': '---\ntitle: Own\nid: own\nslug: /by-slug\n---\n\n# Own\n',
  'website/docs/empty/_category_.json': '{"label":"Empty"}',
  'website/docs/empty/one.md': md('One'),
  'website/static/img/a.png': 'png',
  'website/src/pages/about.tsx': 'export default () => null;',
  'website/src/components/Box.tsx': 'export default () => null;',
};

const vitepress: Files = {
  'docs/.vitepress/config.ts': "export default { base: '/v/', title: 'x' };",
  'docs/index.md':
    '---\nlayout: home\nhero:\n  actions:\n    - text: Go\n      link: /guide/start\n---\n',
  'docs/guide/start.md': md('Start', '## What’s new, 2.0?\n\n## 3 Steps'),
  'docs/guide/index.md': md('Guide'),
  'docs/public/logo.svg': '<svg/>',
};

const starlight: Files = {
  'astro.config.mjs':
    "import starlight from '@astrojs/starlight';\nexport default { redirects: { '/old': '/start' } };",
  'src/content/docs/index.mdx': md('Home'),
  'src/content/docs/start.md': md('Start'),
  'src/content/docs/guides/one.md': md('One'),
  'src/assets/a.png': 'png',
  'public/b.png': 'png',
};

const mkdocs: Files = {
  'mkdocs.yml':
    'site_name: Acme\nnav:\n  - Home: index.md\n  - Guides:\n      - guides/one.md\n      - Two: guides/two.md\nmarkdown_extensions:\n  - pymdownx.emoji:\n      emoji_index: !!python/name:material.extensions.emoji.twemoji\n',
  'docs/index.md': md('Home'),
  'docs/guides/one.md': md('One', '## Über uns\n\n## Twice\n\n## Twice\n\n## Own { #mine }'),
  'docs/guides/two.md': md('Two'),
  'docs/img/a.png': 'png',
};

interface Case {
  name: string;
  files: Files;
  root: string;
  page: string;
  good: string;
  broken: [text: string, expected: string][];
}

const cases: Case[] = [
  {
    name: 'Mintlify',
    files: mintlify,
    root: '',
    page: 'start/new.mdx',
    good: '[a](/start/install) [b](install) [c](/start/install#get-it) [d](/old) [e](/v1/x) [f](/api-reference/get-users) <Card title="x" href="/reference/users" img="/images/a.png"/> <Frame><img src="/images/a.png"/></Frame>\n\n{/* a comment */}\n',
    broken: [
      [
        '<Card title="x" href="/start/instal" />',
        'links start/new.mdx:7 /start/instal -> /start/install',
      ],
      ['<img src="/images/b.png" />', 'images start/new.mdx:7 /images/b.png'],
      ['[a](/install)', 'links start/new.mdx:7 /install -> /start/install'],
    ],
  },
  {
    name: 'Docusaurus',
    files: docusaurus,
    root: 'website/docs',
    page: 'website/docs/guides/new.md',
    good: "import Box from '@site/src/components/Box';\n\n[a](./01-alerts.md) [b](alerts) [c](/handbook/intro) [d](/handbook/guides) [e](/acme/handbook/guides/alerts#my-own) [f](/handbook/by-slug) [g](../empty/) [h](/about) [i](@site/docs/intro.md) [j](/blog/anything) ![k](/img/a.png) ![l](@site/static/img/a.png)\n\n## New {#my-id}\n\n<!-- a comment -->\n\n:::note[Title]\n\nText.\n\n:::\n",
    broken: [
      [
        '[a](/handbook/intr)',
        'links website/docs/guides/new.md:7 /handbook/intr -> /handbook/intro',
      ],
      [
        '[a](/acme/handbook/intr)',
        'links website/docs/guides/new.md:7 /acme/handbook/intr -> /acme/handbook/intro',
      ],
      // The docs of this site do not start at /docs.
      ['[a](/docs/intro)', 'links website/docs/guides/new.md:7 /docs/intro -> /handbook/intro'],
      [
        "import Bag from '@site/src/components/Bag';",
        'links website/docs/guides/new.md:7 @site/src/components/Bag',
      ],
      ['[a](./01-alerts.md#own)', 'anchors website/docs/guides/new.md:7 ./01-alerts.md#own'],
      ['a {b', 'mdx website/docs/guides/new.md:7'],
    ],
  },
  {
    name: 'VitePress',
    files: vitepress,
    root: 'docs',
    page: 'docs/guide/new.md',
    good: '[a](/guide/start) [b](./start.html) [c](/guide/) [d](start#what-s-new-2-0) [e](start#_3-steps) ![f](/logo.svg) <img src="/logo.svg">\n\n{{ 1 + 1 }}\n',
    broken: [
      ['[a](/guide/stat)', 'links docs/guide/new.md:7 /guide/stat -> /guide/start'],
      ['[a](/v/guide/start)', 'links docs/guide/new.md:7 /v/guide/start -> /guide/start'],
    ],
  },
  {
    name: 'Starlight',
    files: starlight,
    root: 'src/content/docs',
    page: 'src/content/docs/guides/new.mdx',
    good: '[a](/start/) [b](../start/) [c](/old/) [d](/guides/one/#one) ![e](../../../assets/a.png) ![f](/b.png)',
    broken: [['[a](/guides/two/)', 'links src/content/docs/guides/new.mdx:7 /guides/two/']],
  },
  {
    name: 'MkDocs',
    files: mkdocs,
    root: 'docs',
    page: 'docs/guides/new.md',
    good: '[a](one.md#uber-uns) [b](one.md#twice_1) [c](../index.md) [d](one.md#mine) ![e](../img/a.png) [f](../one/)',
    broken: [['[a](guides/one.md)', 'links docs/guides/new.md:7 guides/one.md -> one.md']],
  },
];

for (const { name, files, root, page, good, broken } of cases) {
  describe(name, () => {
    const add = (text: string) => ({ write: { [page]: md('New', text) } });

    test('valid links', async () => {
      const report = await check(files, add(good), { root });
      expect(short(report).filter((one) => !one.startsWith('navigation'))).toEqual([]);
      // The same change breaks nothing in the pages that are there.
      const all = Object.fromEntries(
        Object.entries(files)
          .filter(([path]) => /\.mdx?$/.test(path) && !/snippets|index\.md$/.test(path))
          .map(([path, text]) => [path, `${text}\nMore.\n`]),
      );
      expect(short(await check(files, { write: all }, { root }))).toEqual([]);
    });

    test.each(broken)('%s', async (text, expected) => {
      const report = await check(files, add(text), { root });
      expect(short(report).filter((one) => !one.startsWith('navigation'))).toEqual([expected]);
    });
  });
}

describe('navigation', () => {
  const shown = async (files: Files, edits: Parameters<typeof check>[1], root: string) =>
    (await check(files, edits, { root })).problems
      .filter((one) => one.check === 'navigation')
      .map(({ path, line, found, instead, severity }) => [severity, path, line, found, instead]);

  test.each([
    [
      'Mintlify',
      mintlify,
      '',
      { 'start/deep/page.mdx': 'start/leaf.mdx' },
      ['error', 'docs.json', 16, 'start/deep/page', 'start/leaf'],
    ],
    [
      'Docusaurus',
      docusaurus,
      'website/docs',
      { 'website/docs/guides/01-alerts.md': 'website/docs/guides/02-notices.md' },
      ['error', 'website/sidebars.json', 12, 'guides/alerts', 'guides/notices'],
    ],
    [
      'MkDocs',
      mkdocs,
      'docs',
      { 'docs/guides/two.md': 'docs/second.md' },
      ['error', 'mkdocs.yml', 6, 'guides/two.md', 'second.md'],
    ],
  ] as const)('%s: a page is moved', async (_, files, root, move, expected) => {
    const [first, ...others] = await shown(files, { move }, root);
    expect(others.filter(([severity]) => severity === 'error')).toEqual([]);
    expect(first).toEqual(expected);
  });

  test('a page is deleted', async () => {
    expect(await shown(mintlify, { write: { 'reference/users.mdx': null } }, '')).toEqual([
      ['error', 'docs.json', 31, 'reference/users', undefined],
    ]);
  });

  test('a new entry that leads nowhere', async () => {
    const text = mkdocs['mkdocs.yml']?.replace('guides/one.md', 'guides/wun.md') ?? '';
    expect(await shown(mkdocs, { write: { 'mkdocs.yml': text } }, 'docs')).toEqual([
      ['error', 'mkdocs.yml', 5, 'guides/wun.md', undefined],
    ]);
  });

  test('a new page that no navigation lists is a warning', async () => {
    const report = await check(mkdocs, { write: { 'docs/guides/three.md': md('Three') } });
    expect(report.problems.map(({ severity, path }) => [severity, path])).toEqual([
      ['warning', 'docs/guides/three.md'],
    ]);
    expect(report.checks.find((one) => one.name === 'navigation')).toEqual({
      name: 'navigation',
      status: 'passed',
      note: '1 warned of',
    });
    const hidden = await check(mkdocs, {
      write: { 'docs/guides/three.md': '---\ntitle: Three\nhidden: true\n---\n' },
    });
    expect(hidden.problems).toEqual([]);
  });

  test('an old entry that leads nowhere is not reported', async () => {
    const old = {
      ...mkdocs,
      'mkdocs.yml': mkdocs['mkdocs.yml']?.replace('guides/one.md', 'gone.md') ?? '',
    };
    const report = await check(old, {
      write: {
        'docs/x.md': null,
        'docs/guides/two.md': md('Two', 'More'),
        'docs/new.md': '---\ntitle: N\ndraft: true\n---\n',
      },
    });
    expect([report.problems, report.old]).toEqual([[], 1]);
  });
});
