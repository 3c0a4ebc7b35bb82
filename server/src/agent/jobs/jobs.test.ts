import { eachDatabase } from '../../../testing/each-database.ts';
import { describe, expect, test } from 'vitest';
import type { Project } from '../../platform/tenants/projects.ts';
import type { Store } from '../../platform/store/database.ts';
import { ProjectConfig } from '../../platform/config/project-config.ts';
import { createJobs, type NewJob } from './jobs.ts';
import { lockJob } from './states.ts';
import { toFailure } from './job.ts';
import type { Happened } from './events.ts';

const project: Project = ProjectConfig.parse({
  id: 'kestrel',
  organization: 'kestrel',
  model: 'main',
  repository: 'https://github.com/kestrel/docs.git',
  baseBranch: 'main',
});

function open(store: Store, onEvents?: (happened: Happened) => void) {
  const { database } = store;
  let time = Date.parse('2026-11-21T10:00:00.000Z');
  const jobs = createJobs({
    ...store,
    now: () => new Date((time += 1_000)),
    onEvents: async (_tx, happened) => onEvents?.(happened),
  });
  const ask = (more: Partial<NewJob> = {}) =>
    jobs.create({
      project,
      origin: 'api',
      by: { kind: 'key', id: 'key-1' },
      instructions: [{ role: 'user', content: 'Fix the install page' }],
      ...more,
    });
  /** What a runner does: takes the job. */
  const claim = (id: string) =>
    database
      .updateTable('agent_jobs')
      .set({ state: 'running', owner: 'process', attempt: 1 })
      .where('id', '=', id)
      .execute();
  const complete = (id: string, pull?: { number: number; url: string }) =>
    jobs.events.transaction(async (tx) => {
      const outcome = await tx
        .updateTable('agent_jobs')
        .set({
          title: 'Done',
          message: 'It is done.',
          ...(pull && { pull_number: pull.number, pull_url: pull.url }),
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      await jobs.complete(tx, outcome);
    });
  const fail = (id: string) =>
    jobs.events.transaction(async (tx) => {
      const row = await lockJob(tx, id);
      if (!row) throw new Error('no job');
      await jobs.fail(tx, row, toFailure('model_failed', 'It said nothing.'));
    });
  const typesOf = async (id: string) =>
    (await jobs.events.read(id, 0)).map(({ type }) => type as string);
  return { jobs, ask, claim, complete, fail, typesOf, database };
}

const conflict = expect.objectContaining({ code: 'conflict' });
const notFound = expect.objectContaining({ code: 'not_found' });

eachDatabase((openNew) => {
  test('a new job waits, with its instruction, its branch and its events', async () => {
    const { jobs, ask, typesOf, database } = open(await openNew());
    const { job, isReplay } = await ask();
    expect(isReplay).toBe(false);
    expect(job).toMatchObject({
      status: 'active',
      state: 'queued',
      position: 1,
      model: 'main',
      repository: 'https://github.com/kestrel/docs',
      baseBranch: 'main',
      branch: `docent/fix-the-install-page-${job.id.slice(-8).toLowerCase()}`,
      callerId: 'key-1',
      round: 1,
      pull: null,
      archivedAt: null,
    });
    expect(await typesOf(job.id)).toEqual(['message', 'queued']);
    expect(await jobs.read(project.id, job.id)).toEqual(job);
    const second = await ask({
      instructions: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'Rename it' },
      ],
    });
    expect(second.job.position).toBe(2);
    const rows = await database
      .selectFrom('agent_instructions')
      .selectAll()
      .where('job_id', '=', second.job.id)
      .orderBy('seq')
      .execute();
    expect(rows.map(({ seq, role, content }) => [seq, role, content])).toEqual([
      [1, 'system', 'Be brief'],
      [2, 'user', 'Rename it'],
    ]);
  });

  test('a secret in an instruction is not stored, an address is', async () => {
    const { ask, jobs } = open(await openNew());
    const token = `ghp_${'a1B2c3D4'.repeat(5)}`;
    const content = `Write to help@kestrel.dev with ${token}`;
    const { job } = await ask({ instructions: [{ role: 'user', content }] });
    const [event] = await jobs.events.read(job.id, 0);
    expect(event).toMatchObject({ prompt: 'Write to help@kestrel.dev with [redacted key]' });
  });

  test('a follow-up waits with a running job and brings an ended one back', async () => {
    const { jobs, ask, claim, complete, fail, typesOf } = open(await openNew());
    const { job } = await ask();
    await claim(job.id);
    const during = await jobs.instruct(project.id, job.id, { prompt: 'And the title' });
    expect(during.job).toMatchObject({ status: 'active', state: 'running', round: 1 });
    await complete(job.id, { number: 7, url: 'https://github.com/kestrel/docs/pull/7' });
    expect(await jobs.read(project.id, job.id)).toMatchObject({
      status: 'completed',
      position: null,
      pull: { number: 7 },
    });
    const after = await jobs.instruct(project.id, job.id, { prompt: 'And the date' });
    expect(after.job).toMatchObject({
      status: 'active',
      state: 'queued',
      round: 2,
      message: null,
      pull: { number: 7 },
    });
    await claim(job.id);
    await fail(job.id);
    expect((await jobs.read(project.id, job.id)).failure).toMatchObject({
      code: 'model_failed',
      retryable: true,
    });
    const again = await jobs.instruct(project.id, job.id, { prompt: 'Once more' });
    expect(again.job).toMatchObject({ status: 'active', round: 3, failure: null });
    expect(await typesOf(job.id)).toEqual([
      'message',
      'queued',
      'message',
      'completed',
      'message',
      'queued',
      'failed',
      'message',
      'queued',
    ]);
  });

  test('cancel: at once where it waits, by its runner where it runs, never where it has ended', async () => {
    const { jobs, ask, claim, complete, typesOf } = open(await openNew());
    const waiting = (await ask()).job;
    expect(await jobs.cancel(project.id, waiting.id, { kind: 'key', id: 'key-2' })).toMatchObject({
      status: 'failed',
      failure: { code: 'cancelled' },
    });
    await expect(jobs.cancel(project.id, waiting.id)).rejects.toEqual(conflict);
    const running = (await ask()).job;
    await claim(running.id);
    expect(await jobs.cancel(project.id, running.id)).toMatchObject({
      status: 'active',
      state: 'cancelling',
    });
    expect(await jobs.cancel(project.id, running.id)).toMatchObject({
      status: 'active',
      state: 'cancelling',
    });
    expect(await typesOf(running.id)).toEqual(['message', 'queued', 'cancel-requested']);
    await expect(complete(running.id)).rejects.toEqual(conflict);
    await expect(jobs.instruct(project.id, running.id, { prompt: 'Go on' })).rejects.toEqual(
      conflict,
    );
  });

  test('an ended job is archived by hand or by age, and then takes no message', async () => {
    const { jobs, ask, claim, complete } = open(await openNew());
    const { job } = await ask();
    await expect(jobs.archive(project.id, job.id)).rejects.toEqual(conflict);
    await claim(job.id);
    await complete(job.id);
    const { finishedAt } = await jobs.read(project.id, job.id);
    expect(await jobs.archiveEndedBefore(new Date(finishedAt ?? ''))).toBe(0);
    const other = (await ask()).job;
    expect(await jobs.archiveEndedBefore(new Date('2027-01-01'))).toBe(1);
    expect(await jobs.read(project.id, job.id)).toMatchObject({
      status: 'completed',
      archivedAt: expect.any(String),
    });
    expect((await jobs.read(project.id, other.id)).archivedAt).toBeNull();
    await expect(jobs.instruct(project.id, job.id, { prompt: 'More' })).rejects.toEqual(conflict);
    await expect(jobs.archive(project.id, job.id)).rejects.toEqual(conflict);
  });

  test('a job of another project is not there', async () => {
    const { jobs, ask } = open(await openNew());
    const { job } = await ask();
    expect(await jobs.find('other', job.id)).toBeUndefined();
    await expect(jobs.read('other', job.id)).rejects.toEqual(notFound);
    await expect(jobs.cancel('other', job.id)).rejects.toEqual(notFound);
    await expect(jobs.archive('other', job.id)).rejects.toEqual(notFound);
    await expect(jobs.instruct('other', job.id, { prompt: 'Hi' })).rejects.toEqual(notFound);
    expect(await jobs.list(['other'], { skip: 0, take: 10 })).toEqual([]);
  });

  test('the list is newest first, and pages', async () => {
    const { jobs, ask } = open(await openNew());
    const ids: string[] = [];
    for (let made = 0; made < 5; made++) ids.unshift((await ask()).job.id);
    const listed = async (skip: number, take: number) =>
      (await jobs.list([project.id], { skip, take })).map(({ id }) => id);
    expect(await listed(0, 12)).toEqual(ids);
    expect(await listed(1, 2)).toEqual(ids.slice(1, 3));
    const places = (await jobs.list([project.id], { skip: 0, take: 12 })).map(
      (job) => job.position,
    );
    expect(places).toEqual([5, 4, 3, 2, 1]);
  });

  describe('the same request sent twice', () => {
    test('makes one job, and one message; another body is refused', async () => {
      const { jobs, ask, database } = open(await openNew());
      const first = await ask({ idempotencyKey: 'k' });
      const second = await ask({ idempotencyKey: 'k' });
      expect(second).toEqual({ job: first.job, isReplay: true });
      await expect(ask({ idempotencyKey: 'k', isDraft: true })).rejects.toEqual(conflict);
      const say = (prompt: string) =>
        jobs.instruct(project.id, first.job.id, { prompt, idempotencyKey: 'k' });
      expect((await say('More')).isReplay).toBe(false);
      expect((await say('More')).isReplay).toBe(true);
      await expect(say('Less')).rejects.toEqual(conflict);
      const { count } = await database
        .selectFrom('agent_instructions')
        .select((row) => row.fn.countAll().as('count'))
        .executeTakeFirstOrThrow();
      expect(Number(count)).toBe(2);
    });

    test('at the same moment, 50 times, makes one job', async () => {
      const { jobs, ask, typesOf } = open(await openNew());
      const all = await Promise.all(Array.from({ length: 50 }, () => ask({ idempotencyKey: 'k' })));
      expect(all.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
      expect(new Set(all.map(({ job }) => job.id)).size).toBe(1);
      expect(await jobs.list([project.id], { skip: 0, take: 100 })).toHaveLength(1);
      const { id } = all[0]?.job ?? { id: '' };
      await Promise.all(
        Array.from({ length: 50 }, () =>
          jobs.instruct(project.id, id, { prompt: 'More', idempotencyKey: 'k' }),
        ),
      );
      expect(await typesOf(id)).toEqual(['message', 'queued', 'message']);
    });
  });

  test('a branch of the caller: not the base, and not one that another job works on', async () => {
    const { jobs, ask } = open(await openNew());
    await expect(ask({ branch: 'main' })).rejects.toMatchObject({ code: 'bad_request' });
    const { job } = await ask({ branch: 'docs/install' });
    expect(job.branch).toBe('docs/install');
    await expect(ask({ branch: 'docs/install' })).rejects.toEqual(conflict);
    await jobs.cancel(project.id, job.id);
    expect((await ask({ branch: 'docs/install' })).job.branch).toBe('docs/install');
  });

  test('of many who want one branch at once, one gets it', async () => {
    const { jobs, ask, complete, claim } = open(await openNew());
    const branch = 'docs/install';
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => ask({ branch })));
    const [made, ...more] = outcomes.filter((each) => each.status === 'fulfilled');
    expect(more).toEqual([]);
    const refused = outcomes.flatMap((each) =>
      each.status === 'rejected' ? [each.reason as unknown] : [],
    );
    expect(refused).toHaveLength(19);
    for (const reason of refused) expect(reason).toMatchObject({ code: 'conflict' });

    // Ended jobs of that branch come back, and new ones are made, all at once: again there is one.
    const id = made?.value.job.id ?? '';
    await claim(id);
    await complete(id);
    const second = await ask({ branch });
    await claim(second.job.id);
    await complete(second.job.id);
    await Promise.allSettled([
      ...Array.from({ length: 5 }, () => jobs.instruct(project.id, id, { prompt: 'More' })),
      ...Array.from({ length: 5 }, () =>
        jobs.instruct(project.id, second.job.id, { prompt: 'More' }),
      ),
      ...Array.from({ length: 5 }, () => ask({ branch })),
    ]);
    const all = await jobs.list([project.id], { skip: 0, take: 50 });
    expect(all.filter(({ status }) => status === 'active')).toHaveLength(1);
  });

  test('the same request many times at once is one job, also where it names a branch', async () => {
    const { ask } = open(await openNew());
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => ask({ branch: 'docs/install', idempotencyKey: 'k' })),
    );
    expect(new Set(outcomes.map(({ job }) => job.id)).size).toBe(1);
    expect(outcomes.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
  });

  test('an ended job stays ended while another works on its branch', async () => {
    const { jobs, ask, complete, claim } = open(await openNew());
    const branch = 'docs/install';
    const { job } = await ask({ branch });
    await claim(job.id);
    await complete(job.id);
    const { job: other } = await ask({ branch });
    await expect(jobs.instruct(project.id, job.id, { prompt: 'More' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(
        new RegExp(`^Another job, ${other.id}, works on the branch docs/install now;`),
      ),
    });
    expect(await jobs.read(project.id, job.id)).toMatchObject({ status: 'completed', round: 1 });
    await jobs.cancel(project.id, other.id);
    await jobs.instruct(project.id, job.id, { prompt: 'More' });
    expect(await jobs.read(project.id, job.id)).toMatchObject({ status: 'active', round: 2 });
  });

  test('followers hear everything once, in order, until the job has ended', async () => {
    const { jobs, ask, claim, complete } = open(await openNew());
    const { job } = await ask();
    await claim(job.id);
    const heard: number[] = [];
    const follow = async (after: number) => {
      const seqs: number[] = [];
      for await (const { seq } of jobs.events.follow(job.id, after, new AbortController().signal)) {
        seqs.push(seq);
        heard.push(seq);
      }
      return seqs;
    };
    const both = Promise.all([follow(0), follow(2)]);
    for (let said = 0; said < 20; said++) {
      await jobs.events.transaction((tx) =>
        jobs.events.append(tx, { ...job }, [
          { type: 'text', text: `${said}` },
          { type: 'compacted' },
        ]),
      );
    }
    await complete(job.id);
    const [all, later] = await both;
    expect(all).toEqual(Array.from({ length: 43 }, (_, index) => index + 1));
    expect(later).toEqual(all.slice(2));
  });

  test('who asks for what comes after an event that never was hears what comes from now on', async () => {
    const { jobs, ask, claim, complete } = open(await openNew());
    const { job } = await ask();
    const heard: string[] = [];
    const following = (async () => {
      const events = jobs.events.follow(job.id, 1_000_000, new AbortController().signal);
      for await (const { type } of events) heard.push(type);
    })();
    // The first look is over once something that came after it is heard.
    while (heard.length === 0) {
      await jobs.instruct(project.id, job.id, { prompt: 'More' });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await claim(job.id);
    await complete(job.id);
    await following;
    expect(heard).not.toContain('queued');
    expect(heard.at(-1)).toBe('completed');
    const late = jobs.events.follow(job.id, 1_000_000, new AbortController().signal);
    expect((await late.next()).done).toBe(true);
  });

  test('a follower that leaves hears nothing more', async () => {
    const { jobs, ask } = open(await openNew());
    const { job } = await ask();
    const gone = new AbortController();
    const seqs: number[] = [];
    const done = (async () => {
      for await (const { seq } of jobs.events.follow(job.id, 0, gone.signal)) {
        seqs.push(seq);
        if (seq === 2) gone.abort();
      }
    })();
    await done;
    expect(seqs).toEqual([1, 2]);
  });

  test('what hangs on the events stands or falls with them', async () => {
    const seen: string[] = [];
    const store = await openNew();
    const { jobs, ask } = open(store, ({ events, actor }) => {
      for (const { type } of events) {
        if (type === 'archived') throw new Error('no');
        seen.push(`${type} ${actor?.id ?? null}`);
      }
    });
    const { job } = await ask();
    await jobs.cancel(project.id, job.id, { kind: 'key', id: 'key-2' });
    expect(seen).toEqual(['message key-1', 'queued key-1', 'failed key-2']);
    await expect(jobs.archive(project.id, job.id)).rejects.toThrow('no');
    expect((await jobs.read(project.id, job.id)).archivedAt).toBeNull();
  });
});
