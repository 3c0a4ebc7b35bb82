/** The same changes on files that others have changed meanwhile. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Tree } from '../workspace/tree.ts';
import { added, deleted, modified } from '../../../testing/forge-fixture.ts';
import { mergeText, rebaseChanges } from './rebase.ts';

function tree(files: Record<string, string>): Tree {
  const oid = (text: string) => createHash('sha1').update(text).digest('hex');
  return {
    commit: oid(JSON.stringify(files)),
    entries: new Map(
      Object.entries(files).map(([path, text]) => {
        const mode = text.startsWith('-> ') ? '120000' : '100644';
        return [path, { path, mode, oid: oid(text) } as const];
      }),
    ),
    read: (paths) =>
      Promise.resolve(
        new Map(
          paths.flatMap((path) => {
            const text = files[path];
            return text === undefined || text.startsWith('-> ') ? [] : [[path, Buffer.from(text)]];
          }),
        ),
      ),
  };
}

const page = 'one\n\ntwo\n\nthree\n';
const before = { 'a.md': page, 'b.md': 'b\n' };

async function rebase(
  changes: Parameters<typeof rebaseChanges>[0],
  theirs: Record<string, string>,
) {
  const result = await rebaseChanges(changes, { from: tree(before), onto: tree(theirs) });
  return {
    ...result,
    changes: result.changes.map(
      ({ path, kind, after }) => `${kind} ${path} ${after?.toString() ?? ''}`,
    ),
  };
}

test.each([
  [
    'theirs elsewhere',
    [modified('a.md', page, 'x\n')],
    { ...before, 'c.md': 'c' },
    ['modified a.md x\n'],
    [],
  ],
  [
    'both change a file, apart',
    [modified('a.md', page, page.replace('three', 'THREE'))],
    { ...before, 'a.md': page.replace('one', 'ONE') },
    ['modified a.md ONE\n\ntwo\n\nTHREE\n'],
    [],
  ],
  [
    'both change a line',
    [modified('a.md', page, page.replace('three', 'THREE'))],
    { ...before, 'a.md': page.replace('three', 'drei') },
    [],
    ['a.md'],
  ],
  ['both the same', [modified('b.md', 'b\n', 'B\n')], { ...before, 'b.md': 'B\n' }, [], []],
  ['both delete', [deleted('b.md', 'b\n')], { 'a.md': page }, [], []],
  [
    'we delete what they changed',
    [deleted('b.md', 'b\n')],
    { ...before, 'b.md': 'B\n' },
    [],
    ['b.md'],
  ],
  ['we change what they deleted', [modified('b.md', 'b\n', 'B\n')], { 'a.md': page }, [], ['b.md']],
  ['both add, differently', [added('n.md', 'n\n')], { ...before, 'n.md': 'N\n' }, [], ['n.md']],
  ['both add the same', [added('n.md', 'n\n')], { ...before, 'n.md': 'n\n' }, [], []],
  [
    'theirs is a link now',
    [modified('b.md', 'b\n', 'B\n')],
    { ...before, 'b.md': '-> /etc' },
    [],
    ['b.md'],
  ],
  ['theirs is a folder now', [added('n', 'n\n')], { ...before, 'n/x.md': 'x' }, [], ['n']],
  ['theirs is a file in our way', [added('n/x.md', 'x')], { ...before, n: 'n' }, [], ['n/x.md']],
] as const)('%s', async (_name, changes, theirs, expected, conflicts) => {
  const result = await rebase(changes, theirs);
  expect([result.changes, result.conflicts]).toEqual([expected, conflicts]);
});

test('a file that we moved takes along what they wrote at its old place', async () => {
  const moved = [deleted('a.md', page), added('z.md', page.replace('three', 'THREE'), 'a.md')];
  const theirs = { ...before, 'a.md': page.replace('one', 'ONE') };
  const result = await rebase(moved, theirs);
  expect(result).toMatchObject({ conflicts: [], merged: ['z.md'] });
  expect(result.changes).toEqual(['deleted a.md ', 'added z.md ONE\n\ntwo\n\nTHREE\n']);
  const clash = await rebase(moved, { ...before, 'a.md': page.replace('three', 'drei') });
  expect(clash.conflicts).toEqual(['a.md']);
});

test.each([
  ['apart', 'ONE\n\ntwo\n\nthree\n', 'one\n\ntwo\n\nTHREE\n', 'ONE\n\ntwo\n\nTHREE\n'],
  ['the same line', 'ONE\n\ntwo\n\nthree\n', 'eins\n\ntwo\n\nthree\n', undefined],
  ['the same change', 'ONE\n\ntwo\n\nthree\n', 'ONE\n\ntwo\n\nthree\n', 'ONE\n\ntwo\n\nthree\n'],
  [
    'no end of line at the end',
    'ONE\n\ntwo\n\nthree\n',
    'one\n\ntwo\n\nthree',
    'ONE\n\ntwo\n\nthree',
  ],
  [
    'Windows’ ends of lines on one side',
    'one\r\n\r\ntwo\r\n\r\nthree\r\n',
    'one\n\ntwo\n\nthree\nfour\n',
    undefined,
  ],
  ['no text', 'a\0b', 'c', undefined],
])('lines: %s', (_name, ours, theirs, expected) => {
  const merged = mergeText({
    base: Buffer.from(page),
    ours: Buffer.from(ours),
    theirs: Buffer.from(theirs),
  });
  expect(merged?.toString()).toBe(expected);
});
