/** Frontmatter, code blocks and MDX. */
import { describe, expect, test } from 'vitest';
import { check, type Files } from '../../../testing/agent-checks.ts';

const front = (fields: string, text = 'Text.') => `---\n${fields}\n---\n\n${text}\n`;

const site: Files = {
  'docs/a.md': front('title: A\ndescription: About A\norder: 1'),
  'docs/b.md': front('title: B\ndescription: About B\norder: 2\ntags: [x]'),
  'docs/c.md': front('title: C\ndescription: About C\norder: 3'),
};

const messages = async (write: Record<string, string | null>, checks = {}, files = site) =>
  (await check(files, { write }, { checks })).problems.map(
    ({ check: name, path, line, message }) => `${name} ${path}:${line} ${message}`,
  );

describe('frontmatter', () => {
  test('the keys of neighboring pages', async () => {
    expect(
      await messages({ 'docs/new.md': front('title: New\ndescription: About it\norder: 4') }),
    ).toEqual([]);
    expect(await messages({ 'docs/new.md': front('title: New\norder: 4') })).toEqual([
      'frontmatter docs/new.md:1 The frontmatter has no "description", but all neighboring pages have one. Write "description:" with a value, such as "description: About A" of docs/a.md.',
    ]);
  });

  test('a page without frontmatter', async () => {
    const found = await messages({ 'docs/new.md': '# New\n' });
    expect(found.map((one) => /no "(\w+)"/.exec(one)?.[1])).toEqual([
      'title',
      'description',
      'order',
    ]);
  });

  test('the order of another page', async () => {
    expect(
      await messages({ 'docs/new.md': front('title: New\ndescription: About it\norder: 2') }),
    ).toEqual([
      'frontmatter docs/new.md:4 docs/b.md already has "order: 2". The next free one is 4.',
    ]);
  });

  test('another kind of value', async () => {
    expect(
      await messages({ 'docs/new.md': front('title: 2024\ndescription: About it\norder: 4') }),
    ).toEqual([
      'frontmatter docs/new.md:2 "title" is a number, but a string on all neighboring pages. Put it in quotes.',
    ]);
  });

  test('invalid YAML', async () => {
    const [problem, ...others] = await messages({
      'docs/new.md': front('title: New: with a colon\norder: 4'),
    });
    expect(others).toEqual([]);
    expect(problem).toMatch(
      /^frontmatter docs\/new\.md:2 The frontmatter is not YAML: Nested mappings/,
    );
  });

  test('keys that were missing before', async () => {
    const old = { ...site, 'docs/new.md': front('title: New') };
    expect(await messages({ 'docs/new.md': front('title: New', 'Other.') }, {}, old)).toEqual([]);
    const report = await check(old, { write: { 'docs/new.md': front('title: New', 'Other.') } });
    expect(report.old).toBe(2);
  });

  test('frontmatter is not required if no neighbor has it', async () => {
    const bare = { 'docs/a.md': '# A\n', 'docs/b.md': '# B\n' };
    expect(await messages({ 'docs/c.md': '# C\n' }, {}, bare)).toEqual([]);
  });

  test('a new folder follows the whole documentation', async () => {
    const found = await messages({ 'docs/deep/new.md': front('order: 1') });
    expect(found.map((one) => /no "(\w+)"/.exec(one)?.[1])).toEqual(['title', 'description']);
  });

  test('a JSON schema of the project’s own', async () => {
    const schema = JSON.stringify({
      type: 'object',
      properties: {
        title: { type: 'string', maxLength: 5 },
        kind: { enum: ['guide', 'reference'] },
      },
    });
    const files = { ...site, 'docs/schema.json': schema };
    const checks = { frontmatter: 'docs/schema.json' };
    const [first, second, ...others] = await messages(
      { 'docs/new.md': front('title: Far too long\ndescription: x\norder: 9\nkind: other') },
      checks,
      files,
    );
    expect(others).toEqual([]);
    expect(first).toMatch(
      /^frontmatter docs\/new\.md:2 The frontmatter doesn’t match the schema at "title"/,
    );
    expect(second).toMatch(
      /^frontmatter docs\/new\.md:5 The frontmatter doesn’t match the schema at "kind"/,
    );
  });

  test('a change is not checked by the schema that it writes', async () => {
    const schema = JSON.stringify({
      type: 'object',
      properties: { title: { type: 'string', maxLength: 5 } },
    });
    const found = await messages(
      {
        'docs/schema.json': '{}',
        'docs/new.md': front('title: Far too long\ndescription: x\norder: 9'),
      },
      { frontmatter: 'docs/schema.json' },
      { ...site, 'docs/schema.json': schema },
    );
    expect(found).toEqual([expect.stringContaining('doesn’t match the schema at "title"')]);
  });

  test('a missing schema is reported', async () => {
    const report = await check(
      site,
      { write: { 'docs/a.md': front('title: A\ndescription: x\norder: 1', 'Other.') } },
      { checks: { frontmatter: 'docs/gone.json' } },
    );
    expect(report.checks.find(({ name }) => name === 'frontmatter')).toEqual({
      name: 'frontmatter',
      status: 'skipped',
      note: 'the schema docs/gone.json is not in the repository',
    });
  });

  test('switched off', async () => {
    expect(await messages({ 'docs/new.md': front('order: 1') }, { frontmatter: false })).toEqual(
      [],
    );
  });
});

describe('code blocks', () => {
  const page = (text: string) => ({
    'docs/a.md': front('title: A\ndescription: About A\norder: 1', text),
  });
  test.each([
    ['closed', '```js\nx\n```'],
    ['closed with more', '```\nx\n`````'],
    ['tildes', '~~~\n```\n~~~'],
    ['a longer fence around', '````md\n```js\nx\n```\n````'],
    ['in a list', '- a\n\n  ```sh\n  x\n  ```\n\n- b'],
    ['in a quotation', '> ```\n> x\n> ```'],
    ['indented', '    ```\n    x'],
  ])('good: %s', async (_, text) => expect(await messages(page(text))).toEqual([]));

  test.each([
    ['never closed', '```js\nx', 7],
    ['closed with less', '````\nx\n```', 7],
    ['opened once too often', '```\nx\n```\n\ny\n\n```\n', 13],
    ['in a list', '- a\n\n  ```sh\n  x\n\nb', 9],
  ])('%s', async (_, text, line) => {
    const [problem] = await messages(page(text));
    expect(problem).toContain(
      `fences docs/a.md:${line} The code block that starts here is not closed.`,
    );
  });
});

describe('MDX', () => {
  const page = (text: string) => ({
    'docs/new.mdx': front('title: A\ndescription: About A\norder: 7', text),
  });
  test.each([
    ['components', '<Tabs>\n  <Tab title="One">\n\nText with `code {`.\n\n  </Tab>\n</Tabs>'],
    ['expressions', 'export const x = { a: 1 };\n\n{[1, 2].map((n) => <b key={n}>{n + x.a}</b>)}'],
    ['comments', '{/* one */}\n\n<!-- two -->'],
    ['an anchor of its own', '## Two {#two}'],
  ])('good: %s', async (_, text) => expect(await messages(page(text))).toEqual([]));

  test.each([
    ['a tag that is not closed', '<Tabs>\n\nText.\n', 'Expected a closing tag for `<Tabs>`'],
    ['a brace', 'Text {with no end.', 'Unexpected end of file in expression'],
    ['no JavaScript', 'Text {a b}.', 'Could not parse expression'],
    ['a smaller sign', 'If a <5 then', 'Unexpected character `5`'],
    ['an import', "import { from './x.js'\n", 'Could not parse import/exports'],
  ])('%s', async (_, text, reason) => {
    const found = (await messages(page(text))).filter((one) => one.startsWith('mdx'));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(reason);
  });

  test('a page that was invalid MDX before is not reported', async () => {
    const files = {
      ...site,
      'docs/new.mdx': front('title: N\ndescription: x\norder: 8', 'If a <5'),
    };
    expect(
      await messages(
        { 'docs/new.mdx': front('title: N\ndescription: x\norder: 8', '{ b') },
        {},
        files,
      ),
    ).toEqual([]);
  });

  test('plain Markdown is not MDX', async () => {
    expect(
      await messages({ 'docs/a.md': front('title: A\ndescription: x\norder: 1', 'If a <5 {') }),
    ).toEqual([]);
  });
});

describe('other formats', () => {
  test('no check claims anything about pages that it can’t read', async () => {
    const of = async (write: Record<string, string>) => {
      const { checks } = await check(site, { write }, {});
      return new Set(checks.map(({ status, note }) => `${status}: ${note}`));
    };
    expect(await of({ 'docs/x.rst': 'X\n=\n', 'docs/y.adoc': '= Y\n' })).toEqual(
      new Set(['skipped: no check reads docs/x.rst, docs/y.adoc']),
    );
    const c = front('title: C\ndescription: Of C\norder: 3');
    const mixed = await of({ 'docs/x.rst': 'X\n=\n', 'docs/c.md': c });
    expect(mixed).toContain('passed: no check reads docs/x.rst');
  });
});
