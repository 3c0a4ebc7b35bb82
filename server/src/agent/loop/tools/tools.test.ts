import { describe, expect, test } from 'vitest';
import { ChecksConfig } from '../../../platform/config/project-config.ts';
import { docs, openFiles, textAt } from '../../../../testing/agent-loop.ts';
import { toTitle } from './task.ts';
import type { ToolContext } from './tool.ts';
import { describeTools, runCalls } from './tools.ts';

function contextOf(files: Parameters<typeof openFiles>[0] = docs, root?: string): ToolContext {
  const settings = root === undefined ? {} : { docsRoot: root };
  return {
    files: openFiles(files, settings),
    project: { docsRoot: 'docs', checks: ChecksConfig.parse({}) },
    todos: [],
    end: undefined,
  };
}

async function call(context: ToolContext, name: string, input: unknown = {}) {
  const [outcome] = await runCalls([{ id: '1', name, input, isBroken: false }], context, {
    wasCut: false,
    signal: new AbortController().signal,
    onEvent() {},
  });
  if (!outcome) throw new Error('The call gave nothing');
  return outcome;
}

const say = async (...args: Parameters<typeof call>) => {
  const { isError, output } = await call(...args);
  return (isError ? 'ERROR ' : '') + output;
};

test('every tool says what it is for and what it takes, in few words', () => {
  const code = {} as ToolContext['code'];
  const tools = Object.entries({
    ...describeTools({ code }),
    ...describeTools({ code, drift: { round: 1, corrections: [] } }),
  });
  expect(tools.map(([name]) => name)).toEqual([
    'list',
    'search',
    'read',
    'edit',
    'write',
    'move',
    'delete',
    'check',
    'todo',
    'finish',
    'code_list',
    'code_search',
    'code_read',
    'correct',
  ]);
  for (const [, { description }] of tools) {
    expect(String(description).length).toBeGreaterThan(40);
    expect(String(description).length).toBeLessThan(400);
  }
});

describe('list', () => {
  test('names the files, all or those of a pattern', async () => {
    const context = contextOf();
    expect(await say(context, 'list')).toBe(
      'docs/guides/alerts.md\ndocs/index.md\ndocs/install.md',
    );
    expect(await say(context, 'list', { glob: 'docs/guides/**' })).toBe('docs/guides/alerts.md');
    expect(await say(context, 'list', { glob: 'src/**' })).toContain('No file fits "src/**"');
  });

  test('shows many files as folders', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 900 }, (_, n) => [`docs/${n % 300}/${n}.md`, '']),
    );
    const said = await say(contextOf(many), 'list');
    expect(said).toContain('900 files, too many to name');
    expect(said).toContain('docs/0/ (3)');
    expect(said).toContain('… and 100 more folders');
  });
});

describe('read', () => {
  const page = Array.from({ length: 3_000 }, (_, n) => `line ${n + 1}`).join('\n');
  test('numbers the lines', async () => {
    expect(await say(contextOf(), 'read', { path: 'docs/index.md' })).toBe(
      '1\t# Kestrel\n2\t\n3\tKestrel watches your servers.',
    );
  });

  test('shows a long file in parts, and a range of it', async () => {
    const context = contextOf({ 'a.md': page });
    const first = await say(context, 'read', { path: 'a.md' });
    expect(first).toContain(
      '\n1200\tline 1200\n(Lines 1 to 1200 of 3000. Read on from line 1201.)',
    );
    expect(await say(context, 'read', { path: 'a.md', from: 2_999 })).toBe(
      '2999\tline 2999\n3000\tline 3000\n(Lines 2999 to 3000 of 3000.)',
    );
    // Some models write numbers as text.
    expect(await say(context, 'read', { path: 'a.md', from: '7', to: '7' })).toBe(
      '7\tline 7\n(Lines 7 to 7 of 3000. Read on from line 8.)',
    );
  });

  test('cuts a line that is data, and never shows more than fits', async () => {
    const context = contextOf({
      'a.md': `x\n${'y'.repeat(9_000)}\nz`,
      'b.md': 'w'.repeat(100_000),
    });
    expect(await say(context, 'read', { path: 'a.md' })).toContain(
      '… (7000 more characters)\n3\tz',
    );
    expect((await say(context, 'read', { path: 'b.md' })).length).toBeLessThan(2_100);
    const wide = contextOf({
      'c.md': Array.from({ length: 500 }, () => 'v'.repeat(500)).join('\n'),
    });
    const said = await say(wide, 'read', { path: 'c.md' });
    expect(said.length).toBeLessThan(40_200);
    expect(said).toMatch(/Read on from line \d+\.\)$/);
  });

  test('says what is wrong with a path, and that a file is empty', async () => {
    const context = contextOf({ ...docs, 'docs/empty.md': '' });
    expect(await say(context, 'read', { path: 'docs/Install.md' })).toContain('"docs/install.md"');
    expect(await say(context, 'read', { path: 'docs/empty.md' })).toBe('The file is empty.');
    expect(await say(context, 'read', {})).toMatch(
      /^ERROR The input of read is not right:\n✖ .*\n.* at path/,
    );
  });
});

describe('search', () => {
  test('shows what it found, with its place', async () => {
    expect(await say(contextOf(), 'search', { query: 'alerts' })).toBe(
      '2 matches\ndocs/guides/alerts.md\n1\t# Alerts\n3\tAlerts go to e-mail.',
    );
  });

  test('takes expressions and patterns', async () => {
    const context = contextOf({ 'a.md': 'one\n\none\n', 'b/c.md': 'one\n' });
    const said = await say(context, 'search', { query: '^o.e$', regex: true, glob: 'a.md' });
    expect(said).toBe('2 matches\na.md\n1\tone\n3\tone');
    const both = await say(context, 'search', { query: 'one' });
    expect(both).toBe('3 matches\na.md\n1\tone\n3\tone\n\nb/c.md\n1\tone');
  });

  test('shows a limited number of matches, and says where it stopped', async () => {
    const context = contextOf({ 'a.md': 'word\n'.repeat(200) });
    const said = await say(context, 'search', { query: 'word' });
    expect(said.split('\n')).toHaveLength(1 + 1 + 50 + 1);
    expect(said).toContain('Only the first 50 matches');
  });

  test('says what to do where nothing is found or understood', async () => {
    const context = contextOf();
    expect(await say(context, 'search', { query: 'zebra' })).toContain('Nothing found for "zebra"');
    expect(await say(context, 'search', { query: '(a', regex: true })).toContain(
      'ERROR The expression',
    );
    expect(await say(context, 'search', { query: ' ' })).toContain('ERROR The search is empty');
  });
});

describe('changes', () => {
  test('are made, and told in a few words', async () => {
    const context = contextOf();
    expect(
      await say(context, 'edit', { path: 'docs/install.md', oldText: 'teh', newText: 'the' }),
    ).toBe('Changed docs/install.md.');
    expect(await say(context, 'write', { path: 'docs/new.md', content: 'New' })).toBe(
      'Made docs/new.md.',
    );
    expect(await say(context, 'write', { path: 'docs/new.md', content: 'Newer' })).toBe(
      'Wrote docs/new.md anew.',
    );
    expect(await say(context, 'move', { from: 'docs/index.md', to: 'docs/start.md' })).toBe(
      'Moved docs/index.md to docs/start.md.',
    );
    expect(await say(context, 'delete', { path: 'docs/guides/alerts.md' })).toBe(
      'Deleted docs/guides/alerts.md.',
    );
    expect(await textAt(context.files, 'docs/install.md')).toContain('start the service');
    expect((await context.files.changes()).map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      'deleted docs/guides/alerts.md',
      'deleted docs/index.md',
      'modified docs/install.md',
      'added docs/new.md',
      'added docs/start.md',
    ]);
  });

  test('that do not fit are answered with what stands there', async () => {
    const context = contextOf({ 'docs/a.md': 'The fox runs.\nThe fox sleeps.\n' }, 'docs');
    const edit = (oldText: string) =>
      say(context, 'edit', { path: 'docs/a.md', oldText, newText: '' });
    expect(await edit('The fox')).toContain('ERROR The text stands 2 times');
    expect(await edit('The fox walks.')).toContain('Read the file again');
    expect(await say(context, 'write', { path: 'src/a.ts', content: '' })).toMatch(/^ERROR .*docs/);
    expect(await say(context, 'delete', { path: 'docs/none.md' })).toContain('ERROR');
    expect(await context.files.changes()).toEqual([]);
  });
});

test('todo keeps the list, and an item keeps its id', async () => {
  const context = contextOf();
  await say(context, 'todo', {
    todos: [{ content: 'Find it' }, { content: 'Fix it', priority: 'high' }],
  });
  expect(context.todos).toEqual([
    { id: '1', content: 'Find it', status: 'pending', priority: 'medium' },
    { id: '2', content: 'Fix it', status: 'pending', priority: 'high' },
  ]);
  const todos = [
    { content: 'Tell them' },
    { content: 'Fix it', priority: 'high', status: 'in_progress' },
    { content: 'Find it', status: 'completed' },
  ];
  expect(await say(context, 'todo', { todos })).toBe('The list has 3 items, 2 of them open.');
  expect(context.todos.map(({ id }) => id)).toEqual(['3', '2', '1']);
  expect(await say(context, 'todo', { todos: [{ content: 'x', status: 'perhaps' }] })).toMatch(
    /^ERROR The input of todo is not right:\n✖ .*\n.* at todos\[0\]\.status/,
  );
  expect(context.todos).toHaveLength(3);
});

test('finish takes what the pull request needs', async () => {
  const context = contextOf();
  expect(await say(context, 'finish', { title: 'T' })).toContain('at message');
  expect(context.end).toBeUndefined();
  const title = `Explain how Kestrel sends its alerts to several people at once\nand more`;
  await say(context, 'finish', { title, message: 'Done', summary: '' });
  expect(context.end).toEqual({
    title: 'Explain how Kestrel sends its alerts to several people at once',
    message: 'Done',
  });
});

test.each([
  ['Short', 'Short'],
  ['  two   words\nsecond line', 'two words'],
  ['', ''],
  [
    'A title that goes on and on, and says far more than anybody would ever want to read there',
    'A title that goes on and on, and says far more than anybody would ever…',
  ],
  ['x'.repeat(100), `${'x'.repeat(71)}…`],
  [`${'x'.repeat(70)}🙂🙂🙂`, `${'x'.repeat(70)}🙂…`],
])('the title of %j', (text, title) => {
  expect(toTitle(text)).toBe(title);
  expect(Array.from(title).length).toBeLessThanOrEqual(72);
});

test('a name that every object has is no tool', async () => {
  expect(await say(contextOf(), 'constructor')).toContain('ERROR There is no tool "constructor"');
});
