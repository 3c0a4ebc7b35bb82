/** The built-in editor in the very loop that language models work in, with real files and real checks. */
import { describe, expect, test } from 'vitest';
import { treeOf } from '../../../testing/memory-tree.ts';
import { createDocsCheck } from '../checks/docs-check.ts';
import { ProjectConfig } from '../../platform/config/project-config.ts';
import { createFileSet, type FileSet } from '../workspace/file-set.ts';
import { createPathPolicy } from '../workspace/path-policy.ts';
import { builtInName } from '../../platform/models/agent-models.ts';
import { buildInstructions } from '../loop/prompts.ts';
import { createStore, type Store, work } from '../loop/testing.ts';
import { createBuiltInEditor } from './built-in-editor.ts';

const page = (title: string, order: number, text: string) =>
  `---\ntitle: ${title}\ndescription: About ${title.toLowerCase()}.\norder: ${order}\n---\n\n${text}\n`;

const docs = {
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
};

interface Run {
  files: FileSet;
  store: Store;
  end: { title: string; message: string; summary?: string };
}

async function run(
  prompts: string | string[],
  files: Record<string, string> = docs,
  more: { store?: Store; set?: FileSet; docsRoot?: string; protect?: string[] } = {},
): Promise<Run> {
  const docsRoot = more.docsRoot ?? 'docs';
  const project = ProjectConfig.parse({
    id: 'p',
    organization: 'o',
    docsRoot,
    paths: { protect: more.protect ?? [] },
  });
  const set =
    more.set ??
    createFileSet({ tree: treeOf(files), policy: createPathPolicy(project.paths, docsRoot) });
  const store = more.store ?? createStore();
  for (const prompt of [prompts].flat()) store.ask(prompt);
  const model = {
    name: builtInName,
    model: createBuiltInEditor(),
    price: undefined,
    contextTokens: Number.MAX_SAFE_INTEGER,
    maxOutputTokens: undefined,
    providerOptions: {},
  };
  const instructions = buildInstructions({ docsRoot, guidance: [], systemTexts: [], changes: [] });
  const end = await work(model, store, {
    files: set,
    instructions,
    docsCheck: createDocsCheck({ files: set, project, parsed: new Map() }),
  });
  return { files: set, store, end };
}

/** What became of each file, as lines taken out and put in. */
async function diff({ files }: Run): Promise<string[]> {
  const changes = await files.changes();
  return changes.flatMap(({ path, kind, from, before, after }) => {
    if (kind === 'deleted') return [`deleted ${path}`];
    const old = (before ?? (from === undefined ? '' : (docs as Record<string, string>)[from]) ?? '')
      .toString()
      .split('\n');
    const now = (after ?? '').toString().split('\n');
    const head = from === undefined ? `${kind} ${path}` : `${from} -> ${path}`;
    const gone = old.filter((line) => !now.includes(line)).map((line) => `- ${line.trim()}`);
    const come = now.filter((line) => !old.includes(line)).map((line) => `+ ${line.trim()}`);
    return [head, ...gone, ...come];
  });
}

const failure = async (prompt: string) =>
  run(prompt).then(
    () => 'nothing',
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  );

describe('replace', () => {
  test('everywhere', async () => {
    const result = await run('Replace "Kestrel" with "Falcon" everywhere.');
    expect(await diff(result)).toEqual([
      'modified docs/index.md',
      '- Kestrel watches. See [install](install.md), [alerts](/guides/alerts#rules) and [`kestrel`](reference/cli.md).',
      '+ Falcon watches. See [install](install.md), [alerts](/guides/alerts#rules) and [`kestrel`](reference/cli.md).',
      'modified docs/install.md',
      '- Run `kestrel`. Kestrels fly.',
      '+ Run `kestrel`. Falcons fly.',
    ]);
    expect(result.end).toEqual({
      title: 'Replace “Kestrel” with “Falcon”',
      message: 'Replaced “Kestrel” with “Falcon” in 2 files.',
      summary: 'Replaced “Kestrel” with “Falcon” in 2 files.',
    });
  });

  test('whole words in one page, whatever the case', async () => {
    const result = await run(
      'In install.md, replace “kestrel” by “falcon” as whole words, ignoring case',
    );
    expect(await diff(result)).toEqual([
      'modified docs/install.md',
      '- Run `kestrel`. Kestrels fly.',
      '- Text for kestrel and KESTREL.',
      '+ Run `falcon`. Kestrels fly.',
      '+ Text for falcon and falcon.',
    ]);
  });

  test('nothing to do', async () => {
    const result = await run('Replace "Sparrow" with "Falcon"');
    expect(await result.files.changes()).toEqual([]);
    expect(result.end.message).toBe('Not found: “Sparrow”.');
  });

  test('one of two is not found: the user and the reviewer hear of it', async () => {
    const result = await run(
      'Replace "Kestrel" with "Falcon" in install.md\nReplace "Sparrow" with "Swift" everywhere in index.md',
    );
    expect(result.end.title).toBe('Replace “Kestrel” with “Falcon”');
    const words =
      'Replaced “Kestrel” with “Falcon” in docs/install.md.\n\nNot found: “Sparrow” in docs/index.md.';
    expect(result.end.message).toBe(words);
    expect(result.end.summary).toBe(words);
    expect(result.store.steps.at(-1)?.todos.map(({ status }) => status)).toEqual([
      'completed',
      'cancelled',
    ]);
  });

  test('a heading that others link to: the links follow', async () => {
    const result = await run('Replace "On Linux" with "On any Linux" in docs/install.md');
    expect(await diff(result)).toEqual([
      'modified docs/guides/alerts.md',
      '- Back to [install](../install.md#on-linux).',
      '+ Back to [install](../install.md#on-any-linux).',
      'modified docs/install.md',
      '- ## On Linux',
      '+ ## On any Linux',
    ]);
  });

  test('a protected file is left as it is, and said', async () => {
    const result = await run('Replace "Kestrel" with "Falcon"', docs, {
      protect: ['docs/install.md'],
    });
    expect((await result.files.changes()).map(({ path }) => path)).toEqual(['docs/index.md']);
    expect(result.end.message).toContain('docs/install.md was left as it is:');
  });

  test('more files than a search shows', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 230 }, (_, index) => [
        `docs/section-${index % 7}/page-${index}.md`,
        `Page ${index} of Kestrel.\n`,
      ]),
    );
    const result = await run('Replace "Kestrel" with "Kestrels"', many);
    expect(await result.files.changes()).toHaveLength(230);
    expect(
      (await result.files.changes()).every(
        ({ after }) => after?.includes('Kestrels.') && !after.includes('Kestrelss'),
      ),
    ).toBe(true);
  });
});

describe('rename a page', () => {
  test('its links, the navigation and the redirects follow', async () => {
    const result = await run(
      'Rename the page `guides/alerts` to `reference/notices` and fix its links',
    );
    expect(await diff(result)).toEqual([
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
    expect(result.end.message).not.toContain('Left open');
  });

  test('by its title, to another one', async () => {
    const result = await run('Rename the page "Command line" to "The CLI"');
    expect(await diff(result)).toEqual([
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
      '+ title: The CLI',
    ]);
  });

  test('into another folder', async () => {
    const result = await run('Move the page install to guides');
    expect((await result.files.changes()).map(({ path }) => path)).toEqual([
      'docs/docs.json',
      'docs/guides/alerts.md',
      'docs/guides/install.md',
      'docs/index.md',
      'docs/install.md',
    ]);
    expect(await result.files.read('docs/index.md')).toMatchObject({
      text: expect.stringContaining('[install](guides/install.md)') as string,
    });
  });
});

describe('fix broken links', () => {
  const broken = {
    ...docs,
    'docs/broken.md': page(
      'Broken',
      9,
      'To [install](instal.md), [alerts](/guides/alerts#rulez), [x](xyzzy.md).\n\n![p](gone.png)',
    ),
    'docs/guides/more.md': page('More', 3, 'To [install](install.md#on-linux).'),
  };

  test('all of them; what is not certain is said', async () => {
    const result = await run('Fix all broken links', broken);
    const text = (await result.files.read('docs/broken.md')).text;
    expect(text).toContain(
      'To [install](install.md), [alerts](/guides/alerts#rules), [x](xyzzy.md).',
    );
    expect((await result.files.read('docs/guides/more.md')).text).toContain(
      '(../install.md#on-linux)',
    );
    expect(result.end.message).toContain('The link "xyzzy.md" leads to no page.');
    expect(result.end.message).toContain('gone.png');
    expect((await result.files.changes()).map(({ path }) => path)).toEqual([
      'docs/broken.md',
      'docs/guides/more.md',
    ]);
  });

  test('in one folder', async () => {
    const result = await run('fix the broken links in guides', broken);
    expect((await result.files.changes()).map(({ path }) => path)).toEqual(['docs/guides/more.md']);
  });

  test('none is broken', async () => {
    const result = await run('Fix broken links');
    expect(await result.files.changes()).toEqual([]);
    expect(result.end.message).toBe('No link is broken, so there was nothing to fix.');
  });
});

describe('add a page', () => {
  test('as its neighbours are', async () => {
    const result = await run(
      'Add a page "Weekly mail: why & how" in guides with the text "Each Monday. More."',
    );
    expect(await diff(result)).toEqual([
      'modified docs/docs.json',
      '+ "guides/weekly-mail-why-how",',
      'added docs/guides/weekly-mail-why-how.md',
      '+ ---',
      '+ title: "Weekly mail: why & how"',
      '+ description: Each Monday.',
      '+ order: 3',
      '+ ---',
      '+ Each Monday. More.',
    ]);
    expect(result.end.message).not.toContain('Left open');
    const nav = (await result.files.read('docs/docs.json')).text;
    expect(nav.indexOf('guides/weekly')).toBeGreaterThan(nav.indexOf('guides/reports'));
  });

  test('after another one, with a description', async () => {
    const result = await run(
      'Add a page "Setup" after install with the description "How to begin." and the text "Text."',
    );
    const text = (await result.files.read('docs/setup.md')).text;
    expect(text).toBe('---\ntitle: Setup\ndescription: How to begin.\norder: 3\n---\n\nText.\n');
    const nav = (await result.files.read('docs/docs.json')).text;
    expect(nav).toContain('"install",\n          "setup",');
  });

  test('one that is there already', async () => {
    expect(await failure('Add a page "Install"')).toBe(
      'not_understood: There is a page docs/install.md already. Nothing was changed.',
    );
  });
});

describe('other instructions', () => {
  test('delete a page', async () => {
    const result = await run('Delete the page guides/alerts');
    expect(await diff(result)).toEqual([
      'modified docs/docs.json',
      '- "guides/alerts",',
      'deleted docs/guides/alerts.md',
      'modified docs/index.md',
      '- Kestrel watches. See [install](install.md), [alerts](/guides/alerts#rules) and [`kestrel`](reference/cli.md).',
      '- - [Alerts](guides/alerts.md)',
      '+ Kestrel watches. See [install](install.md), alerts and [`kestrel`](reference/cli.md).',
    ]);
  });

  test('delete a page and lead its links to another one', async () => {
    const result = await run('Delete guides/alerts.md and lead its links to guides/reports.md');
    const text = (await result.files.read('docs/index.md')).text;
    expect(text).toContain('[alerts](/guides/reports)');
    expect(text).toContain('- [Alerts](guides/reports.md)');
  });

  test('add a section, change a title', async () => {
    const result = await run(
      'Add a section "On a Mac" to install with the text "Use brew." and change the title of the page guides/reports to "Mail"',
    );
    expect(await diff(result)).toEqual([
      'modified docs/guides/reports.md',
      '- title: Reports',
      '+ title: Mail',
      'modified docs/install.md',
      '+ ## On a Mac',
      '+ Use brew.',
    ]);
    expect(result.end.title).toBe('Add a section “On a Mac” to docs/install.md and 1 more');
    expect(result.store.steps.at(-1)?.todos.map(({ status }) => status)).toEqual([
      'completed',
      'completed',
    ]);
  });

  test('what it does not understand changes nothing', async () => {
    const said = await failure('Replace "Kestrel" with "Falcon", then make the tone friendlier');
    expect(said).toMatch(
      /^not_understood: Without a language model, the built-in editor does not understand “make the tone friendlier”\. Nothing was changed\. It understands:\n- Replace/,
    );
    expect(await failure('Rename the page nowhere to somewhere')).toBe(
      'not_understood: There is no page “nowhere”. Give its path, such as "guides/start.md". Nothing was changed.',
    );
  });
});

describe('a conversation', () => {
  test('a follow-up after the end, "also in …"', async () => {
    const first = await run('Replace "kestrel" with "falcon" in install.md');
    const second = await run('also in index.md', docs, { store: first.store, set: first.files });
    expect((await second.files.read('docs/index.md')).text).toContain('`falcon`');
    expect(second.end.summary).toBe(
      'Done by the built-in editor, without a language model:\n\n- Replaced “kestrel” with “falcon” in docs/install.md.\n- Replaced “kestrel” with “falcon” in docs/index.md.',
    );
  });

  test('it goes on where a process left off, at each step', async () => {
    const whole = await run('Rename the page guides/alerts to reference/notices');
    const expected = await diff(whole);
    for (let cut = 1; cut < whole.store.steps.length; cut += 1) {
      const store = createStore('Rename the page guides/alerts to reference/notices');
      const project = ProjectConfig.parse({ id: 'p', organization: 'o', docsRoot: 'docs' });
      const set = createFileSet({
        tree: treeOf(docs),
        policy: createPathPolicy(project.paths, 'docs'),
      });
      const model = {
        name: builtInName,
        model: createBuiltInEditor(),
        price: undefined,
        contextTokens: Number.MAX_SAFE_INTEGER,
        maxOutputTokens: undefined,
        providerOptions: {},
      };
      const instructions = buildInstructions({
        docsRoot: 'docs',
        guidance: [],
        systemTexts: [],
        changes: [],
      });
      let steps = 0;
      const input = {
        files: set,
        instructions,
        docsCheck: createDocsCheck({ files: set, project, parsed: new Map() }),
      };
      await work(model, store, {
        ...input,
        onStep: async (step) => {
          store.save(step);
          steps += 1;
          if (steps === cut) throw new Error('the process died');
        },
      }).catch((error: Error) => expect(error.message).toBe('the process died'));
      await work(model, store, { ...input, messages: store.messages });
      expect(await diff({ files: set, store, end: whole.end })).toEqual(expected);
    }
    expect(whole.store.steps.length).toBeGreaterThan(3);
  });

  test('a change that is given back: it mends what it can, and says the rest', async () => {
    const first = await run('Replace "## Rules" with "## All rules"');
    await first.files.edit(
      'docs/guides/reports.md',
      'Weekly.',
      'Weekly, see [install](instal.md) and [x](xyzzy.md).',
    );
    const store = first.store;
    const model = {
      name: builtInName,
      model: createBuiltInEditor(),
      price: undefined,
      contextTokens: Number.MAX_SAFE_INTEGER,
      maxOutputTokens: undefined,
      providerOptions: {},
    };
    const project = ProjectConfig.parse({ id: 'p', organization: 'o', docsRoot: 'docs' });
    const end = await work(model, store, {
      files: first.files,
      notice:
        'Your change is not proposed yet. These problems came in with it:\n- docs/guides/reports.md: …',
      docsCheck: createDocsCheck({ files: first.files, project, parsed: new Map() }),
    });
    expect((await first.files.read('docs/guides/reports.md')).text).toContain(
      '[install](../install.md)',
    );
    expect(end.message).toContain('The link "xyzzy.md" leads to no page.');
    expect(end.title).toBe('Replace “## Rules” with “## All rules”');
  });
});
