/** One job, one branch, one pull request: whatever breaks, and whoever pushes meanwhile. */
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  added,
  contractFiles,
  deleted,
  type ForgeSetup,
  modified,
  type OpenForge,
  refusal,
} from '../../../testing/forge-fixture.ts';
import type { Forge } from '../forge/forge.ts';
import { openGitHub } from '../../../testing/github-forge.ts';
import { openLocal } from '../../../testing/local-forge.ts';
import { conversationOf } from '../../../../tests/support/forges/conversation.ts';
import { forgeToken, openWire } from '../../../testing/wire-forge.ts';
import { findStart, publish, type PublishRequest } from './publish.ts';

const home = '# Home\n\nOne.\n\nTwo.\n\nThree.\n';
const never = new AbortController().signal;
const forges: [string, OpenForge][] = [
  ['GitHub', (files) => openGitHub(files)],
  ['Gitea', (files) => openWire('gitea', files)],
  ['GitLab', (files) => openWire('gitlab', files)],
  ['local', openLocal],
];

describe.each(forges)('%s', (_name, open) => {
  async function start() {
    const setup = await open(contractFiles);
    onTestFinished(() => setup[Symbol.asyncDispose]());
    const source = (await setup.docs.tip()) ?? '';
    const request: PublishRequest = {
      branch: 'docent/fix',
      baseBranch: 'main',
      source,
      changes: [
        modified('docs/index.md', home, home.replace('One.', 'ONE.')),
        added('docs/new.md', '# New\n'),
      ],
      key: 'job1/1',
      commitMessage: 'Fix the home page\n\nWhy it was wrong.',
      title: 'Fix the home page',
      body: 'What and why.',
      isDraft: false,
    };
    const run = (more: Partial<PublishRequest> = {}, forge = setup.reopen()) =>
      publish(forge, { ...request, ...more }, never);
    return { ...setup, request, source, run };
  }

  /** The next run of the same job, on what the first has published. */
  async function second({ run }: Awaited<ReturnType<typeof start>>) {
    const { commit = '', pull } = await run();
    const text = home.replace('One.', 'ONE.');
    const next: Partial<PublishRequest> = {
      source: commit,
      pullNumber: pull?.number,
      key: 'job1/2',
      changes: [modified('docs/index.md', text, text.replace('Three.', 'THREE.'))],
      commitMessage: 'Fix more',
      title: 'Another title',
      body: 'More.',
    };
    return { commit, number: pull?.number ?? 0, next };
  }

  const ours = async ({ docs }: ForgeSetup, branch = 'docent/fix') =>
    (await docs.log(branch)).filter(({ message }) => message.includes('Docent-Job: ')).length;

  test('a branch with one commit, and a pull request to the base branch', async () => {
    const setup = await start();
    const { commit, pull, branch, notes, former } = await setup.run();
    expect({ branch, notes, former }).toEqual({
      branch: 'docent/fix',
      notes: [],
      former: undefined,
    });
    expect(await setup.docs.tip('docent/fix')).toBe(commit);
    const [entry] = await setup.docs.log('docent/fix');
    expect(entry?.message).toBe('Fix the home page\n\nWhy it was wrong.\n\nDocent-Job: job1/1');
    expect(pull).toMatchObject({ base: 'main', state: 'open', title: 'Fix the home page' });
    expect(pull?.body).toContain('What and why.');
    expect(await setup.docs.git('diff', '--name-status', 'main', 'docent/fix')).toBe(
      'M\tdocs/index.md\nA\tdocs/new.md',
    );
  });

  test('done twice, and twice at once, it is done once', async () => {
    const setup = await start();
    const [one, two] = await Promise.all([setup.run(), setup.run()]);
    const three = await setup.run();
    expect([two.commit, three.commit]).toEqual([one.commit, one.commit]);
    expect([two.pull?.number, three.pull?.number]).toEqual([one.pull?.number, one.pull?.number]);
    expect(await setup.docs.branches()).toEqual(['docent/fix', 'main']);
    expect(await ours(setup)).toBe(1);
  });

  test.each(['before', 'after'] as const)(
    'a process that dies %s any of its steps, and another that begins again',
    async (when) => {
      const calls = await countCalls();
      expect(calls).toBeGreaterThan(4);
      // One repository for all: each death has its own job, branch and pull request.
      const setup = await start();
      for (let at = 0; at < calls; at += 1) {
        const branch = `docent/fix-${at}`;
        const job = { branch, key: `job${at}/1` };
        const died = await setup.run(job, dying(setup.reopen(), at, when)).catch(() => 'died');
        expect(died).toBe('died');
        const { commit, pull } = await setup.run(job);
        expect(await setup.docs.tip(branch)).toBe(commit);
        expect(await ours(setup, branch)).toBe(1);
        expect(pull?.state).toBe('open');
        // The next number that there is: no second one was made.
        expect(pull?.number).toBe(at + 1);
        expect(await setup.forge.readPullRequest(at + 2)).toBeUndefined();
      }
      const branches = Array.from({ length: calls }, (_, at) => `docent/fix-${at}`);
      expect(await setup.docs.branches()).toEqual([...branches, 'main'].toSorted());
    },
    120_000,
  );

  async function countCalls(): Promise<number> {
    const setup = await start();
    let calls = 0;
    await setup.run(
      {},
      watched(setup.forge, () => void (calls += 1)),
    );
    return calls;
  }

  test('the next run is one more commit of the same pull request; what people wrote stays', async () => {
    const setup = await start();
    const { number, next } = await second(setup);
    const body = (await setup.forge.readPullRequest(number))?.body ?? '';
    await setup.forge.updatePullRequest(number, {
      title: 'In better words',
      body: `Seen by Dana.\n\n${body}`,
    });
    const { pull } = await setup.run(next);
    expect(pull).toMatchObject({ number, title: 'In better words' });
    expect(pull?.body).toContain('Seen by Dana.');
    expect(pull?.body).toContain('More.');
    expect(pull?.body).not.toContain('What and why.');
    expect(await ours(setup)).toBe(2);
    expect(await setup.docs.read('docs/index.md', 'docent/fix')).toBe(
      '# Home\n\nONE.\n\nTwo.\n\nTHREE.\n',
    );
  });

  test('commits of people stay: other files, and other lines of the same file', async () => {
    const setup = await start();
    const { next } = await second(setup);
    const text = '# Our home\n\nONE.\n\nTwo.\n\nThree.\n';
    const human = await setup.docs.commit(
      { 'docs/index.md': text, 'docs/human.md': 'h' },
      'By hand',
      { branch: 'docent/fix' },
    );
    const { notes, commit } = await setup.run(next);
    expect(await setup.docs.git('rev-parse', `${commit}^`)).toBe(human);
    expect(await setup.docs.read('docs/human.md', 'docent/fix')).toBe('h');
    expect(await setup.docs.read('docs/index.md', 'docent/fix')).toBe(
      '# Our home\n\nONE.\n\nTwo.\n\nTHREE.\n',
    );
    expect(notes.join()).toContain('docs/index.md');
    const again = await setup.run(next);
    expect(again.commit).toBe(commit);
  });

  test('the same lines changed by people: nothing is written, and the file is named', async () => {
    const setup = await start();
    const { next } = await second(setup);
    const human = await setup.docs.commit(
      { 'docs/index.md': '# Home\n\nONE.\n\nTwo.\n\nDrei.\n' },
      'By hand',
      { branch: 'docent/fix' },
    );
    const error = await refusal(setup.run(next));
    expect(error.code).toBe('branch_moved');
    expect(error.message).toContain('docs/index.md');
    expect(await setup.docs.tip('docent/fix')).toBe(human);
  });

  test('a push at the very moment is not lost', async () => {
    const setup = await start();
    const { next } = await second(setup);
    let pushed: string | undefined;
    const forge = watched(setup.forge, async (call) => {
      if (call !== 'advanceBranch' || pushed !== undefined) return;
      pushed = await setup.docs.commit({ 'docs/late.md': 'l' }, 'Late', { branch: 'docent/fix' });
    });
    const { commit } = await setup.run(next, forge);
    expect(await setup.docs.git('rev-parse', `${commit}^`)).toBe(pushed);
    expect(await setup.docs.read('docs/late.md', 'docent/fix')).toBe('l');
  });

  test.each(['merged', 'closed'] as const)(
    'a pull request %s meanwhile: a new branch and a new one, from today’s base',
    async (how) => {
      const setup = await start();
      const { number, next } = await second(setup);
      if (how === 'merged') await setup.merge(number, { deleteBranch: true });
      else await setup.close(number);
      await setup.docs.commit({ 'docs/later.md': 'l' }, 'Later on main');
      const base = await setup.docs.tip();
      const changes = [added('docs/more.md', 'more\n')];
      const { branch, former, pull, commit, notes } = await setup.run({ ...next, changes });
      expect({ branch, former: former?.number }).toEqual({
        branch: 'docent/fix-2',
        former: number,
      });
      expect(pull?.number).not.toBe(number);
      expect(notes.join()).toContain(`#${number}`);
      expect(await setup.docs.git('rev-parse', `${commit}^`)).toBe(base);
      const again = await setup.run({ ...next, changes });
      expect([again.branch, again.commit, again.pull?.number]).toEqual([
        branch,
        commit,
        pull?.number,
      ]);
      expect(
        (await setup.docs.branches()).filter((name) => name.startsWith('docent/fix-')),
      ).toEqual(['docent/fix-2']);
    },
  );

  test('a further branch that another job is about to write to is left to it', async () => {
    const setup = await start();
    const { number, next } = await second(setup);
    await setup.close(number);
    const isBusy = async (branch: string) => branch === 'docent/fix-2';
    const changes = [added('docs/more.md', 'more\n')];
    expect((await setup.run({ ...next, changes, isBusy })).branch).toBe('docent/fix-3');
  });

  test.each(['the branch stays', 'the branch goes'] as const)(
    'merged while the next run is being pushed: what came too late has a new one (%s)',
    async (how) => {
      const setup = await start();
      const { number, next } = await second(setup);
      const changes = [added('docs/more.md', 'more\n')];
      let isMerged = false;
      const forge = watched(setup.forge, async (call) => {
        if (call !== 'advanceBranch' || isMerged) return;
        isMerged = true;
        await setup.merge(number, { deleteBranch: how === 'the branch goes' });
      });
      const { branch, former, pull, commit } = await setup.run({ ...next, changes }, forge);
      expect({ branch, former: former?.number }).toEqual({
        branch: 'docent/fix-2',
        former: number,
      });
      expect(pull).toMatchObject({ state: 'open', head: { branch, commit } });
      expect(await setup.docs.git('diff', '--name-only', 'main', branch)).toBe('docs/more.md');
      // The one that was merged does not speak of what is not in it.
      expect((await setup.forge.readPullRequest(number))?.body).toContain('What and why.');
      const again = await setup.run({ ...next, changes });
      expect(again).toMatchObject({ branch, commit, pull: { number: pull?.number } });
    },
  );

  test('a run that failed behind its new branch: the next one goes on there', async () => {
    const setup = await start();
    const { number, next } = await second(setup);
    await setup.close(number);
    const changes = [added('docs/more.md', 'more\n')];
    const died = dyingAfter(setup.reopen(), 'createPullRequest');
    await expect(setup.run({ ...next, changes }, died)).rejects.toThrow('died');
    const wanted = { branch: 'docent/fix', pullNumber: number };
    const found = await findStart(setup.forge, { ...wanted, job: 'job1' });
    const tip = await setup.docs.tip('docent/fix-2');
    expect(found).toMatchObject({
      branch: 'docent/fix-2',
      source: tip,
      pull: { state: 'open' },
      former: { number },
    });
    // Another job leaves it alone, and so does this one once it is closed.
    for (const job of [undefined, 'job', 'job11']) {
      const other = await findStart(setup.forge, { ...wanted, job });
      expect(other.branch).toBe('docent/fix-3');
    }
    await setup.close(found.pull?.number ?? 0);
    const later = await findStart(setup.forge, { ...wanted, job: 'job1' });
    expect(later).toMatchObject({ branch: 'docent/fix-3', source: later.baseCommit });
  });

  test('merged right away, and asked again: it is done, and nothing is made anew', async () => {
    const setup = await start();
    const { commit, pull } = await setup.run();
    await setup.merge(pull?.number ?? 0, { deleteBranch: true });
    const again = await setup.run();
    expect(again).toMatchObject({ commit, pull: { number: pull?.number, state: 'merged' } });
    expect(await setup.docs.branches()).toEqual(['main']);
  });

  test('the base branch moves: still mergeable, or said with the file’s name', async () => {
    const setup = await start();
    await setup.docs.commit({ 'docs/install.md': '# Other\n' }, 'Elsewhere on main');
    expect((await setup.run()).notes).toEqual([]);
    const other = await start();
    await other.docs.commit({ 'docs/index.md': home.replace('One.', 'Eins.') }, 'The same on main');
    const { notes, pull } = await other.run();
    expect(pull?.state).toBe('open');
    expect(notes).toEqual([expect.stringMatching(/“main”.*conflicts.*docs\/index\.md/)]);
  });

  test('a branch that is there already is worked on from its tip; the base branch never', async () => {
    const setup = await start();
    await setup.docs.commit({ 'docs/wip.md': 'wip' }, 'Begun by hand', { branch: 'team/topic' });
    const found = await findStart(setup.forge, { branch: 'team/topic' });
    expect(found).toMatchObject({ baseBranch: 'main', source: await setup.docs.tip('team/topic') });
    const { pull } = await setup.run({ branch: 'team/topic', source: found.source });
    expect(pull?.head.branch).toBe('team/topic');
    expect(await setup.docs.read('docs/wip.md', 'team/topic')).toBe('wip');
    const error = await refusal(setup.run({ branch: 'main' }));
    expect(error.code).toBe('forge_rejected');
    expect(await setup.docs.tip()).toBe(setup.source);
    // Before the model is asked.
    const early = await refusal(findStart(setup.forge, { branch: 'main' }));
    expect(early.code).toBe('forge_rejected');
  });

  test('where a run begins: base, tip with people’s commits, or anew after a merge', async () => {
    const setup = await start();
    const wanted = { branch: 'docent/fix' };
    expect(await findStart(setup.forge, wanted)).toMatchObject({
      branch: 'docent/fix',
      source: setup.source,
      baseCommit: setup.source,
    });
    const { pull } = await setup.run();
    const human = await setup.docs.commit({ 'h.md': 'h' }, 'By hand', { branch: 'docent/fix' });
    const pullNumber = pull?.number;
    expect(await findStart(setup.forge, { ...wanted, pullNumber })).toMatchObject({
      source: human,
      pull: { number: pullNumber },
    });
    await setup.merge(pullNumber ?? 0);
    expect(await findStart(setup.forge, { ...wanted, pullNumber })).toMatchObject({
      branch: 'docent/fix-2',
      source: await setup.docs.tip(),
      former: { number: pullNumber },
    });
    const isBusy = async (branch: string) => branch === 'docent/fix-2';
    expect(await findStart(setup.forge, { ...wanted, pullNumber, isBusy })).toMatchObject({
      branch: 'docent/fix-3',
    });
    // The branch that is configured, else the one that the repository has as its default.
    const next = await setup.docs.commit({ 'n.md': 'n' }, 'Next', { branch: 'next' });
    await setup.makeDefault('next');
    const other = { branch: 'docent/other' };
    expect(await findStart(setup.reopen(), other)).toMatchObject({
      baseBranch: 'next',
      baseCommit: next,
    });
    expect(await findStart(setup.reopen(), { ...other, baseBranch: 'main' })).toMatchObject({
      baseBranch: 'main',
      baseCommit: await setup.docs.tip(),
    });
    const missing = await refusal(findStart(setup.forge, { ...wanted, baseBranch: 'gone' }));
    expect(missing.code).toBe('base_branch_missing');
  });

  test('a draft stays one, and a ready one is held back where it has to be', async () => {
    const setup = await start();
    const { number, next } = await second(setup);
    expect((await setup.run({ ...next, isDraft: true })).pull?.isDraft).toBe(true);
    expect((await setup.run({ ...next, isDraft: false })).pull?.isDraft).toBe(true);
    expect((await setup.forge.readPullRequest(number))?.isDraft).toBe(true);
  });

  test('what people have done just so already needs no commit', async () => {
    const setup = await start();
    const { commit, number, next } = await second(setup);
    await setup.docs.commit(
      { 'docs/index.md': '# Home\n\nONE.\n\nTwo.\n\nTHREE.\n', 'docs/new.md': null },
      'The same',
      { branch: 'docent/fix' },
    );
    const changes = [...(next.changes ?? []), deleted('docs/new.md', '# New\n')];
    const done = await setup.run({ ...next, changes });
    expect(done).toMatchObject({ commit: undefined, pull: { number } });
    expect(commit).not.toBe('');
  });

  test('who cancels gets no pull request', async () => {
    const setup = await start();
    const stop = new AbortController();
    const forge = watched(setup.forge, (call) => {
      if (call === 'createBranch') stop.abort(new Error('cancelled'));
    });
    await expect(publish(forge, setup.request, stop.signal)).rejects.toThrow('cancelled');
    expect(await setup.reopen().findPullRequest('docent/fix')).toBeUndefined();
  });
});

/** The same forge; each call is told before it is made. */
function watched(forge: Forge, onCall: (call: string) => unknown): Forge {
  return new Proxy(forge, {
    get(target, name: string) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        await onCall(name);
        return (value as (...all: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

/** A forge whose process dies once a call has had its effect. */
function dyingAfter(forge: Forge, last: string): Forge {
  return new Proxy(forge, {
    get(target, name: string) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function' || name !== last) return value;
      return async (...args: unknown[]) => {
        await (value as (...all: unknown[]) => unknown).apply(target, args);
        throw new Error('died');
      };
    },
  });
}

/** A forge whose process dies at one call: before it is made, or after it has had its effect. */
function dying(forge: Forge, at: number, when: 'before' | 'after'): Forge {
  let calls = 0;
  return new Proxy(forge, {
    get(target, name: string) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        const mine = calls;
        calls += 1;
        if (mine === at && when === 'after') {
          await (value as (...all: unknown[]) => unknown).apply(target, args);
        }
        if (mine >= at) throw new Error('the process died');
        return (value as (...all: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

/** What the small servers know of labels and people, and what a pull request got of it. */
const hosts: [string, () => Promise<ForgeSetup & { got: () => unknown }>][] = [
  [
    'GitHub',
    async () => {
      const setup = await openGitHub(contractFiles);
      const { conversation } = setup.hosted;
      conversation.addPerson('lena', 'write');
      conversation.teams.add('docs');
      return { ...setup, got: () => [conversation.labels, conversation.asked] };
    },
  ],
  [
    'Gitea',
    async () => {
      const setup = await openWire('gitea', contractFiles);
      const { rights, labels, labelled, reviewers } = conversationOf(setup.hosted);
      labels.push({ id: 4, name: 'other' }, { id: 5, name: 'documentation' });
      rights.set('lena', 'write');
      return { ...setup, got: () => [labelled, reviewers] };
    },
  ],
  [
    'GitLab',
    async () => {
      const setup = await openWire('gitlab', contractFiles);
      const { authors, labelled, reviewers } = conversationOf(setup.hosted);
      authors.set('c1', { id: 12, login: 'lena', email: 'lena@acme.test' });
      return { ...setup, got: () => [labelled, reviewers] };
    },
  ],
];

describe('labels and reviewers', () => {
  const got = {
    GitHub: [[[1, 'documentation']], [[1, 'lena']]],
    Gitea: [['documentation'], ['lena']],
    GitLab: [['documentation'], [12]],
  } as Record<string, unknown>;

  test.each(hosts)('%s: a new pull request gets them, once', async (name, open) => {
    const setup = await open();
    onTestFinished(() => setup[Symbol.asyncDispose]());
    const request = await requestOn(setup);
    const extras = { labels: ['documentation'], reviewers: ['lena'] };
    const { pull, notes, commit = '' } = await publish(setup.forge, { ...request, extras }, never);
    expect(notes).toEqual([]);
    expect(setup.got()).toEqual(got[name]);
    // People have decided about them since.
    const next = {
      ...request,
      source: commit,
      key: 'job1/2',
      changes: [added('docs/2.md', '2\n')],
    };
    await publish(setup.forge, { ...next, pullNumber: pull?.number, extras }, never);
    expect(setup.got()).toEqual(got[name]);
  });

  test.each(hosts)(
    '%s: what the host refuses costs nothing but itself, and is said',
    async (name, open) => {
      const setup = await open();
      onTestFinished(() => setup[Symbol.asyncDispose]());
      const request = await requestOn(setup);
      const extras = {
        labels: ['documentation', ...(name === 'Gitea' ? ['unheard'] : [])],
        reviewers: ['nobody', 'docs-owner', 'docs-bot', 'lena', 'team:writers'],
      };
      const { pull, notes } = await publish(setup.forge, { ...request, extras }, never);
      expect(pull?.state).toBe('open');
      expect(setup.got()).toEqual(got[name]);
      expect(notes).toHaveLength(1);
      for (const one of ['nobody', 'docs-owner', 'docs-bot', 'team:writers']) {
        expect(notes[0]).toContain(`the reviewer “${one}” (`);
      }
      expect(notes[0]?.includes('the label “unheard” (It doesn’t exist')).toBe(name === 'Gitea');
      expect(notes[0]).not.toContain('lena');
      expect(notes[0]).toMatch(/add that at the host, and correct “labels” and “reviewers”/);
    },
  );

  test('Gitea: a token without the scope for labels is named', async () => {
    const setup = await openWire('gitea', contractFiles);
    onTestFinished(() => setup[Symbol.asyncDispose]());
    const scopes = ['write:repository', 'write:user'];
    setup.server.addToken(forgeToken, { scopes, may: 'write' });
    const extras = { labels: ['documentation'], reviewers: [] };
    const { notes } = await publish(setup.forge, { ...(await requestOn(setup)), extras }, never);
    expect(notes[0]).toContain('lacks the scope “issue”');
  });

  test('GitLab Free takes one reviewer, and says nothing about the others', async () => {
    const setup = await openWire('gitlab', contractFiles);
    onTestFinished(() => setup[Symbol.asyncDispose]());
    const conversation = conversationOf(setup.hosted);
    conversation.isFree = true;
    for (const [id, login] of [
      [12, 'lena'],
      [13, 'omar'],
    ] as const) {
      conversation.authors.set(login, { id, login, email: `${login}@acme.test` });
    }
    const extras = { labels: [], reviewers: ['lena', 'omar'] };
    const { notes } = await publish(setup.forge, { ...(await requestOn(setup)), extras }, never);
    expect(conversation.reviewers).toEqual([12]);
    expect(notes[0]).toMatch(/“omar” \(GitLab left them out: .*one reviewer\)/);
  });
});

const requestOn = async (setup: ForgeSetup): Promise<PublishRequest> => ({
  branch: 'docent/fix',
  baseBranch: 'main',
  source: (await setup.docs.tip()) ?? '',
  changes: [added('docs/new.md', '# New\n')],
  key: 'job1/1',
  commitMessage: 'New page',
  title: 'New page',
  body: 'What and why.',
  isDraft: false,
});
