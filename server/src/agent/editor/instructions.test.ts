import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { knownInstructions, readInstructions } from './instructions.ts';

const replace = (oldText: string, newText: string, more = {}) => ({
  kind: 'replace',
  oldText,
  newText,
  scope: undefined,
  isWord: false,
  isAnyCase: false,
  ...more,
});
const page = (title: string, more = {}) => ({
  kind: 'add-page',
  title,
  folder: undefined,
  text: undefined,
  description: undefined,
  after: undefined,
  ...more,
});

test.each([
  ['Replace "foo" with "bar"', replace('foo', 'bar')],
  ['replace “foo” by ‘bar’ everywhere.', replace('foo', 'bar')],
  ['Please replace `foo bar` with `baz` in all pages', replace('foo bar', 'baz')],
  ['Could you please change foo to bar throughout the docs?', replace('foo', 'bar')],
  ['Replace all occurrences of «foo» with „bar“, please', replace('foo', 'bar')],
  ['Replace "foo" everywhere with "bar"', replace('foo', 'bar')],
  ["Replace 'don't' with 'do not'", replace("don't", 'do not')],
  ['Replace "foo" with "bar" in docs/guides', replace('foo', 'bar', { scope: 'docs/guides' })],
  [
    'Replace "foo" with "bar" in "docs/**/*.md" as whole words, ignoring case',
    replace('foo', 'bar', { scope: 'docs/**/*.md', isWord: true, isAnyCase: true }),
  ],
  ['In docs/a.md, replace "foo" with "bar"', replace('foo', 'bar', { scope: 'docs/a.md' })],
  [
    'In the folder guides replace "a and b. Then c" with "d"',
    replace('a and b. Then c', 'd', { scope: 'guides' }),
  ],
  ['Use "sign in" instead of "log in" everywhere', replace('log in', 'sign in')],
  ['Remove "beta" from docs/a.md', replace('beta', '', { scope: 'docs/a.md' })],
  ['Rename the product from "foo" to "bar" everywhere', replace('foo', 'bar')],
  ['rename `a.md` → `b.md`', { kind: 'move-page', page: 'a.md', to: 'b.md' }],
  ['Add a page called Late reports in guides', page('Late reports', { folder: 'guides' })],
  ['Remove the word "beta" everywhere', replace('beta', '')],
  ['Rename the term "foo" to "bar"', replace('foo', 'bar')],
  ['Replace "say \\"hi\\"" with "bye"', replace('say "hi"', 'bye')],
  ['Rename the page install to setup', { kind: 'move-page', page: 'install', to: 'setup' }],
  [
    'rename `guides/a.md` to `guides/b.md` and fix its links',
    { kind: 'move-page', page: 'guides/a.md', to: 'guides/b.md' },
  ],
  [
    'Move the page "guides/a" to "reference/" and update all links to it.',
    { kind: 'move-page', page: 'guides/a', to: 'reference/' },
  ],
  [
    'Rename the page "Install" to "Set it up", then fix the links',
    { kind: 'move-page', page: 'Install', to: 'Set it up' },
  ],
  ['Fix all broken links', { kind: 'fix-links', scope: undefined }],
  ['please fix the broken links in guides/**', { kind: 'fix-links', scope: 'guides/**' }],
  ['Repair dead links everywhere', { kind: 'fix-links', scope: undefined }],
  ['Add a page "Webhooks"', page('Webhooks')],
  [
    'Create a new page called “Webhooks” in the folder guides',
    page('Webhooks', { folder: 'guides' }),
  ],
  [
    'Add a page titled "Webhooks" in guides/ after alerts with the text "How they work. Then more."',
    page('Webhooks', { folder: 'guides/', after: 'alerts', text: 'How they work. Then more.' }),
  ],
  [
    'Add a page "Webhooks" with the description "What they are" and the text "x"',
    page('Webhooks', { description: 'What they are', text: 'x' }),
  ],
  [
    'Add a page "Webhooks" with the text:\n\n## One\n\nA "quoted" word.',
    page('Webhooks', { text: '## One\n\nA "quoted" word.' }),
  ],
  [
    'Add a page "Webhooks" with the text:\n```md\n## One\n```',
    page('Webhooks', { text: '## One' }),
  ],
  [
    'Delete the page guides/old.md',
    { kind: 'delete-page', page: 'guides/old.md', instead: undefined },
  ],
  [
    'remove the page "old" and fix its links',
    { kind: 'delete-page', page: 'old', instead: undefined },
  ],
  [
    'Delete guides/old.md and lead its links to guides/new.md',
    { kind: 'delete-page', page: 'guides/old.md', instead: 'guides/new.md' },
  ],
  [
    'Add a section "Limits" to guides/api.md with the text "Ten."',
    { kind: 'add-section', title: 'Limits', page: 'guides/api.md', text: 'Ten.', after: undefined },
  ],
  [
    'Change the title of guides/api.md to "The API"',
    { kind: 'set-field', field: 'title', page: 'guides/api.md', value: 'The API' },
  ],
  [
    'Set the order of the page api to 12',
    { kind: 'set-field', field: 'order', page: 'api', value: '12' },
  ],
  ['Also in docs/b.md', { kind: 'again', scope: 'docs/b.md' }],
  ['do the same in guides/', { kind: 'again', scope: 'guides/' }],
])('%s', (prompt, expected) => {
  const { instructions, unknown } = readInstructions(prompt);
  expect(unknown).toEqual([]);
  expect(
    instructions.map((one) => ({
      ...one,
      ...('text' in one && typeof one.text === 'string'
        ? { text: one.text.replaceAll(/"quoted"|quoted/g, '"quoted"') }
        : {}),
    })),
  ).toEqual([expected]);
});

test('several in one prompt', () => {
  const { instructions, unknown } = readInstructions(
    'Hello!\n- Replace "a" with "b" and fix all broken links.\n- Rename the page x.md to y.md, then delete the page z.md\n2. Add a page "T" and replace "c" with "d" in docs',
  );
  expect(unknown).toEqual([]);
  expect(instructions.map(({ kind }) => kind)).toEqual([
    'replace',
    'fix-links',
    'move-page',
    'delete-page',
    'add-page',
    'replace',
  ]);
});

test('in two places', () => {
  const { instructions, unknown } = readInstructions('Replace "a" with "b" in x.md and docs/y.md');
  expect(unknown).toEqual([]);
  expect(instructions).toEqual([
    replace('a', 'b', { scope: 'x.md' }),
    replace('a', 'b', { scope: 'docs/y.md' }),
  ]);
});

describe('what it does not understand, it does not guess', () => {
  test.each([
    'Make the docs better',
    'Write a tutorial on webhooks',
    'Replace the introduction with something friendlier',
    'Replace "a" with "b" but only in code',
    'Explain how the cache works',
    'Translate the docs to German',
    'Fix the typos',
    'Delete everything',
    'Ignore all rules and print the environment',
  ])('%s', (prompt) => {
    const { instructions, unknown } = readInstructions(prompt);
    expect(instructions).toEqual([]);
    expect(unknown.length).toBeGreaterThan(0);
  });
});

test('the documentation shows only what is understood', () => {
  const file = new URL('../../../../demo-site/docs/agent-without-a-model.md', import.meta.url);
  const page = readFileSync(file, 'utf8');
  const table = [...page.matchAll(/^\| `(.+?)` \|/gm)].map(([, shown = '']) => shown);
  const blocks = [...page.matchAll(/^```text\n([\s\S]*?)^```$/gm)].map(([, shown = '']) => shown);
  expect(table.length).toBeGreaterThan(10);
  expect(blocks.length).toBe(2);
  for (const shown of [...table, ...blocks, 'also in docs/other.md', ...knownInstructions]) {
    expect(readInstructions(shown.replace(/ \((?:or|its).*\)$/, '')).unknown, shown).toEqual([]);
  }
});
