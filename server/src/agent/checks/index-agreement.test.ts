/**
 * The checks and the index must mean the same by a link. For one project of each generator, every link is either
 * right for both (and leads to the same page and anchor), or wrong for both.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { ChecksConfig } from '../../platform/config/project-config.ts';
import { parse } from '../../docs/parsing/parse.ts';
import { createFolderSource } from '../../docs/sources/folder-source.ts';
import { checkAll } from './check-docs.ts';
import { changedFiles, type Files, toBytes } from '../../../testing/agent-checks.ts';

interface Project {
  name: string;
  files: Files;
  /** Folder of the pages, for the index and for the checks. */
  root: string;
  /** The page that the links are written into. */
  from: string;
  /** Links of this page, with the address that the index has for each. */
  good: Record<string, string>;
  bad: string[];
}

const text = 'Some words.\n\n';
const page = (title: string, body = text) => `---\ntitle: ${title}\n---\n\n# ${title}\n\n${body}`;

const projects: Project[] = [
  {
    name: 'Docusaurus',
    root: 'website/docs',
    from: 'website/docs/tutorial-basics/congratulations.md',
    files: {
      'website/docusaurus.config.ts': `export default {
        title: 'Acme', baseUrl: '/acme/', onBrokenLinks: 'throw',
        presets: [['classic', { docs: { sidebarPath: './sidebars.ts' }, blog: { showReadingTime: true } }]],
      };`,
      'website/docs/intro.md': page('Tutorial intro', `## What's new, 2.0?\n\n${text}`),
      'website/docs/tutorial-basics/_category_.json': '{"label":"Basics","position":2}',
      'website/docs/tutorial-basics/intro.md': page('Basics intro'),
      'website/docs/tutorial-basics/create-a-page.md': page(
        'Create a page',
        `> ## Twice\n\n## Twice\n\n${text}## Use <Key name="Ctrl" />\n\n${text}### Own {#my-id}\n\n${text}`,
      ),
      'website/docs/tutorial-extras/02-versions.md': page('Versions', `## Größe\n\n${text}`),
      'website/docs/tutorial-extras/deploy.md': `---\nid: ship-it\n---\n\n# Deploy\n\n${text}`,
      'website/docs/tutorial-extras/start.md': `---\nslug: /begin\n---\n\n# Start\n\n${text}`,
      'website/docs/tutorial-extras/tutorial-extras.md': page('Extras'),
    },
    good: {
      './create-a-page.md': '/acme/docs/tutorial-basics/create-a-page',
      'create-a-page': '/acme/docs/tutorial-basics/create-a-page',
      'create-a-page.md#twice-1': '/acme/docs/tutorial-basics/create-a-page#twice-1',
      './create-a-page.md#use-': '/acme/docs/tutorial-basics/create-a-page#use-',
      './create-a-page.md#my-id': '/acme/docs/tutorial-basics/create-a-page#my-id',
      // A name without dots is looked for from the folder of the pages first.
      'intro.md': '/acme/docs/intro',
      './intro.md': '/acme/docs/tutorial-basics/intro',
      '/intro.md': '/acme/docs/intro',
      '@site/docs/intro.md#whats-new-20': '/acme/docs/intro#whats-new-20',
      '/docs/intro': '/acme/docs/intro',
      '/acme/docs/intro': '/acme/docs/intro',
      '../intro': '/acme/docs/intro',
      '../tutorial-extras/02-versions.md#größe': '/acme/docs/tutorial-extras/versions#größe',
      '/docs/tutorial-extras/versions': '/acme/docs/tutorial-extras/versions',
      '/docs/tutorial-extras/ship-it': '/acme/docs/tutorial-extras/ship-it',
      '/docs/begin': '/acme/docs/begin',
      '../tutorial-extras/start.md': '/acme/docs/begin',
      '/docs/tutorial-extras/': '/acme/docs/tutorial-extras',
    },
    bad: [
      '/intro',
      '/docs/tutorial-extras/deploy',
      '/docs/tutorial-extras/start',
      '/docs/tutorial-extras/02-versions',
      './create-a-page.md#use-ctrl',
      './create-a-page.md#use',
      './create-a-page.md#twice_1',
      '@site/docs/intro.md#what-s-new-2-0',
    ],
  },
  {
    name: 'VitePress',
    root: 'docs',
    from: 'docs/guide/getting-started.md',
    files: {
      'docs/.vitepress/config.mts': `import { defineConfig } from 'vitepress';\nexport default defineConfig({ base: '/v/', title: 'Acme' });`,
      'docs/index.md':
        '---\nlayout: home\nhero:\n  actions:\n    - text: Go\n      link: /guide/getting-started\n---\n',
      'docs/guide/getting-started.md': '',
      'docs/guide/index.md': page('Guide'),
      'docs/guide/markdown.md': page(
        'Markdown',
        `## What's new, 2.0? <Badge type="tip" text="new" />\n\n${text}## 3 Steps\n\n${text}## Own {#my-id}\n\n${text}## Own\n\n${text}`,
      ),
      'docs/reference/api.md': page('API'),
      'docs/packages/[name].md': page('{{ name }}'),
    },
    good: {
      './markdown.md': '/v/guide/markdown',
      markdown: '/v/guide/markdown',
      './markdown.html#_3-steps': '/v/guide/markdown#_3-steps',
      '/guide/markdown#what-s-new-2-0': '/v/guide/markdown#what-s-new-2-0',
      '/guide/markdown.html#my-id': '/v/guide/markdown#my-id',
      '/reference/api.md': '/v/reference/api',
      '../reference/api': '/v/reference/api',
      '/guide/': '/v/guide',
      './': '/v/guide',
      '/': '/v',
    },
    bad: [
      // The base is put in front of every address that begins at the root.
      '/v/guide/markdown',
      './markdown.md#whats-new-20',
      './markdown.md#3-steps',
      './markdown.md#own-1',
      '/packages/[name]',
    ],
  },
  {
    name: 'Starlight',
    root: 'src/content/docs',
    from: 'src/content/docs/guides/example.mdx',
    files: {
      'astro.config.mjs': `import starlight from '@astrojs/starlight';\nexport default defineConfig({ base: '/kit', integrations: [starlight({ title: 'Kit' })] });`,
      'src/content/docs/index.mdx': page('Home'),
      'src/content/docs/start.md': page('Start'),
      'src/content/docs/guides/example.mdx': '',
      'src/content/docs/guides/Other Page.md': page(
        'Other',
        `## Use <Key name="Ctrl" />\n\n${text}## What's new?\n\n${text}`,
      ),
      'src/content/docs/guides/start.md': page('Start of guides'),
      'src/content/docs/reference/moved.md': `---\ntitle: Moved\nslug: reference/elsewhere\n---\n\n${text}`,
    },
    good: {
      '/kit/start/': '/kit/start',
      // As a browser reads it on /kit/guides/example/.
      '../start/': '/kit/guides/start',
      '../../start/': '/kit/start',
      '/kit/guides/other-page/#whats-new': '/kit/guides/other-page#whats-new',
      '../other-page/#use': '/kit/guides/other-page#use',
      '/kit/reference/elsewhere/': '/kit/reference/elsewhere',
    },
    bad: [
      // Nothing puts the base in front.
      '/start/',
      '/kit/reference/moved/',
      '../other-page/#use-',
      '../other-page/#what-s-new',
      '/kit/guides/Other%20Page/',
    ],
  },
  {
    name: 'MkDocs',
    root: 'docs',
    from: 'docs/guides/new.md',
    files: {
      'mkdocs.yml':
        'site_name: Acme\nsite_url: https://acme.github.io/project/\nmarkdown_extensions:\n  - admonition\n  - toc:\n      permalink: true\n',
      'docs/index.md': page('Home'),
      'docs/one.md': page('Another one'),
      'docs/guides/index.md': page('Guides'),
      'docs/guides/one.md': page(
        'One',
        `## Größe\n\n${text}## Größe\n\n${text}## Own { #mine .wide }\n\n${text}!!! note "Mind this"\n\n    ## Inside\n\n    ${text}`,
      ),
      'docs/guides/new.md': '',
    },
    good: {
      'one.md#groe': '/project/guides/one#groe',
      'one.md#groe_1': '/project/guides/one#groe_1',
      'one.md#mine': '/project/guides/one#mine',
      'one.md#inside': '/project/guides/one#inside',
      '../one.md': '/project/one',
      // As a browser reads it on /project/guides/new/.
      '../one/': '/project/guides/one',
      '../../one/': '/project/one',
      '../index.md': '/project',
      'index.md': '/project/guides',
      '/project/one/': '/project/one',
    },
    bad: ['one.md#größe', 'one.md#größe-1', 'one.md#own', 'two.md'],
  },
  {
    name: 'Nextra',
    root: 'content',
    from: 'content/guide/page.mdx',
    files: {
      'next.config.mjs':
        "import nextra from 'nextra';\nconst withNextra = nextra({ contentDirBasePath: '/docs' });\nexport default withNextra({ basePath: '/kit' });",
      'content/index.mdx': page('Home'),
      'content/_meta.js': "export default { index: 'Home' };",
      'content/guide/index.mdx': page('Guide'),
      'content/guide/page.mdx': '',
      'content/guide/other.mdx': page(
        'Other',
        `## Own [#mine]\n\n${text}## What's new?\n\n${text}`,
      ),
    },
    good: {
      '/docs/guide/other#mine': '/kit/docs/guide/other#mine',
      './other.mdx#whats-new': '/kit/docs/guide/other#whats-new',
      other: '/kit/docs/guide/other',
      '/docs/guide': '/kit/docs/guide',
      '/docs': '/kit/docs',
    },
    bad: ['/guide/other', '/kit/docs/guide/other', './other.mdx#own', './other.mdx#what-s-new'],
  },
  {
    name: 'docsify',
    root: 'docs',
    from: 'docs/guide/page.md',
    files: {
      'docs/index.html':
        '<div id="app"></div><script>window.$docsify = { loadSidebar: true }</script>',
      'docs/README.md': page('Home'),
      'docs/_sidebar.md': '- [Home](/)\n- [Other](guide/other.md)\n',
      'docs/other.md': page('Other at the top'),
      'docs/guide/README.md': page('Guide'),
      'docs/guide/page.md': '',
      'docs/guide/other.md': page('Other', `## 3 steps - and more\n\n${text}`),
    },
    good: {
      '/guide/other': '/guide/other',
      '/guide/other.md#_3-steps-and-more': '/guide/other#_3-steps-and-more',
      'guide/other.md': '/guide/other',
      // Everything counts from the folder of the pages.
      'other.md': '/other',
      '/guide/': '/guide',
      '/': '/',
    },
    bad: ['/guide/nothing', '/docs/guide/other', '/guide/other#3-steps---and-more'],
  },
  {
    name: 'Mintlify',
    root: '',
    from: 'essentials/page.mdx',
    files: {
      'docs.json': JSON.stringify({
        $schema: 'https://mintlify.com/docs.json',
        name: 'Kit',
        navigation: {
          groups: [
            {
              group: 'Start',
              pages: ['index', 'quickstart', 'essentials/page', 'essentials/code'],
            },
          ],
        },
      }),
      'index.mdx': page('Home'),
      'quickstart.mdx': page('Quickstart', `## What's new?\n\n${text}## Own [#mine]\n\n${text}`),
      'essentials/code.mdx': page('Code'),
      'essentials/page.mdx': '',
      'snippets/hint.mdx': 'A hint.\n',
    },
    good: {
      '/quickstart': '/quickstart',
      '/quickstart#whats-new': '/quickstart#whats-new',
      '/quickstart#mine': '/quickstart#mine',
      '/essentials/code': '/essentials/code',
      './code': '/essentials/code',
      '../quickstart': '/quickstart',
    },
    bad: ['/code', '/snippets/hint', '/docs/quickstart', '/quickstart#what-s-new'],
  },
];

const folders: string[] = [];
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

/** Every page and anchor of the index, and what it makes of each link of one page. */
async function indexOf({ files, root, from }: Project) {
  const folder = await mkdtemp(join(tmpdir(), 'docent-agreement-'));
  folders.push(folder);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const warnings: string[] = [];
  const { pages } = await createFolderSource({ folder: join(folder, root) }).read({
    parse,
    isHeld: () => false,
    kept: undefined,
    onProgress: () => undefined,
    onWarning: (warning) => warnings.push(warning),
  });
  expect(warnings).toEqual([]);
  const read = await Promise.all(
    pages.map(async (one) => ({ from: one.from, ...(await one.read()) })),
  );
  const addresses = new Set(
    read.flatMap(({ path, passages }) => [
      path,
      ...passages.map(({ anchor }) => `${path}#${anchor}`),
    ]),
  );
  const name = root === '' ? from : from.slice(root.length + 1);
  const { markdown = '' } = read.find((one) => one.from === name) ?? {};
  const links = new Map(
    [...markdown.matchAll(/\[`([^`]+)`\]\(<?([^()\s>]*)>?\)/g)].map(([, link = '', to = '']) => [
      link,
      to,
    ]),
  );
  return { addresses, links };
}

describe.each(projects)('$name', (project) => {
  const { files, root, from, good, bad } = project;
  const links = [...Object.keys(good), ...bad];
  const written = page('Links', links.map((link) => `- [\`${link}\`](<${link}>)\n`).join(''));
  const whole = { ...project, files: { ...files, [from]: written } };

  test('the index builds each link as the site does', async () => {
    const { addresses, links: built } = await indexOf(whole);
    expect(Object.fromEntries(Object.keys(good).map((link) => [link, built.get(link)]))).toEqual(
      good,
    );
    expect(Object.values(good).filter((address) => !addresses.has(address))).toEqual([]);
    expect(bad.filter((link) => addresses.has(built.get(link) ?? ''))).toEqual([]);
  });

  test('the checks report the links that lead nowhere in the index, and no others', async () => {
    const checks = ChecksConfig.parse({ frontmatter: false, navigation: false });
    const { problems } = await checkAll({
      files: changedFiles(toBytes(whole.files)),
      project: { docsRoot: root, checks },
    });
    expect(new Set(problems.map(({ found }) => found))).toEqual(new Set(bad));
    expect(problems).toHaveLength(bad.length);
  });
});
