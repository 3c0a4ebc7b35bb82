/** Navigations that are code: nothing runs them, but their texts are looked through. */
import { describe, expect, test } from 'vitest';
import { check, type Files, short } from '../../../testing/agent-checks.ts';

const pages = (folder: string): Files => ({
  [`${folder}index.md`]: '# Home\n',
  [`${folder}guides/setup.md`]: '# Setup\n',
  [`${folder}guides/alerts.md`]: '# Alerts\n',
});

const vitepress = (base = '') => `export default {
  title: 'Setup',${base}
  themeConfig: {
    sidebar: [
      { text: 'Setup', link: '/guides/setup' },
      { text: 'Start', link: "/guides/setup.md#install" },
      { text: 'Alerts', link: \`/guides/alerts\` },
      { text: 'Other', link: 'https://other.example/guides/setup' },
    ],
  },
};
`;

const generators: Record<string, { root: string; folder?: string; files: Files; found: string[] }> =
  {
    VitePress: {
      root: 'docs',
      files: { 'docs/.vitepress/config.mts': vitepress() },
      found: [
        'docs/.vitepress/config.mts:5 /guides/setup -> /guides/start',
        'docs/.vitepress/config.mts:6 /guides/setup.md#install -> /guides/start.md#install',
      ],
    },
    'VitePress with a base': {
      root: 'docs',
      files: {
        'docs/.vitepress/config/index.ts': '',
        'docs/.vitepress/config.ts': vitepress(" base: '/app/',"),
      },
      found: [
        'docs/.vitepress/config.ts:5 /guides/setup -> /guides/start',
        'docs/.vitepress/config.ts:6 /guides/setup.md#install -> /guides/start.md#install',
      ],
    },
    Docusaurus: {
      root: 'docs',
      files: {
        'docusaurus.config.ts': "export default { navbar: [{ to: '/docs/guides/setup' }] };\n",
        'sidebars.ts':
          "export default {\n  docs: ['guides/setup', { type: 'doc', id: 'index' }],\n};\n",
      },
      found: [
        'docusaurus.config.ts:1 /docs/guides/setup -> /docs/guides/start',
        'sidebars.ts:2 guides/setup -> guides/start',
      ],
    },
    Starlight: {
      root: 'src/content/docs',
      files: {
        'astro.config.mjs':
          "import starlight from '@astrojs/starlight';\nexport default { sidebar: [{ slug: 'guides/setup' }, 'guides/alerts'] };\n",
      },
      found: ['astro.config.mjs:2 guides/setup -> guides/start'],
    },
  };

describe.each(Object.entries(generators))('%s', (_name, { root, files, found }) => {
  const site = { ...pages(`${root}/`), ...files };
  const navigationOf = async (edits: Parameters<typeof check>[1]) => {
    const report = await check(site, edits, { root });
    return {
      problems: short(report).filter((one) => one.startsWith('navigation ')),
      severities: report.problems.map(({ severity }) => severity),
      check: report.checks.find(({ name }) => name === 'navigation'),
    };
  };

  test('a page that moved: the lines that lead there, and what to write', async () => {
    const { problems, check: navigation } = await navigationOf({
      move: { [`${root}/guides/setup.md`]: `${root}/guides/start.md` },
    });
    expect(problems).toEqual(found.map((one) => `navigation ${one}`));
    expect(navigation).toMatchObject({
      status: 'skipped',
      note: expect.stringMatching(/ is code$/),
    });
  });

  test('a page that was deleted: the same lines', async () => {
    const { problems, severities } = await navigationOf({
      write: { [`${root}/guides/setup.md`]: null },
    });
    expect(problems).toEqual(found.map((one) => `navigation ${one.replace(/ -> .*/, '')}`));
    expect(new Set(severities)).toEqual(new Set(['warning']));
  });

  test('a new page: nothing is known about the navigation', async () => {
    const { problems, check: navigation } = await navigationOf({
      write: { [`${root}/new.md`]: '# New\n' },
    });
    expect(problems).toEqual([]);
    expect(navigation).toMatchObject({
      status: 'skipped',
      note: expect.stringMatching(/ is code$/),
    });
  });

  test('text that changes: nothing is said about the navigation', async () => {
    const { check: navigation } = await navigationOf({
      write: { [`${root}/guides/setup.md`]: '# Set up\n' },
    });
    expect(navigation).toMatchObject({ status: 'passed' });
  });
});

test('a page that keeps its address', async () => {
  const site = { ...pages('docs/'), 'docs/.vitepress/config.mts': vitepress() };
  const report = await check(site, {
    move: { 'docs/guides/setup.md': 'docs/guides/setup/index.md' },
  });
  expect(short(report)).toEqual([]);
});
