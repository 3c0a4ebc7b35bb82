import { describe, expect, test } from 'vitest';
import { treeOf } from '../../../testing/memory-tree.ts';
import { ProjectConfig } from '../../platform/config/project-config.ts';
import { createFileSet, type SavedEdit } from './file-set.ts';
import { createPathPolicy } from './path-policy.ts';

type Files = Parameters<typeof treeOf>[0];

function policyOf(settings: { docsRoot?: string; paths?: object } = {}) {
  const { paths, docsRoot } = ProjectConfig.parse({ id: 'p', organization: 'o', ...settings });
  return createPathPolicy(paths, docsRoot);
}

function open(
  files: Files,
  { edits, ...settings }: { docsRoot?: string; paths?: object; edits?: SavedEdit[] } = {},
) {
  const tree = treeOf(files);
  return { tree, ...createFileSet({ tree, policy: policyOf(settings), edits: edits ?? [] }) };
}

const after = async (files: ReturnType<typeof open>, path: string) =>
  (await files.changes()).find((one) => one.path === path)?.after?.toString();

describe('what is there', () => {
  test('files are listed in order, by a pattern, below the root only', () => {
    const files = { 'docs/b.md': '', 'docs/a/c.mdx': '', 'docs/a/b.md': '', 'src/x.md': '' };
    expect(open(files, { docsRoot: 'docs' }).list()).toEqual([
      'docs/a/b.md',
      'docs/a/c.mdx',
      'docs/b.md',
    ]);
    expect(open(files).list('*.md')).toEqual(['docs/a/b.md', 'docs/b.md', 'src/x.md']);
    expect(open(files).list('docs/*.md')).toEqual(['docs/b.md']);
    expect(open(files).list('docs/a')).toEqual(['docs/a/b.md', 'docs/a/c.mdx']);
  });

  test('a part of a file is read with its line numbers', async () => {
    const files = open({ 'a.md': 'one\r\ntwo\r\nthree\r\n' });
    expect(await files.read('a.md')).toEqual({
      text: 'one\ntwo\nthree\n',
      firstLine: 1,
      lastLine: 3,
      lines: 3,
    });
    expect(await files.read('a.md', { from: 2, to: 2 })).toMatchObject({ text: 'two' });
    await expect(files.read('a.md', { from: 9 })).rejects.toThrow('has only 3 lines');
  });

  test('what is missing is answered with what is meant', async () => {
    const files = open({ 'docs/guide/Install.md': 'x', 'docs/a.md': 'x' });
    await expect(files.read('docs/guide/install.md')).rejects.toThrow('"docs/guide/Install.md"');
    await expect(files.read('install.mdx')).rejects.toThrow('"docs/guide/Install.md"');
    await expect(files.read('docs/guide')).rejects.toThrow('is a folder');
  });
});

describe('edits', () => {
  test('are seen by everything that follows, and nothing else changes', async () => {
    const files = open({ 'a.md': 'Hello world\n', 'b.md': 'stays\n' });
    await files.edit('a.md', 'world', 'reader');
    await files.write('c.md', 'new');
    expect((await files.read('a.md')).text).toBe('Hello reader\n');
    expect(files.list()).toEqual(['a.md', 'b.md', 'c.md']);
    expect((await files.search('reader')).matches).toEqual([
      { path: 'a.md', line: 1, text: 'Hello reader' },
    ]);
    expect(await files.changes()).toEqual([
      {
        path: 'a.md',
        kind: 'modified',
        before: Buffer.from('Hello world\n'),
        after: Buffer.from('Hello reader\n'),
      },
      { path: 'c.md', kind: 'added', before: undefined, after: Buffer.from('new\n') },
    ]);
  });

  test('an edit that is taken back is none', async () => {
    const files = open({ 'a.md': 'one\n' });
    await files.edit('a.md', 'one', 'two');
    await files.edit('a.md', 'two', 'one');
    files.delete('a.md');
    await files.write('a.md', 'one\n');
    expect(await files.changes()).toEqual([]);
  });

  test('a move is a deletion and an addition that knows where it came from', async () => {
    const files = open({ 'a.md': 'one\n', 'b.png': Buffer.from([1, 0, 255]) });
    await files.move('a.md', 'x/b.md');
    await files.edit('x/b.md', 'one', 'two');
    await files.move('x/b.md', 'x/c.md');
    await files.move('b.png', 'x/b.png');
    expect((await files.changes()).map(({ path, kind, from }) => [path, kind, from])).toEqual([
      ['a.md', 'deleted', undefined],
      ['b.png', 'deleted', undefined],
      ['x/b.png', 'added', 'b.png'],
      ['x/c.md', 'added', 'a.md'],
    ]);
    await files.move('x/c.md', 'a.md');
    expect((await files.changes()).map(({ path, kind }) => [path, kind])).toContainEqual([
      'a.md',
      'modified',
    ]);
  });

  test('a move that is refused leaves everything as it was', async () => {
    const files = open({ 'a.md': 'one', 'b.md': 'two' });
    await expect(files.move('a.md', 'b.md')).rejects.toThrow('already exists');
    await expect(files.move('a.md', '../a.md')).rejects.toThrow('leads out');
    expect(await files.changes()).toEqual([]);
    expect(files.list()).toEqual(['a.md', 'b.md']);
  });

  test('a name may change its case', async () => {
    const files = open({ 'Install.md': 'x\n' });
    await files.move('Install.md', 'install.md');
    expect(files.list()).toEqual(['install.md']);
  });

  test('edits come back from where they were saved', async () => {
    const first = open({ 'a.md': 'one\n', 'b.md': 'two\n' });
    await first.edit('a.md', 'one', 'three');
    await first.move('b.md', 'c.md');
    const second = open({ 'a.md': 'one\n', 'b.md': 'two\n' }, { edits: first.save() });
    expect(await second.changes()).toEqual(await first.changes());
    expect(second.list()).toEqual(['a.md', 'c.md']);
  });

  test('the text to be replaced stands there once, or all places are meant', async () => {
    const files = open({ 'a.md': 'x\ny\nx\n' });
    await expect(files.edit('a.md', 'x', 'z')).rejects.toThrow(
      'stands 2 times in "a.md", in lines 1, 3',
    );
    expect(await files.edit('a.md', 'x', 'z', { replaceAll: true })).toEqual({ count: 2, line: 1 });
    expect(await after(files, 'a.md')).toBe('z\ny\nz\n');
  });

  test.each<[string, string, string, RegExp]>([
    [
      'other spaces',
      'Set  the port\n\tto 80.',
      'Set the port\nto 80.',
      /only in spaces, quotes[^]*Set {2}the port/,
    ],
    ['other quotes', 'Press “Save”.', 'Press "Save".', /only in spaces, quotes[^]*“Save”/],
    ['line numbers', 'one\ntwo\n', '1: one\n2: two', /Leave out the line numbers/],
    ['nothing like it', 'abc\n', 'something else entirely', /Read the file again/],
    ['an empty text', 'abc\n', '', /is empty/],
  ])('a text that is not found: %s', async (_what, content, wanted, words) => {
    const files = open({ 'a.md': content });
    await expect(files.edit('a.md', wanted, 'new')).rejects.toThrow(words);
  });
});

describe('bytes that nobody meant to change stay', () => {
  test.each<[string, string, [string, string], string]>([
    ['CRLF', 'a\r\nb\r\nc\r\n', ['a\nb', 'a\nx\nb'], 'a\r\nx\r\nb\r\nc\r\n'],
    ['mixed endings', 'a\nb\r\nc\nd\r\n', ['c', 'C\nC'], 'a\nb\r\nC\nC\nd\r\n'],
    ['mixed endings inside', 'a\nb\r\nc\nd\r\n', ['a\nb\nc', 'a\nB\nc'], 'a\nB\r\nc\nd\r\n'],
    ['a byte order mark', '\uFEFFa\n', ['a', 'b'], '\uFEFFb\n'],
    ['no newline at the end', 'a\nb', ['b', 'c\n'], 'a\nc'],
    ['a newline at the end', 'a\nb\n', ['b\n', 'c'], 'a\nc\n'],
    ['spaces at line ends', 'a  \nb\n', ['b', 'c'], 'a  \nc\n'],
    ['lone returns', 'a\rb\rc', ['b', 'x'], 'a\rx\rc'],
    ['characters of four bytes', '😀 a\r\n', ['a', '👍'], '😀 👍\r\n'],
  ])('%s', async (_what, before, [oldText, newText], expected) => {
    const files = open({ 'a.md': before });
    await files.edit('a.md', oldText, newText);
    expect(await after(files, 'a.md')).toBe(expected);
  });

  test.each<[string, string, string, string]>([
    ['CRLF and a mark', '\uFEFFa\r\nb\r\n', 'a\nc', '\uFEFFa\r\nc\r\n'],
    ['mixed endings', 'a\nb\r\nc\r\n', 'a\nb\nx\nc\n', 'a\nb\r\nx\r\nc\r\n'],
    ['no newline at the end', 'a', 'b\n', 'b'],
  ])('a file that is written anew: %s', async (_what, before, text, expected) => {
    const files = open({ 'a.md': before });
    await files.write('a.md', text);
    expect(await after(files, 'a.md')).toBe(expected);
  });

  test('a new file ends its lines as its neighbours do', async () => {
    const files = open({ 'docs/a.md': 'a\r\nb\r\n', 'docs/a.txt': 'a\n' });
    await files.write('docs/new.md', '# New\ntext');
    expect(await after(files, 'docs/new.md')).toBe('# New\r\ntext\r\n');
  });

  test.each([
    ['Latin-1', Buffer.from('Gr\u00fc\u00dfe', 'latin1')],
    ['UTF-16', Buffer.from('\ufeffabc', 'utf16le')],
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1])],
  ])('what is no UTF-8 is left alone: %s', async (_what, bytes) => {
    const files = open({ 'a.md': bytes });
    await expect(files.read('a.md')).rejects.toThrow('is not text in UTF-8');
    await expect(files.edit('a.md', 'a', 'b')).rejects.toThrow('is not text in UTF-8');
    await expect(files.write('a.md', 'b')).rejects.toThrow('is not text in UTF-8');
    expect(await files.changes()).toEqual([]);
  });
});

describe('search', () => {
  const content = { 'a.md': 'The API key\napi_key = 1\n', 'b.txt': 'nothing\n' };

  test('plain text, in any case unless it has capitals', async () => {
    const files = open(content);
    expect((await files.search('api')).matches.map(({ line }) => line)).toEqual([1, 2]);
    expect((await files.search('API')).matches.map(({ line }) => line)).toEqual([1]);
    expect((await files.search('api', { glob: '*.txt' })).matches).toEqual([]);
  });

  test('an expression', async () => {
    const { matches } = await open(content).search('api.key', { regex: true });
    expect(matches.map(({ line }) => line)).toEqual([1, 2]);
  });

  test('one that would take for ever elsewhere comes to an end', async () => {
    const files = open({ 'a.md': `${'a'.repeat(1900)}!\n` });
    expect((await files.search('(a+)+$', { regex: true })).matches).toEqual([]);
    expect((await files.search('(a|aa)+$|(.*a){20}b', { regex: true })).matches).toEqual([]);
    await expect(files.search('(a?){900}a{900}', { regex: true })).rejects.toThrow('too much');
  });

  test.each([
    ['(', /not understood/],
    ['(?=a)', /no look-around/],
    ['(a)\\1', /no back references/],
    ['', /is empty/],
    ['a\nb', /one line/],
  ])('%j is refused', async (query, words) => {
    await expect(open(content).search(query, { regex: true })).rejects.toThrow(words);
  });

  test('says when there is more', async () => {
    const files = open({ 'a.md': 'x\n'.repeat(100) });
    const { matches, note } = await files.search('x', { limit: 3 });
    expect(matches).toHaveLength(3);
    expect(note).toContain('first 3 matches');
  });
});
