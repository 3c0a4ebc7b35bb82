import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { diffFiles, unifiedDiff } from './diff.ts';
import type { FileChange } from './tree.ts';

const bytes = (text: string | undefined) => (text === undefined ? undefined : Buffer.from(text));

function change(path: string, before: string | undefined, after: string | undefined): FileChange {
  const kind = before === undefined ? 'added' : after === undefined ? 'deleted' : 'modified';
  return { path, kind, before: bytes(before), after: bytes(after) };
}

function move(from: string, path: string, before: string, after = before): FileChange[] {
  return [
    change(from, before, undefined),
    { path, kind: 'added', from, before: undefined, after: Buffer.from(after) },
  ];
}

const numbered = (count: number, other: Record<number, string> = {}) =>
  Array.from({ length: count }, (_, index) => other[index + 1] ?? `line ${index + 1}`).join('\n') +
  '\n';

const cases: Record<string, FileChange[]> = {
  'a word': [change('docs/a.md', '# A\n\nOne two.\n', '# A\n\nOne three.\n')],
  'two places': [change('a.md', numbered(60), numbered(60, { 3: 'three', 50: 'fifty' }))],
  'a new file and one that goes': [
    change('new.md', undefined, 'x\ny\n'),
    change('old.md', 'z\n', undefined),
  ],
  'an empty new file': [change('empty.md', undefined, '')],
  'line ends': [change('crlf.md', 'a\r\nb\r\nc\r\n', 'a\r\nB\r\nc\r\n')],
  'no line break at the end': [change('a.md', 'a\nb', 'a\nb\n'), change('b.md', 'a\n', 'a\nb')],
  'a byte order mark': [change('bom.md', '\uFEFF# A\n', '\uFEFF# B\n')],
  'a move': move('docs/old.md', 'guides/new.md', numbered(20)),
  'a move with a change': move('old.md', 'new.md', numbered(20), numbered(20, { 7: 'seven' })),
  'hostile names': [
    change('docs/with space.md', 'a\n', 'b\n'),
    change('docs/"quoted"\\and\ttab.md', 'a\n', 'b\n'),
    change('docs/ünïcode-日本.md', undefined, 'b\n'),
    change('docs/-- a.md', 'a\n', undefined),
  ],
  'lines that look like a patch': [
    change('p.md', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n', '--- a/x\n+++ b/y\n@@ -1 +1 @@\n+a\n'),
  ],
  everything: [change('big.md', numbered(4_000), numbered(4_000).replaceAll('line', 'row'))],
};

test.each(Object.entries(cases))('git applies the patch of %s', (_, changes) => {
  const folder = mkdtempSync(join(tmpdir(), 'docent-diff-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const { path, before } of changes) {
    if (before === undefined) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), before);
  }
  const patch = unifiedDiff(changes);
  execFileSync('git', ['apply', '--whitespace=nowarn', '-'], {
    cwd: folder,
    input: patch,
    // No repository around the folder is to be looked at.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', GIT_CEILING_DIRECTORIES: dirname(folder) },
  });
  for (const { path, after } of changes) {
    expect(existsSync(join(folder, path))).toBe(after !== undefined);
    if (after !== undefined) expect(readFileSync(join(folder, path))).toEqual(after);
  }
});

test('lines have their numbers, and only changed words are highlighted', () => {
  const [file] = diffFiles([change('a.md', numbered(9), numbered(9, { 5: 'line five' }))]);
  expect(file).toMatchObject({ path: 'a.md', kind: 'modified', added: 1, removed: 1 });
  expect(file?.hunks).toHaveLength(1);
  const [hunk] = file?.hunks ?? [];
  expect(hunk).toMatchObject({ beforeStart: 2, afterStart: 2, beforeLines: 7, afterLines: 7 });
  expect(hunk?.lines[3]).toEqual({
    kind: 'removed',
    before: 5,
    after: undefined,
    isUnended: false,
    pieces: [
      { text: 'line ', isChanged: false },
      { text: '5', isChanged: true },
    ],
  });
  expect(hunk?.lines[4]?.pieces.at(-1)).toEqual({ text: 'five', isChanged: true });
  expect(hunk?.lines[5]).toMatchObject({ kind: 'context', before: 6, after: 6 });
});

test('lines with little in common are not compared by words', () => {
  const [file] = diffFiles([change('a.md', 'The cat sat here.\n', 'Installation on Windows\n')]);
  const pieces = file?.hunks[0]?.lines.flatMap((line) => line.pieces) ?? [];
  expect(pieces.every(({ isChanged }) => !isChanged)).toBe(true);
});

test('a file that was moved is one file', () => {
  expect(diffFiles(move('a.md', 'b.md', 'x\n'))).toMatchObject([
    { path: 'b.md', from: 'a.md', kind: 'renamed', added: 0, removed: 0, hunks: [] },
  ]);
});

test('bytes and very long files are named, not shown', () => {
  const image: FileChange = {
    path: 'a.png',
    kind: 'modified',
    before: Buffer.from([0, 1]),
    after: Buffer.from([0, 2]),
  };
  const long = change('long.md', undefined, 'x\n'.repeat(600_000));
  expect(diffFiles([image, long]).map(({ content }) => content)).toEqual(['binary', 'too-large']);
  expect(unifiedDiff([image, long])).toBe(
    [
      'diff --git a/a.png b/a.png',
      'Binary files a/a.png and b/a.png differ',
      'diff --git a/long.md b/long.md',
      'new file mode 100644',
      'Binary files /dev/null and b/long.md differ: too large to be shown',
      '',
    ].join('\n'),
  );
});

test('long lines that differ in most words are shown as whole lines', () => {
  // A linear congruential generator, so that the lines are the same in every run.
  const file = (seed: number) => {
    let state = seed;
    const word = () =>
      String((state = (state * 48_271) % 2_147_483_647))
        .padStart(10, '0')
        .slice(3, 5);
    const line = () => Array.from({ length: 660 }, word).join(' ');
    return Array.from({ length: 150 }, line).join('\n');
  };
  const [diff] = diffFiles([change('a.md', file(1), file(2))]);
  const lines = diff?.hunks.flatMap((hunk) => hunk.lines) ?? [];
  expect(lines.filter(({ kind }) => kind !== 'context').length).toBeGreaterThan(200);
  expect(lines.every(({ pieces }) => pieces.length === 1)).toBe(true);
});

test('many rewritten files share one budget of edits, and one of lines that are shown', () => {
  const rewritten = Array.from({ length: 20 }, (_, index) =>
    change(`docs/${index}.md`, numbered(4_000), numbered(4_000).replaceAll('line', `now${index}`)),
  );
  const files = diffFiles(rewritten);
  expect(files.map(({ added, removed }) => [added, removed])).toEqual(
    rewritten.map(() => [4_000, 4_000]),
  );
  expect(files.flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines)).length).toBeLessThan(
    6_001,
  );
  expect(files.at(-1)?.content).toBe('too-long');
});
