/** The four commands on real files, with the real checks. */
import { createParsedPages } from '../checks/docs-state.ts';
import type { AgentCommand } from '@docent/shared/agent-commands';
import { describe, expect, test } from 'vitest';
import { treeOf } from '../../../testing/memory-tree.ts';
import { ProjectConfig } from '../../platform/config/project-config.ts';
import { createFileSet, type FileSet } from '../workspace/file-set.ts';
import { createPathPolicy } from '../workspace/path-policy.ts';
import { runCommand } from './run-command.ts';

const page = (title: string, order: number, text: string) =>
  `---\ntitle: ${title}\ndescription: About ${title.toLowerCase()}.\norder: ${order}\n---\n\n${text}\n`;

const docs: Record<string, string> = {
  'docs/index.md': page(
    'Start',
    1,
    'Kestrel watches. See [install](install.md), [alerts](/guides/alerts#rules) and [`kestrel`](reference/cli.md).\n\n- [Install](install.md)\n- [Alerts](guides/alerts.md)',
  ),
  'docs/install.md': page(
    'Install',
    2,
    'Run `kestrel`. Kestrels fly.\n\n## On Linux\n\nText for kestrel and KESTREL.',
  ),
  'docs/guides/alerts.md': page(
    'Alerts',
    1,
    '## Rules\n\nBack to [install](../install.md#on-linux).',
  ),
  'docs/guides/reports.md': page('Reports', 2, 'Weekly.'),
  'docs/reference/cli.md': page('Command line', 3, 'Text.'),
  'docs/docs.json': JSON.stringify(
    {
      navigation: {
        groups: [
          {
            group: 'All',
            pages: ['index', 'install', 'guides/alerts', 'guides/reports', 'reference/cli'],
          },
        ],
      },
      redirects: [{ source: '/a', destination: '/install' }],
    },
    null,
    2,
  ),
  'README.md': '# Kestrel\n',
};

/** Its sidebars count only where its settings are. */
const docusaurus = { 'docusaurus.config.js': 'export default {};\n' };

interface Run {
  files: FileSet;
  title: string;
  message: string;
  /** Lines taken out and put in, by file. */
  diff: string[];
}

async function run(
  command: AgentCommand,
  files: Record<string, string> = docs,
  { docsRoot = 'docs', protect = [] as string[] } = {},
): Promise<Run> {
  const project = ProjectConfig.parse({
    id: 'p',
    organization: 'o',
    docsRoot,
    paths: { protect, unprotect: ['.vitepress'] },
  });
  const policy = createPathPolicy(project.paths, docsRoot);
  const all = createFileSet({ tree: treeOf(files), policy });
  const context = {
    files: all,
    project,
    parsed: createParsedPages(),
    signal: new AbortController().signal,
  };
  const end = await runCommand(command, context);
  return { files: all, ...end, diff: await diffOf(all, files) };
}

async function diffOf(set: FileSet, files: Record<string, string>): Promise<string[]> {
  const changes = await set.changes();
  return changes.flatMap(({ path, kind, from, before, after }) => {
    if (kind === 'deleted') return [`deleted ${path}`];
    const linesOf = (text: string) => text.split('\n');
    const old = linesOf((before ?? (from === undefined ? '' : files[from]) ?? '').toString());
    const now = linesOf((after ?? '').toString());
    return [
      from === undefined ? `${kind} ${path}` : `${from} -> ${path}`,
      ...old.filter((line) => !now.includes(line)).map((line) => `- ${line.trim()}`),
      ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line.trim()}`),
    ];
  });
}

const failureOf = async (command: AgentCommand) =>
  run(command).then(
    () => 'nothing',
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  );

const textOf = async ({ files }: Run, path: string) => (await files.read(path)).text;

describe('replace-text', () => {
  const replace = (find: string, other: string, path?: string): AgentCommand => ({
    type: 'replace-text',
    find,
    replace: other,
    path,
  });

  test('in all pages, and only in pages of the docs folder', async () => {
    const result = await run(replace('Kestrel', 'Falcon'));
    expect(result.diff).toEqual([
      'modified docs/index.md',
      '- Kestrel watches. See [install](install.md), [alerts](/guides/alerts#rules) and [`kestrel`](reference/cli.md).',
      '+ Falcon watches. See [install](install.md), [alerts](/guides/alerts#rules) and [`kestrel`](reference/cli.md).',
      'modified docs/install.md',
      '- Run `kestrel`. Kestrels fly.',
      '+ Run `kestrel`. Falcons fly.',
    ]);
    expect(result.title).toBe('Replace “Kestrel” with “Falcon”');
    expect(result.message).toBe('Changed 2 places in 2 pages.');
  });

  test.each(['install.md', 'install', '/install', 'docs/install.md', './install.md'])(
    'in one page, written as %s',
    async (path) => {
      const { diff, message } = await run(replace('kestrel', 'falcon', path));
      expect(diff[0]).toBe('modified docs/install.md');
      expect(diff.filter((line) => /^\w/.test(line))).toHaveLength(1);
      expect(message).toBe('Changed 2 places in docs/install.md.');
    },
  );

  test('in one folder', async () => {
    const { diff } = await run(replace('e', 'E', 'guides'));
    expect(diff.filter((line) => /^\w/.test(line))).toEqual([
      'modified docs/guides/alerts.md',
      'modified docs/guides/reports.md',
    ]);
  });

  test('nothing contains it', async () => {
    const { diff, message } = await run(replace('Sparrow', 'Falcon'));
    expect(diff).toEqual([]);
    expect(message).toBe('No page contains “Sparrow”, so nothing changed.');
  });

  test('a heading that others link to: the links follow', async () => {
    const { diff } = await run(replace('On Linux', 'On any Linux', 'docs/install.md'));
    expect(diff).toEqual([
      'modified docs/guides/alerts.md',
      '- Back to [install](../install.md#on-linux).',
      '+ Back to [install](../install.md#on-any-linux).',
      'modified docs/install.md',
      '- ## On Linux',
      '+ ## On any Linux',
    ]);
  });

  test('over several lines, with Windows line endings', async () => {
    const files = { 'docs/a.md': 'One\r\ntwo\r\nthree\r\n' };
    const result = await run(replace('One\ntwo', 'Uno\ndos'), files);
    const [change] = await result.files.changes();
    expect(change?.after?.toString()).toBe('Uno\r\ndos\r\nthree\r\n');
  });

  test('a protected page stays as it is, and the owner hears of it', async () => {
    const result = await run(replace('Kestrel', 'Falcon'), docs, { protect: ['docs/install.md'] });
    expect((await result.files.changes()).map(({ path }) => path)).toEqual(['docs/index.md']);
    expect(result.message).toContain('Left open:\n- docs/install.md stays as it is:');
  });

  test('a page that does not exist', async () => {
    expect(await failureOf(replace('a', 'b', 'nowhere'))).toBe(
      'command_failed: There is no page or folder “nowhere”.',
    );
  });
});

describe('move-page', () => {
  const move = (from: string, to: string, title?: string): AgentCommand => ({
    type: 'move-page',
    from,
    to,
    title,
  });

  test('its links, the navigation, and the redirects follow', async () => {
    const { diff, message, title } = await run(move('guides/alerts.md', 'reference/notices.md'));
    expect(diff).toEqual([
      'modified docs/docs.json',
      '- "guides/alerts",',
      '+ "reference/notices",',
      '+ "source": "/guides/alerts",',
      '+ "destination": "/reference/notices"',
      '+ },',
      'deleted docs/guides/alerts.md',
      'modified docs/index.md',
      '- Kestrel watches. See [install](install.md), [alerts](/guides/alerts#rules) and [`kestrel`](reference/cli.md).',
      '- - [Alerts](guides/alerts.md)',
      '+ Kestrel watches. See [install](install.md), [alerts](/reference/notices#rules) and [`kestrel`](reference/cli.md).',
      '+ - [Alerts](reference/notices.md)',
      'docs/guides/alerts.md -> docs/reference/notices.md',
    ]);
    expect(title).toBe('Move guides/alerts.md to reference/notices.md');
    expect(message).not.toContain('Left open');
  });

  test('to another name and title', async () => {
    const { diff } = await run(move('/reference/cli', 'reference/the-cli', 'The CLI: all of it'));
    expect(diff).toEqual([
      'modified docs/docs.json',
      '- "reference/cli"',
      '+ "reference/the-cli"',
      '+ "source": "/reference/cli",',
      '+ "destination": "/reference/the-cli"',
      '+ },',
      'modified docs/index.md',
      '- Kestrel watches. See [install](install.md), [alerts](/guides/alerts#rules) and [`kestrel`](reference/cli.md).',
      '+ Kestrel watches. See [install](install.md), [alerts](/guides/alerts#rules) and [`kestrel`](reference/the-cli.md).',
      'deleted docs/reference/cli.md',
      'docs/reference/cli.md -> docs/reference/the-cli.md',
      '- title: Command line',
      '+ title: "The CLI: all of it"',
    ]);
  });

  test('into a folder: its own links follow too', async () => {
    const result = await run(move('guides/alerts.md', 'reference'));
    expect(await textOf(result, 'docs/reference/alerts.md')).toContain('(../install.md#on-linux)');
    const other = await run(move('install', 'guides/'));
    expect((await other.files.changes()).map(({ path }) => path)).toEqual([
      'docs/docs.json',
      'docs/guides/alerts.md',
      'docs/guides/install.md',
      'docs/index.md',
      'docs/install.md',
    ]);
    expect(await textOf(other, 'docs/guides/alerts.md')).toContain('(install.md#on-linux)');
  });

  test('a title alone, in the frontmatter and the heading', async () => {
    const files = { ...docs, 'docs/install.md': `${docs['docs/install.md']}\n# Install\n` };
    const { diff, title } = await run(move('install.md', 'install.md', 'Set up'), files);
    expect(diff).toEqual([
      'modified docs/install.md',
      '- title: Install',
      '- # Install',
      '+ title: Set up',
      '+ # Set up',
    ]);
    expect(title).toBe('Give install.md the title “Set up”');
  });

  test('what is there already stays', async () => {
    expect((await run(move('install', 'install'))).message).toBe(
      'The page is at docs/install.md already.',
    );
    expect(await failureOf(move('install', 'index.md'))).toMatch(
      /^command_failed: docs\/install\.md can't be moved: /,
    );
    expect(await failureOf(move('nowhere', 'x'))).toBe(
      'command_failed: There is no page “nowhere”. Write its path, such as "guides/start.md".',
    );
    expect(await failureOf(move('install', '../../etc/passwd.md'))).toMatch(/^command_failed: /);
  });

  test.each([
    [
      'mkdocs.yml',
      "docs_dir: docs\nnav:\n  - Start: index.md\n  - Guides:\n      - Alerts: guides/alerts.md # important\nplugins:\n  - redirects:\n      redirect_maps:\n        'a.md': 'install.md'\n",
      [
        '- - Alerts: guides/alerts.md # important',
        '+ - Alerts: reference/notices.md # important',
        "+ 'guides/alerts.md': 'reference/notices.md'",
      ],
    ],
    [
      'docs/SUMMARY.md',
      '# Summary\n\n- [Start](index.md)\n- [Alerts](guides/alerts.md)\n',
      ['- - [Alerts](guides/alerts.md)', '+ - [Alerts](reference/notices.md)'],
    ],
    [
      'sidebars.json',
      '{ "docs": ["index", { "type": "doc", "id": "guides/alerts" }] }\n',
      [
        '- { "docs": ["index", { "type": "doc", "id": "guides/alerts" }] }',
        '+ { "docs": ["index", { "type": "doc", "id": "reference/notices" }] }',
      ],
    ],
  ])('the navigation or redirects of %s', async (path, text, expected) => {
    const { 'docs/docs.json': _, ...others } = docs;
    const { diff } = await run(
      move('docs/guides/alerts', 'docs/reference/notices'),
      { ...others, ...(path === 'sidebars.json' && docusaurus), [path]: text },
      { docsRoot: '' },
    );
    expect(diff).toEqual(expect.arrayContaining(expected));
  });
});

describe('a navigation that is code', () => {
  const command: AgentCommand = { type: 'move-page', from: 'guides/alerts', to: 'guides/notices' };
  const config = "export default { sidebar: [{ text: 'A', link: '/guides/alerts' }] };\n";
  const { 'docs/docs.json': _, ...others } = docs;

  test('its texts follow where jobs may change it', async () => {
    const site = {
      ...others,
      'docs/.vitepress/sidebar.ts': config,
      'docs/.vitepress/config.ts': '//',
    };
    const { diff } = await run(command, site);
    expect(diff).toContain(
      "+ export default { sidebar: [{ text: 'A', link: '/guides/notices' }] };",
    );
  });

  test('elsewhere, the owner hears which line to change', async () => {
    const site = { ...others, 'docs/.vitepress/config.ts': config };
    const { diff, message } = await run(command, site, { protect: ['.vitepress'] });
    expect(diff).not.toContain('modified docs/.vitepress/config.ts');
    expect(message).toContain("docs/.vitepress/config.ts can't be changed: ");
    expect(message).toContain(
      'docs/.vitepress/config.ts:1: "/guides/alerts" leads to a page that is gone. Write "/guides/notices".',
    );
  });
});

test('a redirect in the file of the host', async () => {
  const { 'docs/docs.json': _, ...others } = docs;
  const { diff, message } = await run(
    { type: 'move-page', from: 'guides/alerts', to: 'reference/notices' },
    { ...others, 'docs/public/_redirects': '/a /b 301\n' },
  );
  expect(diff).toContain('+ /guides/alerts /reference/notices 301');
  expect(message).toContain('Added a redirect from the old address to docs/public/_redirects.');
});

describe('fix-links', () => {
  const broken = {
    ...docs,
    'docs/broken.md': page(
      'Broken',
      9,
      'To [install](instal.md), [instal.md](instal.md), [alerts](/guides/alerts#rulez), [x](xyzzy.md).\n\n![p](gone.png)\n\n[ref]: instal.md "Install"',
    ),
    'docs/guides/more.md': page('More', 3, 'To [install](install.md#on-linux).'),
  };

  test('all of them; what has no clear target is named', async () => {
    const result = await run({ type: 'fix-links' }, broken);
    const text = await textOf(result, 'docs/broken.md');
    expect(text).toContain(
      'To [install](install.md), [instal.md](install.md), [alerts](/guides/alerts#rules), [x](xyzzy.md).',
    );
    expect(text).toContain('[ref]: install.md "Install"');
    expect(await textOf(result, 'docs/guides/more.md')).toContain('(../install.md#on-linux)');
    expect(result.message).toContain('The link "xyzzy.md" leads to no page.');
    expect(result.message).toContain('gone.png');
    expect((await result.files.changes()).map(({ path }) => path)).toEqual([
      'docs/broken.md',
      'docs/guides/more.md',
    ]);
  });

  test.each(['guides', 'guides/more'])('in %s', async (path) => {
    const { diff } = await run({ type: 'fix-links', path }, broken);
    expect(diff.filter((line) => /^\w/.test(line))).toEqual(['modified docs/guides/more.md']);
  });

  test('more links than a check lists at once', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 120 }, (_, index) => [
        `docs/page-${index}.md`,
        `See [install](/instal) on ${index}.\n`,
      ]),
    );
    const result = await run({ type: 'fix-links' }, { ...docs, ...many });
    expect(await result.files.changes()).toHaveLength(120);
    const right = Object.entries(many).map(([path, text]) => [
      path,
      text.replace('instal)', 'install)'),
    ]);
    const moved = await run(
      { type: 'move-page', from: 'install', to: 'guides/setup' },
      { 'docs/install.md': '# Install\n', ...(Object.fromEntries(right) as typeof docs) },
    );
    expect(await moved.files.changes()).toHaveLength(122);
  });

  test('none is broken', async () => {
    const { diff, message } = await run({ type: 'fix-links' });
    expect(diff).toEqual([]);
    expect(message).toBe('No link is broken, so nothing changed.');
  });
});

describe('add-page', () => {
  const add = (path: string, title: string, more: object = {}): AgentCommand => ({
    type: 'add-page',
    path,
    title,
    ...more,
  });

  test('like its neighbors', async () => {
    const result = await run(
      add('guides/weekly-mail', 'Weekly mail: why & how', { content: 'Each Monday. More.' }),
    );
    expect(result.diff).toEqual([
      'modified docs/docs.json',
      '+ "guides/weekly-mail",',
      'added docs/guides/weekly-mail.md',
      '+ ---',
      '+ title: "Weekly mail: why & how"',
      '+ description: Each Monday.',
      '+ order: 3',
      '+ ---',
      '+ Each Monday. More.',
    ]);
    expect(result.message).toBe('Added docs/guides/weekly-mail.md.\nListed it in docs/docs.json.');
    const nav = await textOf(result, 'docs/docs.json');
    expect(nav.indexOf('guides/weekly')).toBeGreaterThan(nav.indexOf('guides/reports'));
  });

  test('after another one, with a description', async () => {
    const result = await run(
      add('setup.md', 'Setup', {
        after: 'index',
        description: 'How to begin.',
        content: 'Text.',
      }),
    );
    expect(await textOf(result, 'docs/setup.md')).toBe(
      '---\ntitle: Setup\ndescription: How to begin.\norder: 1.5\n---\n\nText.\n',
    );
    expect(await textOf(result, 'docs/docs.json')).toContain('"index",\n          "setup",');
  });

  test('with a heading, and as MDX, where the others are so', async () => {
    const files = { 'a.mdx': '# A\n\nText.\n', 'b.mdx': '# B\n\nText.\n' };
    const result = await run(add('c', 'C & D'), files, { docsRoot: '' });
    expect(await textOf(result, 'c.mdx')).toBe('# C & D\n');
    expect(result.message).toContain('Left open:\n- c.mdx has no text yet.');
  });

  test.each([
    [
      'mkdocs.yml',
      'nav:\n  - Start: index.md\n  - Guides:\n      - "Alerts": guides/alerts.md\n      - Reports: guides/reports.md\n',
      '      - Reports: guides/reports.md\n      - "A: b": guides/new.md\n',
    ],
    [
      'docs/SUMMARY.md',
      '- [Start](index.md)\n  - [Reports](guides/reports.md)\n',
      '  - [Reports](guides/reports.md)\n  - [A: b](guides/new.md)\n',
    ],
    [
      'docs/.vitepress/sidebar.json',
      '[\n  {\n    "text": "Reports",\n    "link": "/guides/reports"\n  }\n]\n',
      '"link": "/guides/reports"\n  },\n  {\n    "text": "A: b",\n    "link": "/guides/new"\n  }\n]\n',
    ],
    [
      'sidebars.json',
      '{ "docs": ["index", "guides/reports"] }\n',
      '"guides/reports", "guides/new"]',
    ],
  ])('the navigation of %s', async (path, text, expected) => {
    const { 'docs/docs.json': _, ...others } = docs;
    const result = await run(
      add('docs/guides/new', 'A: b', { content: 'Text.' }),
      { ...others, ...(path === 'sidebars.json' && docusaurus), [path]: text },
      { docsRoot: '' },
    );
    expect(await textOf(result, path)).toContain(expected);
  });

  test('one that exists', async () => {
    expect(await failureOf(add('install', 'Install'))).toBe(
      'command_failed: There is a page docs/install.md already.',
    );
    expect(await failureOf(add('notes.txt', 'Notes'))).toBe(
      'command_failed: “notes.txt” isn’t the path of a page. It must end with .md.',
    );
    expect(await failureOf(add('.github/x.md', 'X'))).toMatch(/^command_failed: The page/);
  });
});
