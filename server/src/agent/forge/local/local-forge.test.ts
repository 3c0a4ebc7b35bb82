/** The local forge beyond the contract that all forges pass: its pull requests, and what git itself does to it. */
import { expect, onTestFinished, test } from 'vitest';
import { type FileInput, makeRepository } from '../../../../../tests/support/docs-repository.ts';
import { eachDatabase } from '../../../../testing/each-database.ts';
import type { FileChange } from '../../workspace/tree.ts';
import { createLocalForge } from './local-forge.ts';

const files = { 'docs/a.md': '# A\n\nOne.\n', 'docs/b.md': '# B\n', 'run.sh': run('#!/bin/sh\n') };

function run(content: string): FileInput {
  return { mode: '100755', content };
}

const to = (path: string, after: string): FileChange => ({
  path,
  kind: 'modified',
  before: undefined,
  after: Buffer.from(after),
});

eachDatabase((openNew) => {
  async function start(content: Record<string, FileInput> = files) {
    const repository = await makeRepository(content);
    onTestFinished(() => repository[Symbol.asyncDispose]());
    const { database } = await openNew();
    const merged: number[] = [];
    const open = () =>
      createLocalForge({
        database,
        now: () => new Date(),
        project: 'docs',
        path: repository.path,
        pullUrl: (number) => `http://docent.test/pull/${number}`,
        onMerged: ({ number }) => merged.push(number),
      });
    const forge = open();
    const base = (await repository.tip()) ?? '';
    async function propose(branch: string, changes: FileChange[], isDraft = false) {
      const commit = await forge.writeCommit({ parent: base, changes, message: `On ${branch}` });
      expect(await forge.createBranch(branch, commit)).toBe(true);
      const text = { title: `Title of ${branch}`, body: 'Body' };
      const pull = await forge.createPullRequest({ branch, base: 'main', ...text, isDraft });
      return { commit, pull };
    }
    return { repository, forge, open, base, merged, propose };
  }

  test('a commit changes, adds, moves and deletes, keeps modes, and runs nothing', async () => {
    const { repository, forge, base } = await start();
    const name = 'docs/new "file"\\ with\nall.md';
    const commit = await forge.writeCommit({
      parent: base,
      message: 'Change *much*\n\nDocent-Job: x/1',
      changes: [
        to('run.sh', '#!/bin/sh\necho\n'),
        { path: name, kind: 'added', before: undefined, after: Buffer.from('new\r\n') },
        { path: 'docs/b.md', kind: 'deleted', before: Buffer.from('# B\n'), after: undefined },
        { path: 'docs/b.md/c.md', kind: 'added', before: undefined, after: Buffer.from('c') },
      ],
    });
    expect(await repository.branches()).toEqual(['main']);
    expect(await repository.git('for-each-ref', 'refs/docent')).toBe('');
    const tree = await forge.openTree(commit);
    expect([...tree.entries.keys()].toSorted()).toEqual(
      ['docs/a.md', 'docs/b.md/c.md', name, 'run.sh'].toSorted(),
    );
    expect(tree.entries.get('run.sh')?.mode).toBe('100755');
    expect(tree.entries.get(name)?.mode).toBe('100644');
    expect((await tree.read([name])).get(name)?.toString()).toBe('new\r\n');
    expect(await forge.commitsBetween(base, commit)).toEqual([
      { id: commit, author: 'Docent', message: 'Change *much*\n\nDocent-Job: x/1' },
    ]);
  });

  test('a merge keeps both histories and is told once', async () => {
    const { repository, forge, base, merged, propose } = await start();
    const { commit, pull } = await propose('docent/a', [to('docs/a.md', '# A\n\nTwo.\n')]);
    expect(pull).toMatchObject({ number: 1, state: 'open' });
    const other = await repository.commit({ 'docs/b.md': '# B of somebody\n' });
    expect(await forge.merge(1, commit)).toBe('merged');
    expect(await repository.read('docs/a.md')).toBe('# A\n\nTwo.\n');
    expect(await repository.read('docs/b.md')).toBe('# B of somebody\n');
    const parents = await repository.git('rev-list', '--parents', '--max-count=1', 'main');
    expect(parents.split(' ').slice(1)).toEqual([other, commit]);
    expect(await forge.pull(1)).toMatchObject({
      state: 'merged',
      headCommit: commit,
      baseCommit: other,
    });
    expect(merged).toEqual([1]);
    expect(await forge.merge(1, commit)).toBe('not-open');
    expect(base).not.toBe(other);
  });

  test('conflicts are named, and nothing is written', async () => {
    const { repository, forge, propose } = await start();
    const { commit } = await propose('docent/a', [to('docs/a.md', '# A\n\nTwo.\n')]);
    await repository.commit({ 'docs/a.md': '# A\n\nThree.\n' });
    const tip = await repository.tip();
    expect(await forge.merge(1, commit)).toBe('conflicts');
    const pull = await forge.pull(1);
    expect(pull && (await forge.mergeability(pull))).toEqual({ conflicts: ['docs/a.md'] });
    expect(await repository.tip()).toBe(tip);
    expect((await forge.pull(1))?.state).toBe('open');
  });

  test('what was pushed after the page was opened is not merged unseen', async () => {
    const { repository, forge, propose } = await start();
    const { commit } = await propose('docent/a', [to('docs/a.md', '# A\n\nTwo.\n')]);
    await repository.commit({ 'docs/c.md': 'c' }, 'More', { branch: 'docent/a' });
    expect(await forge.merge(1, commit)).toBe('moved');
  });

  test('a draft is not merged; marked ready, it is', async () => {
    const { forge, propose } = await start();
    const { commit } = await propose('docent/a', [to('docs/a.md', 'x')], true);
    expect(await forge.merge(1, commit)).toBe('draft');
    await forge.updatePullRequest(1, { isDraft: false });
    expect(await forge.merge(1, commit)).toBe('merged');
  });

  test('a branch has one open pull request; closed ones open again only where there is no other', async () => {
    const { forge, propose } = await start();
    const { pull } = await propose('docent/a', [to('docs/a.md', 'x')]);
    const { head, base, title, body, isDraft } = pull;
    const again = await Promise.all(
      Array.from({ length: 5 }, () =>
        forge.createPullRequest({ branch: head.branch, base, title, body, isDraft }),
      ),
    );
    expect(again.map(({ number }) => number)).toEqual([1, 1, 1, 1, 1]);
    expect(await forge.close(1)).toBe(true);
    expect(await forge.close(1)).toBe(false);
    const second = await forge.createPullRequest({
      branch: head.branch,
      base,
      title,
      body,
      isDraft,
    });
    expect(second.number).toBe(2);
    expect(await forge.reopen(1)).toBe(false);
    expect(await forge.close(2)).toBe(true);
    expect(await forge.reopen(1)).toBe(true);
    expect((await forge.findPullRequest('docent/a'))?.number).toBe(2);
    expect((await forge.pulls.list({ skip: 0, take: 10 })).map(({ number }) => number)).toEqual([
      2, 1,
    ]);
  });

  test('numbers are given once, however many ask at the same time', async () => {
    const { forge, base } = await start();
    const commit = await forge.writeCommit({
      parent: base,
      changes: [to('docs/a.md', 'x')],
      message: 'x',
    });
    const branches = Array.from({ length: 8 }, (_, index) => `docent/${index}`);
    for (const branch of branches) await forge.createBranch(branch, commit);
    const made = await Promise.all(
      branches.map((branch) =>
        forge.createPullRequest({ branch, base: 'main', title: 't', body: '', isDraft: false }),
      ),
    );
    expect(made.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8,
    ]);
  });

  test.each(['merge', 'forward'] as const)('a merge made with git is noticed (%s)', async (how) => {
    const { repository, forge, open, base, merged, propose } = await start();
    const { commit } = await propose('docent/a', [to('docs/a.md', 'x')]);
    // As after a process that died between the merge and its row.
    const tree = `${commit}^{tree}`;
    const identity = ['-c', 'user.name=D', '-c', 'user.email=d@d.example'];
    const parents = ['-p', base, '-p', commit];
    const made =
      how === 'forward'
        ? commit
        : await repository.git(...identity, 'commit-tree', tree, ...parents, '-m', 'By hand');
    await repository.git('update-ref', 'refs/heads/main', made, base);
    expect((await open().readPullRequest(1))?.state).toBe('merged');
    expect(await forge.pull(1)).toMatchObject({ state: 'merged', baseCommit: base });
    expect(merged).toEqual([]);
  });

  test('two that merge different branches at the same moment both succeed', async () => {
    const { repository, forge, open, propose } = await start();
    const one = await propose('docent/a', [to('docs/a.md', 'x')]);
    const two = await propose('docent/b', [to('docs/b.md', 'y')]);
    const other = open();
    const results = await Promise.all([forge.merge(1, one.commit), other.merge(2, two.commit)]);
    expect(results).toEqual(['merged', 'merged']);
    expect([await repository.read('docs/a.md'), await repository.read('docs/b.md')]).toEqual([
      'x',
      'y',
    ]);
  });
});
