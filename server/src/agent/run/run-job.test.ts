/** A job's way with real repositories and rows; only what the loop does is written down here. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeRepository } from '../../../../tests/support/docs-repository.ts';
import { waitFor } from '../../../../tests/support/wait-for.ts';
import { eachDatabase, quiet } from '../../../testing/each-database.ts';
import { JobError } from '../../platform/errors.ts';
import { createLocalForge } from '../forge/local/local-forge.ts';
import type { Store } from '../../platform/store/database.ts';
import type { LoopInput } from '../loop/loop.ts';
import type { Judgement } from './judge.ts';
import { createRunRound, type RoundParts } from './round.ts';
import { createRunJob } from './run-job.ts';
import { createRunner } from './runner.ts';
import { silentModel, startProcess, toProject } from './testing.ts';

type Loop = RoundParts['loop'];

const log = { ...quiet, error() {} };
const passed: Judgement = {
  report: { checks: [], problems: [], more: 0, old: 0 },
  problems: [],
  review: { problems: [], needsDraft: false, newHosts: [], newCode: [], protectedFiles: [] },
  failure: undefined,
  isDraft: false,
};

/** One step of a loop that takes up what waits, and does that to the files. */
async function step(input: LoopInput, words = 'Done.') {
  const prompts = await input.takePrompts();
  await input.onStep({
    kind: 'work',
    messages: [
      ...prompts.map(({ content }) => ({ role: 'user' as const, content })),
      { role: 'assistant', content: words },
    ],
    replacesEarlier: false,
    taken: prompts.map(({ id }) => id),
    todos: [],
    usage: { inputTokens: 10, outputTokens: 2 },
  });
  return prompts.map(({ content }) => content);
}

const end = { title: 'Fix the page', message: 'It is fixed.' };

/** Writes what the last instruction says into the page. */
const obedient: Loop = async (input) => {
  const [first] = await input.takePrompts();
  await input.files.write('docs/a.md', `# A\n\n${first?.content}\n`);
  await step(input);
  return end;
};

async function place(store: Store, repository?: Awaited<ReturnType<typeof makeRepository>>) {
  const docs = repository ?? (await makeRepository({ 'docs/a.md': '# A\n', 'docs/b.md': '# B\n' }));
  if (!repository) onTestFinished(() => docs[Symbol.asyncDispose]());
  const process = await startProcess(store);
  const { jobs, leases, checkpoints, row } = process;
  const { database, bus } = store;
  const forge = createLocalForge({
    database,
    now: () => new Date(),
    project: 'docs',
    path: docs.path,
    pullUrl: (number) => `http://docent.test/pull/${number}`,
  });

  function start(loop: Loop, more: { project?: object; parts?: Partial<RoundParts> } = {}) {
    const project = toProject('docs', more.project);
    const runRound = createRunRound({
      database,
      checkpoints,
      projects: { byId: () => project },
      forges: { forProject: () => forge },
      models: {
        forName: (name = 'none') =>
          Promise.resolve({
            name,
            model: silentModel,
            price: undefined,
            contextTokens: 1_000,
            maxOutputTokens: undefined,
            providerOptions: {},
          }),
      },
      purse: () => ({
        open: () => Promise.resolve({ add() {}, addEmbedded() {} }),
        record: () => Promise.resolve(),
      }),
      loop,
      instructions: () => Promise.resolve('Edit the docs.'),
      judge: () => Promise.resolve(passed),
      propose: ({ job }) =>
        Promise.resolve({ title: job.title ?? '', body: 'Body', commitMessage: job.title ?? '' }),
      ...more.parts,
    });
    const runJob = createRunJob({ runRound, checkpoints, leases, log, onEnded() {} });
    const runner = createRunner({ leases, runJob, bus, log, concurrency: 2, pace: { lookMs: 50 } });
    runner.start();
    onTestFinished(() => runner.stop(0));
    return runner;
  }

  const ended = (id: string) =>
    waitFor('the job to end', async () => {
      const found = await jobs.read('docs', id);
      return found.status !== 'active' && found;
    });
  const typesOf = async (id: string) => (await jobs.events.read(id, 0)).map(({ type }) => type);
  return { ...process, docs, forge, start, ended, typesOf, row };
}

eachDatabase((openNew) => {
  test('an instruction becomes one commit on one branch with one pull request', async () => {
    const { ask, start, ended, typesOf, docs } = await place(await openNew());
    const id = await ask('docs', 'Say hello');
    start(obedient);
    const job = await ended(id);
    expect(job).toMatchObject({
      status: 'completed',
      title: 'Fix the page',
      message: 'It is fixed.',
      pull: { number: 1, url: 'http://docent.test/pull/1' },
      steps: 0,
      baseCommit: await docs.tip(),
      sourceCommit: await docs.tip(),
    });
    expect(await docs.read('docs/a.md', job.branch)).toBe('# A\n\nSay hello\n');
    expect((await docs.branches()).toSorted()).toEqual([job.branch, 'main']);
    expect(await typesOf(id)).toEqual([
      'message',
      'queued',
      'started',
      'step',
      'checks',
      'pull-request',
      'completed',
    ]);
  });

  test('where nothing is to be changed there is no branch and no pull request', async () => {
    const { ask, start, ended, docs } = await place(await openNew());
    const id = await ask();
    start(async (input) => {
      await step(input);
      return { title: 'Nothing', message: 'It is as it should be.' };
    });
    expect(await ended(id)).toMatchObject({
      status: 'completed',
      pull: null,
      message: 'It is as it should be.',
    });
    expect(await docs.branches()).toEqual(['main']);
  });

  test('a message that comes while the pull request is written is a round before the end', async () => {
    const { ask, start, ended, typesOf, docs, jobs } = await place(await openNew());
    const id = await ask('docs', 'First');
    let rounds = 0;
    start(obedient, {
      parts: {
        async propose({ job }) {
          rounds += 1;
          if (rounds === 1) await jobs.addPrompt('docs', id, { prompt: 'Second' });
          return { title: `Round ${job.round}`, body: 'Body', commitMessage: `Round ${job.round}` };
        },
      },
    });
    const job = await ended(id);
    expect(job).toMatchObject({ status: 'completed', round: 2, pull: { number: 1 } });
    expect(await docs.read('docs/a.md', job.branch)).toBe('# A\n\nSecond\n');
    const types = await typesOf(id);
    expect(types.filter((type) => type === 'completed')).toHaveLength(1);
    expect(types.filter((type) => type === 'pull-request')).toHaveLength(2);
    const commits = await docs.log(job.branch);
    expect(commits.map(({ message }) => message.split('\n')[0])).toEqual([
      'Round 2',
      'Round 1',
      expect.any(String),
    ]);
  });

  test('what is wrong with a change is told to the model twice, then the job fails with its edits', async () => {
    const { ask, start, ended, docs } = await place(await openNew());
    const id = await ask('docs', 'Break it');
    const notices: (string | undefined)[] = [];
    start(
      async (input) => {
        notices.push(input.notice);
        await input.files.write('docs/a.md', `# A ${notices.length}\n`);
        await step(input);
        return end;
      },
      {
        parts: {
          judge: () =>
            Promise.resolve({
              ...passed,
              problems: ['The link to x.md leads nowhere.'],
              failure: new JobError('checks_failed', 'One check fails.'),
            }),
        },
      },
    );
    expect(await ended(id)).toMatchObject({
      status: 'failed',
      failure: { code: 'checks_failed', message: 'One check fails.' },
      pull: null,
    });
    expect(notices).toEqual([
      undefined,
      expect.stringContaining('- The link to x.md leads nowhere.'),
      expect.stringContaining('- The link to x.md leads nowhere.'),
    ]);
    expect(await docs.branches()).toEqual(['main']);
  });

  test('a failed round’s edits are carried on, on top of what others did meanwhile', async () => {
    const store = await openNew();
    const { ask, start, ended, docs, jobs } = await place(store);
    const id = await ask('docs', 'One');
    let fails = true;
    let seen: string | undefined;
    start(async (input) => {
      seen = input.notice;
      if (fails) {
        await input.files.write('docs/b.md', '# B\n\nKept.\n');
        await step(input);
        throw new JobError('model_failed', 'It said nothing.');
      }
      await step(input);
      return end;
    });
    expect(await ended(id)).toMatchObject({ failure: { code: 'model_failed' } });
    fails = false;
    await docs.commit({ 'docs/a.md': '# A by a person\n' });
    await jobs.addPrompt('docs', id, { prompt: 'Go on' });
    const job = await waitFor('the second round', async () => {
      const found = await jobs.read('docs', id);
      return found.status === 'completed' && found;
    });
    expect(seen).toContain('Your edits that were not proposed still stand: docs/b.md.');
    expect(await docs.read('docs/b.md', job.branch)).toBe('# B\n\nKept.\n');
    expect(await docs.read('docs/a.md', job.branch)).toBe('# A by a person\n');
  });

  describe('cut', () => {
    const hangs: Loop = async (input) => {
      await input.files.write('docs/a.md', '# Half\n');
      // Neither hears the signal, nor ever comes back.
      await input.takePrompts();
      return new Promise(() => {});
    };

    test('by its time, although the loop does not listen; what was edited stays', async () => {
      const store = await openNew();
      const { ask, start, ended } = await place(store);
      const id = await ask();
      start(hangs, { project: { limits: { minutes: 0.03 } } });
      expect(await ended(id)).toMatchObject({ status: 'failed', failure: { code: 'budget_time' } });
      const edits = await store.database.selectFrom('agent_edits').selectAll().execute();
      expect(edits.map(({ path }) => path)).toEqual(['docs/a.md']);
    });

    test('by a cancel; no pull request follows', async () => {
      const { ask, start, ended, jobs, docs, typesOf } = await place(await openNew());
      const id = await ask();
      const runner = start(hangs);
      await waitFor('it to begin', () => runner.count === 1);
      await jobs.cancel('docs', id);
      expect(await ended(id)).toMatchObject({ status: 'failed', failure: { code: 'cancelled' } });
      expect(await docs.branches()).toEqual(['main']);
      expect((await typesOf(id)).at(-1)).toBe('failed');
    });

    test('by the end of the service: it is given back, and the next one goes on with its edits', async () => {
      const store = await openNew();
      const first = await place(store);
      const id = await first.ask();
      const runner = first.start(async (input) => {
        await input.files.write('docs/a.md', '# Half\n');
        await step(input, 'One step.');
        return new Promise(() => {});
      });
      await waitFor('a step', async () => (await first.checkpoints.conversation(id)).length > 0);
      await runner.stop(10);
      expect(await first.row(id)).toMatchObject({ status: 'active', phase: 'queued', owner: null });
      await first.die();
      const second = await place(store, first.docs);
      let conversation: unknown;
      second.start(async (input) => {
        conversation = input.messages.map(({ content }) => content);
        await input.files.write('docs/b.md', '# Whole\n');
        return end;
      });
      const job = await second.ended(id);
      expect(job).toMatchObject({ status: 'completed', attempt: 2 });
      expect(conversation).toEqual(['Fix the install page', 'One step.']);
      expect(await first.docs.read('docs/a.md', job.branch)).toBe('# Half\n');
      expect(await first.docs.read('docs/b.md', job.branch)).toBe('# Whole\n');
    });

    test('a process that is lost three times before a step takes nobody else with it', async () => {
      const store = await openNew();
      const first = await place(store);
      const id = await first.ask();
      await store.database.updateTable('agent_jobs').set({ losses: 3 }).execute();
      first.start(obedient);
      expect(await first.ended(id)).toMatchObject({ failure: { code: 'process_lost' } });
    });
  });
});
