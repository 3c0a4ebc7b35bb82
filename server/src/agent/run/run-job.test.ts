/** A job's way with real repositories and rows; only what the model calls is written down here. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeRepository } from '../../../../tests/support/docs-repository.ts';
import { waitFor } from '../../../../tests/support/wait-for.ts';
import { eachDatabase, quiet } from '../../../testing/each-database.ts';
import { nothing } from '../../budgets/cost.ts';
import { DatabaseUnavailable, JobError } from '../../platform/errors.ts';
import type { Forge } from '../forge/forge.ts';
import { createLocalForge } from '../forge/local/local-forge.ts';
import type { Store } from '../../platform/store/database.ts';
import { toInstruction } from '../jobs/instructions.ts';
import { createRunner } from './runner.ts';
import { loadConversation } from './checkpoints.ts';
import {
  type Asked,
  type Call,
  modelThat,
  startProcess,
  toProject,
} from '../../../testing/agent-run.ts';

const log = { ...quiet, error() {} };

type Answer = Parameters<typeof modelThat>[0];

const write = (path: string, content: string): Call => ['write', { path, content }];
const finish: Call = ['finish', { title: 'Fix the page', message: 'It is fixed.' }];

/** Writes what the last instruction says into the page. */
const obedient: Answer = ({ said, isNew }: Asked) =>
  isNew ? [write('docs/a.md', `# A\n\n${said.at(-1)?.split('\n').at(-1)}\n`)] : [finish];

async function place(store: Store, repository?: Awaited<ReturnType<typeof makeRepository>>) {
  const docs = repository ?? (await makeRepository({ 'docs/a.md': '# A\n', 'docs/b.md': '# B\n' }));
  if (!repository) onTestFinished(() => docs[Symbol.asyncDispose]());
  const process = await startProcess(store);
  const { jobs, leases, checkpoints, row } = process;
  const { database, bus } = store;
  const local = createLocalForge({
    database,
    now: () => new Date(),
    project: 'docs',
    path: docs.path,
    pullUrl: (number) => `http://docent.test/pull/${number}`,
  });

  function start(answer: Answer, more: { project?: object; forge?: Partial<Forge> } = {}) {
    const project = toProject('docs', more.project);
    const deps = {
      database,
      checkpoints,
      leases,
      projects: { find: async () => project },
      forges: { forProject: () => ({ ...local, ...more.forge }) },
      models: {
        forName: (name: string | null) =>
          Promise.resolve({
            name: name ?? 'none',
            model: modelThat(answer),
            price: undefined,
            contextTokens: 100_000,
            maxOutputTokens: undefined,
            providerOptions: {},
          }),
      },
      spend: {
        reserve: () => Promise.resolve({ add() {}, addEmbedded() {} }),
        settle: () => Promise.resolve(nothing),
      },
      openCode: () => Promise.reject(new Error('The project has no code')),
      linkTo: () => 'http://docent.test/job',
      sites: { find: () => undefined },
      metrics: { jobEnded() {} },
      log,
    };
    const runner = createRunner({
      leases,
      deps,
      bus,
      log,
      concurrency: 2,
      // Whoever cancels is heard at once: no test here waits for a claim to be renewed.
      intervals: { pollMs: 50, renewMs: 3_600_000 },
    });
    runner.start();
    onTestFinished(() => runner.stop(0));
    return runner;
  }

  const ended = (id: string) =>
    waitFor(
      'the job to end',
      async () => {
        const found = await jobs.read('docs', id);
        return found.status !== 'active' && found;
      },
      // The first checks start workers, which takes long on a busy machine.
      100_000,
    );
  const typesOf = async (id: string) => (await jobs.events.read(id, 0)).map(({ type }) => type);
  return { ...process, docs, local, start, ended, typesOf, row };
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
      steps: 2,
      sourceCommit: await docs.tip(),
    });
    expect(await docs.read('docs/a.md', job.branch)).toBe('# A\n\nSay hello\n');
    expect((await docs.branches()).toSorted()).toEqual([job.branch, 'main']);
    const step = ['tool-call', 'tool-result', 'step'];
    expect(await typesOf(id)).toEqual([
      'message',
      'queued',
      'started',
      ...step,
      ...step,
      'checks',
      'pull-request',
      'completed',
    ]);
  });

  test('where nothing is to be changed there is no branch and no pull request', async () => {
    const { ask, start, ended, docs } = await place(await openNew());
    const id = await ask();
    start(() => [['finish', { title: 'Nothing', message: 'It is as it should be.' }]]);
    expect(await ended(id)).toMatchObject({
      status: 'completed',
      pull: null,
      message: 'It is as it should be.',
    });
    expect(await docs.branches()).toEqual(['main']);
  });

  test('a message that comes while the pull request is written is a run before the end', async () => {
    const { ask, start, ended, typesOf, docs, jobs, local } = await place(await openNew());
    const id = await ask('docs', 'First');
    let runs = 0;
    start(
      (asked) => {
        if (asked.isNew) return obedient(asked);
        runs += 1;
        return [['finish', { title: `Run ${runs}`, message: 'It is fixed.' }]];
      },
      {
        forge: {
          async createPullRequest(request, signal) {
            await jobs.instruct('docs', id, { prompt: 'Second' });
            return local.createPullRequest(request, signal);
          },
        },
      },
    );
    const job = await ended(id);
    expect(job).toMatchObject({ status: 'completed', round: 2, pull: { number: 1 } });
    expect(await docs.read('docs/a.md', job.branch)).toBe('# A\n\nSecond\n');
    const types = await typesOf(id);
    expect(types.filter((type) => type === 'completed')).toHaveLength(1);
    expect(types.filter((type) => type === 'pull-request')).toHaveLength(2);
    const commits = await docs.log(job.branch);
    expect(commits.map(({ message }) => message.split('\n')[0])).toEqual([
      'Run 2',
      'Run 1',
      expect.any(String),
    ]);
  });

  test('what is wrong with a change is told to the model twice, then the job fails with its edits', async () => {
    const store = await openNew();
    const { ask, start, ended, docs } = await place(store);
    const id = await ask('docs', 'Break it');
    const said: string[][] = [];
    start((asked) => {
      if (!asked.isNew) return [finish];
      said.push(asked.said);
      return [write('docs/a.md', `# A\n\nSee [${said.length}](x.md).\n`)];
    });
    expect(await ended(id)).toMatchObject({
      status: 'failed',
      failure: { code: 'checks_failed', message: expect.stringContaining('"x.md" leads to no') },
      pull: null,
    });
    const problem = expect.stringContaining('The link "x.md" leads to no page.');
    expect(said.map((texts) => texts.slice(1))).toEqual([[], [problem], [problem, problem]]);
    const edits = await store.database.selectFrom('agent_edits').select('path').execute();
    expect(edits).toEqual([{ path: 'docs/a.md' }]);
    expect(await docs.branches()).toEqual(['main']);
  });

  test('a failed run’s edits are carried on, on top of what others did meanwhile', async () => {
    const store = await openNew();
    const { ask, start, ended, docs, jobs } = await place(store);
    const id = await ask('docs', 'One');
    let fails = true;
    let seen: string[] = [];
    start(({ said, isNew }) => {
      seen = said;
      if (!fails) return [finish];
      if (isNew) return [write('docs/b.md', '# B\n\nKept.\n')];
      throw new JobError('model_failed', 'It said nothing.');
    });
    expect(await ended(id)).toMatchObject({ failure: { code: 'model_failed' } });
    fails = false;
    await docs.commit({ 'docs/a.md': '# A by a person\n' });
    await jobs.instruct('docs', id, { prompt: 'Go on' });
    const job = await waitFor('the second run', async () => {
      const found = await jobs.read('docs', id);
      return found.status === 'completed' && found;
    });
    expect(seen.join('\n')).toContain('Your edits that were not proposed still stand: docs/b.md.');
    expect(await docs.read('docs/b.md', job.branch)).toBe('# B\n\nKept.\n');
    expect(await docs.read('docs/a.md', job.branch)).toBe('# A by a person\n');
  });

  describe('cut', () => {
    /** Writes half of a page, and then neither hears the signal nor ever comes back. */
    const hangs: Answer = ({ isNew }) =>
      isNew ? [write('docs/a.md', '# Half\n')] : new Promise(() => {});

    test('by its time, although the model does not listen; what was edited stays', async () => {
      const store = await openNew();
      const { ask, start, ended } = await place(store);
      const id = await ask();
      start(hangs, { project: { limits: { minutes: 0.05 } } });
      expect(await ended(id)).toMatchObject({ status: 'failed', failure: { code: 'budget_time' } });
      const edits = await store.database.selectFrom('agent_edits').selectAll().execute();
      expect(edits.map(({ path }) => path)).toEqual(['docs/a.md']);
    });

    test('by a cancel; no pull request follows', async () => {
      const { ask, start, ended, jobs, docs, typesOf } = await place(await openNew());
      const id = await ask();
      start(hangs);
      // Behind its first step, its claim has been looked at for a cancel that came before.
      await waitFor('its first step', async () => (await typesOf(id)).includes('step'));
      await jobs.cancel('docs', id);
      expect(await ended(id)).toMatchObject({ status: 'failed', failure: { code: 'cancelled' } });
      expect(await docs.branches()).toEqual(['main']);
      const types = await typesOf(id);
      expect(types.at(-1)).toBe('failed');
      // By the run that was told, not by one that took it over when its claim had ended.
      expect(types.filter((type) => type === 'started')).toHaveLength(1);
    });

    test('by the end of the service: it is given back, and the next one goes on with its edits', async () => {
      const store = await openNew();
      const first = await place(store);
      const id = await first.ask();
      const runner = first.start(hangs);
      await waitFor('a step', async () => (await loadConversation(store.database, id)).length > 0);
      await runner.stop(10);
      expect(await first.row(id)).toMatchObject({ state: 'queued', owner: null });
      await first.die();
      const second = await place(store, first.docs);
      const heard: Asked[] = [];
      second.start((asked) => {
        heard.push(asked);
        return heard.length === 1 ? [write('docs/b.md', '# Whole\n')] : [finish];
      });
      const job = await second.ended(id);
      expect(job).toMatchObject({ status: 'completed', attempt: 2 });
      expect(heard[0]).toEqual({ said: ['Fix the install page'], isNew: false });
      expect(await first.docs.read('docs/a.md', job.branch)).toBe('# Half\n');
      expect(await first.docs.read('docs/b.md', job.branch)).toBe('# Whole\n');
    });

    test('a command runs once, even if another process publishes its change', async () => {
      const store = await openNew();
      const first = await place(store);
      const command = { type: 'replace-text', find: 'A', replace: 'AA' } as const;
      const { job } = await first.jobs.create({
        project: toProject('docs', { model: undefined }),
        origin: 'api',
        instructions: [toInstruction({ command })],
      });
      const neverAsked = () => Promise.reject(new Error('A command asks no model'));
      const runner = first.start(neverAsked, {
        forge: { writeCommit: () => new Promise(() => {}) },
      });
      await waitFor('the change', async () => (await first.row(job.id)).state === 'publishing');
      await runner.stop(10);
      await first.die();
      const second = await place(store, first.docs);
      second.start(neverAsked);
      const ended = await second.ended(job.id);
      expect(ended).toMatchObject({
        status: 'completed',
        attempt: 2,
        steps: 0,
        message: 'Changed 1 place in docs/a.md.',
      });
      expect(await first.docs.read('docs/a.md', ended.branch)).toBe('# AA\n');
      expect(await loadConversation(store.database, job.id)).toHaveLength(2);
    });

    test('a database that is away for a moment ends no job: it is taken up again', async () => {
      const store = await openNew();
      const first = await place(store);
      const id = await first.ask();
      let isAway = true;
      const writeCommit: Forge['writeCommit'] = (...commit) => {
        if (!isAway) return first.local.writeCommit(...commit);
        isAway = false;
        throw new DatabaseUnavailable('The database is away.', { retryAfter: 1, cause: 'test' });
      };
      first.start(obedient, { forge: { writeCommit } });
      await waitFor('the run to end without the job', () => Promise.resolve(!isAway));
      // The time of a claim passes.
      await store.database
        .updateTable('agent_jobs')
        .set({ lease_until: '2000-01-01T00:00:00.000Z' })
        .execute();
      expect(await first.ended(id)).toMatchObject({ status: 'completed', pull: { number: 1 } });
    });

    test('a process that is lost three times before a step takes nobody else with it', async () => {
      const store = await openNew();
      const first = await place(store);
      const id = await first.ask();
      await store.database.updateTable('agent_jobs').set({ crashes: 3 }).execute();
      first.start(obedient);
      expect(await first.ended(id)).toMatchObject({ failure: { code: 'process_lost' } });
    });

    test('a job that is lost three times names the pull request that it has made', async () => {
      const store = await openNew();
      const first = await place(store);
      const id = await first.ask();
      const runner = first.start(obedient);
      const { pull } = await first.ended(id);
      expect(pull).toBeDefined();
      // It would take the job up once more, and be lost a fourth time.
      await runner.stop(0);
      await first.die();
      // As if its process had been lost each time before it heard of the pull request.
      await store.database
        .updateTable('agent_jobs')
        .set({ state: 'publishing', crashes: 3 })
        .set({ pull_number: null, pull_url: null, finished_at: null })
        .execute();
      const second = await place(store, first.docs);
      second.start(obedient);
      expect(await second.ended(id)).toMatchObject({
        pull,
        failure: { code: 'process_lost', message: expect.stringContaining(pull?.url ?? '') },
      });
    });
  });
});
