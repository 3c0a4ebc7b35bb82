/**
 * Nothing escapes: whatever path a model names, for whatever it wants to do with it, it gets a sentence,
 * and what would be published holds nothing outside of the documentation.
 */
import { describe, expect, test } from 'vitest';
import { treeOf } from '../../../testing/memory-tree.ts';
import { ProjectConfig } from '../../platform/config/project-config.ts';
import { FileError, checkNewPath, checkPath } from './paths.ts';
import { createFileSet } from './file-set.ts';
import { createPathPolicy } from './path-policy.ts';
import { reviewContent } from './review.ts';
import { docsFilesOf } from './tree.ts';

const link = (content: string) => ({ mode: '120000' as const, content });

const repository = {
  'AGENTS.md': 'rules',
  'README.md': 'readme',
  'package.json': '{}',
  'docs-private/secret.md': 'secret',
  'docs/Install.md': 'install\n',
  'docs/cafe\u0301.md': 'decomposed\n',
  'docs/guide/a.md': 'a\n',
  'docs/guide/b.md': 'b\n',
  'docs/file': 'no folder\n',
  'docs/logo.png': Buffer.from([0x89, 0x50, 0, 1]),
  'docs/.env': 'KEY=1',
  'docs/server.key': 'x',
  'docs/out': link('../../etc'),
  'docs/passwd': link('/etc/passwd'),
  'docs/up': link('..'),
  'docs/guide-link.md': link('guide/a.md'),
  'docs/module': { mode: '160000' as const },
  'src/index.ts': 'code',
};

function open(more: Parameters<typeof treeOf>[0] = {}) {
  const project = ProjectConfig.parse({ id: 'p', organization: 'o', docsRoot: 'docs' });
  const policy = createPathPolicy(project.paths, project.docsRoot);
  const tree = treeOf({ ...repository, ...more });
  return { files: createFileSet({ tree, policy }), policy, tree, guard: project.guard };
}

/** In the name of a test, nothing invisible. */
const named = (path: string) =>
  (path.length > 60 ? `${path.slice(0, 60)}…(${path.length})` : path).replace(
    /[^\x20-\x7e]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Neither read nor written, whatever is there. */
const nowhere: string[] = [
  // out of the folder
  '..',
  '../',
  '../x.md',
  'docs/../README.md',
  'docs/../../etc/passwd',
  'docs/./Install.md',
  'docs/guide/../../src/index.ts',
  '../docs/x.md',
  'docs/..',
  '.',
  './',
  '',
  ' ',
  // absolute
  '/etc/passwd',
  '/docs/x.md',
  '//host/share/x.md',
  '~/x.md',
  '~root/x.md',
  'file:///etc/passwd',
  'https://evil.example/x.md',
  // Windows
  '\\\\host\\share\\x.md',
  '\\\\?\\C:\\x.md',
  'C:\\x.md',
  'C:x.md',
  'c:/x.md',
  'docs\\..\\x.md',
  'docs\\x.md',
  // control characters
  'docs/x\0.md',
  'docs/x.md\0',
  '\0',
  'docs/x\n.md',
  'docs/x\r.md',
  'docs/x\t.md',
  'docs/\u001b[2Jx.md',
  'docs/x\u007f.md',
  'docs/x\u0085.md',
  'docs/\ud800.md',
  // empty names
  'docs//x.md',
  'docs/guide/',
  // git's own folder, as git, HFS+ and NTFS see it
  '.git/config',
  '.git',
  'docs/.git/config',
  'docs/.git/hooks/pre-commit',
  'docs/.GIT/config',
  'docs/.Git/config',
  'docs/.git./config',
  'docs/.git /config',
  'docs/.git. . /config',
  'docs/git~1/config',
  'docs/GIT~1/config',
  'docs/git~2/config',
  'docs/.git::$INDEX_ALLOCATION/config',
  'docs/.git:x/config',
  'docs/.g\u200cit/config',
  'docs/.gi\u200dt/config',
  'docs/.git\u200e/config',
  'docs/\ufeff.git/config',
  'docs/.\u2060git/config',
  'docs/.g\u0131t/config',
  'docs/\uff0egit/config',
  'docs/\u2024git/config',
  'docs/.\uff27\uff29\uff34/config',
  // too long
  `docs/${'x'.repeat(256)}.md`,
  `docs/${'é'.repeat(140)}.md`,
  `docs/${'x/'.repeat(600)}x.md`,
];

/** Names that could mean another file elsewhere: never made. */
const badNames: string[] = [
  // what only looks like a dot or a slash
  'docs/\u2025/x.md',
  'docs/\uff0e\uff0e/x.md',
  'docs/x\u2024md',
  'docs/a\u2215b.md',
  'docs/a\u2044b.md',
  'docs/a\uff0fb.md',
  'docs/a\uff3cb.md',
  'docs/a\u29f8b.md',
  // invisible, turned round
  'docs/x\u200b.md',
  'docs/\u202egnp.md',
  'docs/x\u00ad.md',
  'docs/x\u{e0041}.md',
  'docs/x\ue000.md',
  // composition
  'docs/e\u0301.md',
  'docs/n\u0303/x.md',
  // devices
  'docs/CON',
  'docs/con.md',
  'docs/NUL.txt',
  'docs/aux.md',
  'docs/PRN/x.md',
  'docs/COM1',
  'docs/com1.md',
  'docs/COM\u00b9.md',
  'docs/LPT9.md',
  'docs/CONIN$',
  // ends and beginnings
  'docs/x.md.',
  'docs/x.md ',
  'docs/x./y.md',
  'docs/x /y.md',
  'docs/ x.md',
  'docs/x.md\u00a0',
  'docs/...',
  'docs/-rf.md',
  'docs/--help',
  // letters that Windows has not
  'docs/*.md',
  'docs/?.md',
  'docs/a|b.md',
  'docs/a"b.md',
  'docs/<x>.md',
  'docs/x:y.md',
  'docs/x.md::$DATA',
  // short names of Windows
  'docs/AGENTS~1.MD',
  'docs/CODEOW~1',
  'docs/gi7eba~1',
];

/** Outside, or protected, or what somebody else relies on. */
const refused: string[] = [
  'README.md',
  'x.md',
  'src/index.ts',
  'docs-private/x.md',
  'docsx.md',
  'Docs/x.md',
  '.github/workflows/ci.yml',
  'docs/.github/workflows/ci.yml',
  'docs/.gitattributes',
  'docs/.gitmodules',
  'docs/.GitModules',
  'docs/.vitepress/config.ts',
  'docs/.env',
  'docs/.npmrc',
  'docs/AGENTS.md',
  'docs/agents.md',
  'docs/guide/CLAUDE.md',
  'docs/.cursorrules',
  'docs/copilot-instructions.md',
  'docs/CODEOWNERS',
  'docs/package.json',
  'docs/Package.JSON',
  'docs/pnpm-lock.yaml',
  'docs/requirements.txt',
  'docs/conf.py',
  'docs/docusaurus.config.js',
  'docs/LICENSE',
  'docs/server.pem',
  // links and submodules, and what lies below them
  'docs/out',
  'docs/out/passwd',
  'docs/passwd',
  'docs/up/README.md',
  'docs/up/docs/x.md',
  'docs/guide-link.md',
  'docs/module',
  'docs/module/x.md',
  'docs/module/.git/config',
  'docs/Out/passwd',
  'docs/MODULE/x.md',
  // a file where a folder is, and the other way round
  'docs/guide',
  'docs/file/x.md',
  'docs/Install.md/x.md',
  // another spelling of what is there
  'docs/install.md',
  'docs/INSTALL.MD',
  'docs/In\u017ftall.md',
  'docs/Guide/a.md',
  'docs/GUIDE/new.md',
  'docs/caf\u00e9.md',
  'docs/FILE',
];

async function refusal(what: Promise<unknown> | (() => unknown)): Promise<FileError> {
  const error = await (typeof what === 'function' ? Promise.resolve().then(what) : what).then(
    () => undefined,
    (one: unknown) => one,
  );
  expect(error).toBeInstanceOf(FileError);
  return error as FileError;
}

/** A sentence, on one line, that does not carry anything hidden on. */
function expectSentence({ message }: FileError) {
  expect(message).toMatch(/^[A-Z"][\s\S]{20,1500}[.?]$/);
  // oxlint-disable-next-line no-control-regex -- exactly those must not be there
  expect(message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060\ufeff]/);
}

test('the corpus is large enough', () => {
  const all = [...nowhere, ...badNames, ...refused];
  expect(new Set(all).size).toBe(all.length);
  expect(all.length).toBeGreaterThan(150);
});

/** What another guard refuses too is refused by each: a project may allow every name. */
test.each(nowhere)('%j names no file, whatever a project allows', (path) => {
  expect(() => checkNewPath(path)).toThrow(FileError);
  const isOut = path.split('/').some((name) => /^\.\.?$/.test(name));
  if (isOut && path !== './') expect(() => checkPath(path)).toThrow(FileError);
});

describe('a path that leads nowhere good', () => {
  test.each(nowhere.map((path) => [named(path), path]))('%s', async (_name, path) => {
    const { files } = open();
    for (const what of [
      files.read(path),
      files.write(path, 'x'),
      files.edit(path, 'a', 'b'),
      files.move(path, 'docs/new.md'),
      files.move('docs/Install.md', path),
    ]) {
      expectSentence(await refusal(what));
    }
    expectSentence(await refusal(() => files.delete(path)));
    expect(await files.changes()).toEqual([]);
    expect(files.denied.length).toBeGreaterThan(0);
  });
});

describe('a name that is not made', () => {
  test.each([...badNames, ...refused].map((path) => [named(path), path]))(
    '%s',
    async (_name, path) => {
      const { files, tree } = open();
      expectSentence(await refusal(files.write(path, 'x')));
      if (path !== 'docs/install.md' && path !== 'docs/INSTALL.MD') {
        expectSentence(await refusal(files.move('docs/guide/a.md', path)));
      }
      if (!tree.entries.has(path)) expectSentence(await refusal(files.read(path)));
      expect(await files.changes()).toEqual([]);
    },
  );

  test.each([
    'README.md',
    'src/index.ts',
    'docs-private/secret.md',
    'docs/.env',
    'docs/server.key',
    'docs/out',
    'docs/passwd',
    'docs/guide-link.md',
    'docs/module',
  ])('%s is not read, edited, moved, deleted or found either', async (path) => {
    const { files } = open();
    expectSentence(await refusal(files.read(path)));
    expectSentence(await refusal(files.edit(path, 'a', 'b')));
    expectSentence(await refusal(files.move(path, 'docs/new.md')));
    expectSentence(await refusal(() => files.delete(path)));
    expect(files.list()).not.toContain(path);
    expect((await files.search('secret')).matches).toEqual([]);
    expect(files.denied.map((one) => one.path)).toContain(path);
  });
});

describe('what is judged once more before it is published', () => {
  const outside = [...nowhere, ...badNames, ...refused.slice(0, 28)].filter((path) => path !== '');
  test.each(outside.map((path) => [named(path), path]))('%s', async (_name, path) => {
    const { policy, guard, tree } = open();
    const { problems } = await reviewContent({
      changes: [{ path, kind: 'added', before: undefined, after: Buffer.from('x') }],
      policy,
      guard,
      allowLarge: true,
      trusted: [],
      before: docsFilesOf(tree),
    });
    expect(problems).toMatchObject([{ code: 'path_protected' }]);
  });
});

describe('sizes', () => {
  test('a file of 10 MB is neither read nor written', async () => {
    const huge = 'a'.repeat(10 * 1024 * 1024);
    const { files } = open({ 'docs/huge.md': huge });
    expect(await refusal(files.read('docs/huge.md'))).toMatchObject({
      message: expect.stringContaining('large') as string,
    });
    expect(await refusal(files.edit('docs/huge.md', 'a', 'b'))).toMatchObject({
      message: expect.stringContaining('large') as string,
    });
    expect(await refusal(files.write('docs/new.md', huge))).toMatchObject({
      message: expect.stringContaining('large') as string,
    });
    expect((await files.search('aaa')).matches).toEqual([]);
    expect(await files.changes()).toEqual([]);
  });

  test('many edits together have an end too', async () => {
    const { files } = open();
    const text = 'a'.repeat(1_900_000);
    const writing = (async () => {
      for (let number = 0; ; number++) await files.write(`docs/n${number}.md`, text);
    })();
    expect(await refusal(writing)).toMatchObject({
      message: expect.stringContaining('large') as string,
    });
    expect(await files.changes()).toHaveLength(17);
  });

  test('a replacement cannot grow without end', async () => {
    const { files } = open();
    await files.write('docs/n.md', 'a'.repeat(100_000));
    const grow = files.edit('docs/n.md', 'a', 'b'.repeat(100_000), { replaceAll: true });
    expect(await refusal(grow)).toMatchObject({
      message: expect.stringContaining('large') as string,
    });
  });

  test('100,000 files: what is not asked for is not read', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, index) => [
        `docs/s${index % 300}/t${index % 7}/page-${index}.md`,
        'x\n',
      ]),
    );
    const tree = treeOf(many);
    const project = ProjectConfig.parse({ id: 'p', organization: 'o', docsRoot: 'docs' });
    const files = createFileSet({ tree, policy: createPathPolicy(project.paths, 'docs') });
    expect(files.list()).toHaveLength(100_000);
    expect(files.list('docs/s7/**/page-7.md')).toEqual(['docs/s7/t0/page-7.md']);
    for (let index = 0; index < 100; index++) {
      await files.move(`docs/s${index}/t${index % 7}/page-${index}.md`, `docs/new/${index}.md`);
      await files.write(`docs/more/${index}.md`, 'y');
    }
    await refusal(files.write('docs/S7/x.md', 'x'));
    expect(tree.reads.flat().length).toBeLessThan(1000);
    expect(await files.changes()).toHaveLength(300);
  });
});
