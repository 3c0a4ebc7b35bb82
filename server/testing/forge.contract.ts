import { describe, expect, onTestFinished, test } from 'vitest';
import {
  added,
  contractFiles,
  deleted,
  modified,
  type OpenForge,
  refusal,
} from './forge-fixture.ts';

async function startWith(open: OpenForge, files = contractFiles) {
  const setup = await open(files);
  onTestFinished(() => setup[Symbol.asyncDispose]());
  const base = (await setup.docs.tip()) ?? '';
  return { ...setup, base };
}

/** What every forge promises, whatever host is behind it. */
export function forgeContract(name: string, open: OpenForge): void {
  const start = (files?: typeof contractFiles) => startWith(open, files);

  describe(`${name}: reading`, () => {
    test('the default branch, tips of branches, and none where there is none', async () => {
      const { forge, docs, base, makeDefault, reopen } = await start();
      expect(await forge.defaultBranch()).toBe('main');
      expect(await forge.tip('main')).toBe(base);
      expect(await forge.tip('no/such-branch')).toBeUndefined();
      const next = await docs.commit({ 'docs/next.md': 'x' }, 'Next', { branch: 'feature/next' });
      await expect.poll(() => forge.tip('feature/next')).toBe(next);
      // Part of a name is not a name.
      expect(await forge.tip('feature')).toBeUndefined();
      await makeDefault('feature/next');
      expect(await reopen().defaultBranch()).toBe('feature/next');
    });

    test('that it can be written is seen without writing anything that stays', async () => {
      const { forge, docs, base } = await start();
      await forge.assertWritable();
      expect(await docs.branches()).toEqual(['main']);
      expect(await docs.tip()).toBe(base);
      expect(await forge.readPullRequest(1)).toBeUndefined();
    });

    test('the files of a commit: modes, exact bytes, links not followed', async () => {
      const { forge, base } = await start();
      const tree = await forge.openTree(base);
      expect(tree.commit).toBe(base);
      expect([...tree.entries.keys()].toSorted()).toEqual(Object.keys(contractFiles).toSorted());
      expect(tree.entries.get('run.sh')?.mode).toBe('100755');
      expect(tree.entries.get('docs/link.md')?.mode).toBe('120000');
      const read = await tree.read(['docs/crlf.md', 'docs/logo.png', 'docs/link.md', 'gone.md']);
      expect([...read.keys()].toSorted()).toEqual(['docs/crlf.md', 'docs/logo.png']);
      expect(read.get('docs/crlf.md')?.toString()).toBe(contractFiles['docs/crlf.md']);
      expect(read.get('docs/logo.png')).toEqual(contractFiles['docs/logo.png']);
      expect(await tree.read([])).toEqual(new Map());
    });

    test('a later commit, and the earlier one still', async () => {
      const { forge, reopen, docs, base } = await start();
      await forge.openTree(base);
      const next = await docs.commit({ 'docs/install.md': '# New\n', 'README.md': null });
      const tree = await reopen().openTree(next);
      expect(tree.entries.has('README.md')).toBe(false);
      expect((await tree.read(['docs/install.md'])).get('docs/install.md')?.toString()).toBe(
        '# New\n',
      );
      const old = await reopen().openTree(base);
      expect((await old.read(['docs/install.md'])).get('docs/install.md')?.toString()).toBe(
        '# Install\n',
      );
    });

    test('commits of one side, newest first, and what both go back to', async () => {
      const { forge, docs, base } = await start();
      const one = await docs.commit({ 'a.md': '1' }, 'One\n\nDocent-Job: x/1', { branch: 'side' });
      const two = await docs.commit({ 'a.md': '2' }, 'Two', { branch: 'side' });
      const main = await docs.commit({ 'b.md': '1' }, 'On main');
      const commits = await forge.commitsBetween(base, two);
      expect(commits.map(({ id }) => id)).toEqual([two, one]);
      expect(commits[1]?.message).toBe('One\n\nDocent-Job: x/1');
      expect(commits[0]?.author).toBe('Dana Docs');
      expect((await forge.commitsBetween(main, two)).map(({ id }) => id)).toEqual([two, one]);
      expect(await forge.commitsBetween(two, base)).toEqual([]);
      expect(await forge.mergeBase(main, two)).toBe(base);
      const alone = await docs.commit({ 'c.md': '1' }, 'Alone', { branch: 'own', isOrphan: true });
      expect(await forge.mergeBase(main, alone)).toBeUndefined();
    });

    test('the newest commit before a time', async () => {
      const { forge, docs, base } = await start();
      const next = await docs.commit({ 'a.md': '1' });
      const seconds = Number(await docs.git('show', '-s', '--format=%ct', next));
      const at = (after: number) => forge.commitBefore(next, new Date((seconds + after) * 1000));
      expect(await at(1)).toBe(next);
      expect(await at(-1)).toBe(base);
      expect(await at(-1_000_000)).toBeUndefined();
    });

    test('who gives up is not kept waiting', async () => {
      const { forge } = await start();
      const reason = new Error('given up');
      await expect(forge.tip('main', AbortSignal.abort(reason))).rejects.toBe(reason);
    });
  });

  describe(`${name}: writing`, () => {
    test('a commit names the author that the project wants', async () => {
      const { docs, base, reopen } = await start();
      const forge = reopen({ name: 'Docs Bot', email: 'docs-bot@acme.dev' });
      const changes = [added('docs/new.md', 'New\n')];
      const commit = await forge.writeCommit({ parent: base, message: 'Add', changes });
      await forge.createBranch('docent/author', commit);
      expect((await docs.log('docent/author'))[0]).toMatchObject({ author: 'Docs Bot' });
    });

    test('a commit adds, changes, moves and deletes, and keeps modes, bytes and everything else', async () => {
      const { forge, docs, base } = await start();
      const bytes = Buffer.from([0, 1, 2, 0xfe, 0xff]);
      const commit = await forge.writeCommit({
        parent: base,
        message: 'Change much\n\nWith a body.\n\nDocent-Job: job/1',
        changes: [
          modified('run.sh', '#!/bin/sh\n', '#!/bin/sh\necho\n'),
          modified('docs/crlf.md', '', '\uFEFF# Lines\r\n\r\nZwei.\r\n'),
          added('docs/ünïcode "x".md', 'new\n'),
          added('docs/data.bin', bytes),
          deleted('docs/install.md', '# Install\n'),
          added('docs/setup.md', '# Install\n', 'docs/install.md'),
        ],
      });
      expect(await docs.branches()).toEqual(['main']);
      expect(await forge.createBranch('docent/much', commit)).toBe(true);
      expect(await docs.files('docent/much')).toEqual(
        [
          'README.md',
          'docs/crlf.md',
          'docs/data.bin',
          'docs/index.md',
          'docs/link.md',
          'docs/logo.png',
          'docs/setup.md',
          'docs/ünïcode "x".md',
          'run.sh',
        ].toSorted(),
      );
      expect(await docs.read('docs/crlf.md', 'docent/much')).toBe('\uFEFF# Lines\r\n\r\nZwei.\r\n');
      const tree = await forge.openTree(commit);
      expect((await tree.read(['docs/data.bin'])).get('docs/data.bin')).toEqual(bytes);
      expect(tree.entries.get('run.sh')?.mode).toBe('100755');
      expect(tree.entries.get('docs/setup.md')?.mode).toBe('100644');
      expect(tree.entries.get('docs/link.md')?.mode).toBe('120000');
      const [entry] = await docs.log('docent/much');
      expect(entry?.message).toBe('Change much\n\nWith a body.\n\nDocent-Job: job/1');
      expect(await docs.git('rev-parse', `${commit}^`)).toBe(base);
    });

    test('a folder takes the name of a file, and a file that of a folder', async () => {
      const { forge, docs, base } = await start({ 'a.md': 'a', 'b/c.md': 'c', 'z.md': 'z' });
      const commit = await forge.writeCommit({
        parent: base,
        message: 'Swap',
        changes: [
          added('a.md/x.md', 'x'),
          deleted('a.md', 'a'),
          added('b', 'now a file'),
          deleted('b/c.md', 'c'),
        ],
      });
      await forge.createBranch('swap', commit);
      expect(await docs.files('swap')).toEqual(['a.md/x.md', 'b', 'z.md']);
    });

    test('many files in one commit', async () => {
      const { forge, docs, base } = await start();
      const changes = Array.from({ length: 260 }, (_, at) =>
        added(`docs/many/${at}.md`, `${at}\n`),
      );
      const commit = await forge.writeCommit({ parent: base, changes, message: 'Many' });
      await forge.createBranch('many', commit);
      expect((await docs.files('many')).length).toBe(260 + Object.keys(contractFiles).length);
      expect(await docs.read('docs/many/259.md', 'many')).toBe('259\n');
    });

    test('a branch is made once, moves forward from where it was seen, and loses nothing', async () => {
      const { forge, docs, base } = await start();
      const write = (parent: string, text: string) =>
        forge.writeCommit({ parent, changes: [added('x.md', text)], message: text });
      const one = await write(base, 'one');
      expect(await forge.createBranch('docent/x', one)).toBe(true);
      const other = await write(base, 'other');
      expect(await forge.createBranch('docent/x', other)).toBe(false);
      const two = await write(one, 'two');
      const human = await docs.commit({ 'human.md': 'h' }, 'By hand', { branch: 'docent/x' });
      expect(await forge.advanceBranch('docent/x', { from: one, to: two })).toBe(false);
      expect(await docs.tip('docent/x')).toBe(human);
      const three = await write(human, 'three');
      expect(await forge.advanceBranch('docent/x', { from: human, to: three })).toBe(true);
      expect(await docs.tip('docent/x')).toBe(three);
      // A commit that doesn't come after it would lose what people wrote.
      const back = forge.advanceBranch('docent/x', { from: three, to: other });
      expect(await back.catch(() => false)).toBe(false);
      expect(await docs.tip('docent/x')).toBe(three);
      expect(await forge.advanceBranch('none', { from: one, to: two })).toBe(false);
    });

    test('a branch that somebody took back is not brought back', async () => {
      const { forge, docs, base } = await start();
      const changes = [added('x.md', 'x')];
      const one = await forge.writeCommit({ parent: base, changes, message: 'one' });
      await forge.createBranch('docent/x', one);
      const two = await forge.writeCommit({
        parent: one,
        changes: [added('y.md', 'y')],
        message: 'two',
      });
      await docs.git('update-ref', 'refs/heads/docent/x', base);
      expect(await forge.advanceBranch('docent/x', { from: one, to: two })).toBe(false);
      expect(await docs.tip('docent/x')).toBe(base);
    });

    test('a name that cannot be one of a branch is refused in words', async () => {
      const { forge, base } = await start();
      const error = await refusal(forge.createBranch('docent/a..b', base));
      expect(error.code).toBe('forge_rejected');
    });
  });

  pullRequestContract(name, open);
}

/** The part that depends on how the forge is reached, and on where it keeps pull requests. */
export function pullRequestContract(name: string, open: OpenForge): void {
  const start = () => startWith(open);

  describe(`${name}: pull requests`, () => {
    async function propose(setup: Awaited<ReturnType<typeof start>>, branch = 'docent/x') {
      const { forge, base } = setup;
      const changes = [modified('docs/install.md', '# Install\n', `# Install ${branch}\n`)];
      const commit = await forge.writeCommit({ parent: base, changes, message: 'Install' });
      await forge.createBranch(branch, commit);
      const request = { branch, base: 'main', title: 'Install', body: 'Why.', isDraft: false };
      return { commit, request, pull: await forge.createPullRequest(request) };
    }

    test('one is made, found by its branch and its number, and changed', async () => {
      const setup = await start();
      const { forge, reopen } = setup;
      expect(await forge.findPullRequest('docent/x')).toBeUndefined();
      expect(await forge.readPullRequest(99)).toBeUndefined();
      const { pull, commit } = await propose(setup);
      expect(pull).toMatchObject({
        state: 'open',
        isDraft: false,
        head: { branch: 'docent/x', commit },
        base: 'main',
        title: 'Install',
        body: 'Why.',
      });
      expect(pull.url).toMatch(/^https?:\/\//);
      expect((await reopen().findPullRequest('docent/x'))?.number).toBe(pull.number);
      const changed = await forge.updatePullRequest(pull.number, { title: 'T', body: 'B' });
      expect(changed).toMatchObject({ number: pull.number, title: 'T', body: 'B' });
      expect(await forge.readPullRequest(pull.number)).toMatchObject({ title: 'T', body: 'B' });
    });

    test('asked for twice it is one', async () => {
      const setup = await start();
      const { pull, request } = await propose(setup);
      const again = await setup.reopen().createPullRequest({ ...request, title: 'Another' });
      expect(again.number).toBe(pull.number);
      expect((await setup.forge.findPullRequest('docent/x'))?.number).toBe(pull.number);
    });

    test('drafts are made, and made of ready ones, and the other way round', async () => {
      const setup = await start();
      const { forge } = setup;
      const { pull } = await propose(setup);
      expect((await forge.updatePullRequest(pull.number, { isDraft: true })).isDraft).toBe(true);
      expect((await forge.readPullRequest(pull.number))?.isDraft).toBe(true);
      expect((await forge.updatePullRequest(pull.number, { isDraft: false })).isDraft).toBe(false);
      expect((await forge.readPullRequest(pull.number))?.isDraft).toBe(false);
    });

    test('merged and closed ones say so, also when their branch has gone', async () => {
      const setup = await start();
      const { forge, docs } = setup;
      const { pull, commit } = await propose(setup);
      await setup.merge(pull.number, { deleteBranch: true });
      expect(await docs.tip('docent/x')).toBeUndefined();
      const merged = await forge.findPullRequest('docent/x');
      expect(merged).toMatchObject({ number: pull.number, state: 'merged', head: { commit } });
      const other = await propose(setup, 'docent/y');
      await setup.close(other.pull.number);
      expect((await forge.readPullRequest(other.pull.number))?.state).toBe('closed');
    });

    test('a second one of a branch whose first was closed is the one that is found', async () => {
      const setup = await start();
      const { pull, request } = await propose(setup);
      await setup.close(pull.number);
      const second = await setup.forge.createPullRequest(request);
      expect(second.number).not.toBe(pull.number);
      expect((await setup.forge.findPullRequest('docent/x'))?.number).toBe(second.number);
    });

    test('without a base branch, or with nothing in it, there is none, and the reason is said', async () => {
      const setup = await start();
      const { forge, base } = setup;
      const { request } = await propose(setup);
      const nowhere = await refusal(forge.createPullRequest({ ...request, base: 'gone' }));
      expect(nowhere.code).toBe('base_branch_missing');
      await forge.createBranch('docent/empty', base);
      const empty = await refusal(forge.createPullRequest({ ...request, branch: 'docent/empty' }));
      expect(empty.code).toBe('forge_rejected');
    });
  });
}
