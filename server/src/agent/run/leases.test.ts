import { expect, test } from 'vitest';
import { eachDatabase } from '../../../testing/each-database.ts';
import { newId } from '../../platform/ids.ts';
import { toFailure } from '../jobs/job.ts';
import { LeaseLost } from './leases.ts';
import { loadConversation } from './checkpoints.ts';
import { nothingUsed, startProcess } from '../../../testing/agent-run.ts';

eachDatabase((openNew, engine) => {
  test('first come, first served; a project at its limit lets others pass', async () => {
    const { ask, leases, checkpoints, jobs, takeInstructions } = await startProcess(
      await openNew(),
    );
    const ids = [await ask('a'), await ask('a'), await ask('b'), await ask('a')];
    const first = await leases.claim();
    const second = await leases.claim();
    expect([first?.id, second?.id]).toEqual([ids[0], ids[2]]);
    expect(await leases.claim()).toBeUndefined();
    expect(first).toMatchObject({ attempt: 1, crashes: 0, state: 'running' });
    if (!first) throw new Error('nothing was claimed');
    await takeInstructions(first.id);
    await checkpoints.completed(first, nothingUsed);
    expect((await leases.claim())?.id).toBe(ids[1]);
    expect((await jobs.events.read(ids[0] ?? '', 0)).map(({ type }) => type)).toEqual([
      'message',
      'queued',
      'started',
      'completed',
    ]);
  });

  test('projects take turns, however much one of them asks for; the places say so', async () => {
    const store = await openNew();
    const here = await startProcess(store, { perProject: 100 });
    const { ask, leases, checkpoints, jobs, takeInstructions, row } = here;
    const serve = async () => {
      const job = await leases.claim();
      if (!job) throw new Error('nothing was claimed');
      await takeInstructions(job.id);
      await checkpoints.completed(job, nothingUsed);
      return job;
    };
    const floods = ['a', 'b', 'c'];
    for (const project of floods) {
      const first = await row(await ask(project));
      const rows = Array.from({ length: 299 }, () => ({ ...first, id: newId() }));
      for (let at = 0; at < rows.length; at += 50) {
        const some = rows.slice(at, at + 50);
        await store.database.insertInto('agent_jobs').values(some).execute();
      }
    }
    const before = [await serve(), await serve(), await serve(), await serve()];
    expect(before.map(({ project }) => project)).toEqual(['a', 'b', 'c', 'a']);
    const late = await ask('late');
    expect(await jobs.read('late', late)).toMatchObject({ position: 1 });
    // Its second is behind one of each of the others.
    const again = await ask('late');
    expect(await jobs.read('late', again)).toMatchObject({ position: 5 });
    const waiting = await Promise.all(
      [...floods, 'late'].map((project) => jobs.list([project], { skip: 0, take: 300 })),
    );
    const places = waiting
      .flat()
      .filter(({ position }) => position !== null)
      .toSorted((a, b) => Number(a.position) - Number(b.position));
    expect(places.map(({ position }) => position)).toEqual(places.map((_, index) => index + 1));
    const next = [];
    for (let served = 0; served < 30; served++) next.push((await serve()).id);
    expect(next[0]).toBe(late);
    expect(next).toEqual(places.slice(0, 30).map(({ id }) => id));
    // In its own project first come, first served.
    const ofA = waiting[0]?.toReversed().map(({ id }) => id) ?? [];
    const begun = [...before.map(({ id }) => id), ...next].filter((id) => ofA.includes(id));
    expect(begun).toEqual(ofA.slice(0, begun.length));
  });

  test('what was begun is gone on with before a project whose turn it is', async () => {
    const { ask, leases, jobs } = await startProcess(await openNew());
    const begun = await ask('a');
    const lease = await leases.claim();
    if (!lease) throw new Error('nothing was claimed');
    const [first, second] = [await ask('b'), await ask('b')];
    await leases.release(lease);
    const places = async () =>
      Promise.all([jobs.read('a', begun), jobs.read('b', first), jobs.read('b', second)]);
    expect((await places()).map(({ position }) => position)).toEqual([1, 2, 3]);
    expect((await leases.claim())?.id).toBe(begun);
    expect((await leases.claim())?.id).toBe(first);
  });

  test('many who claim at once never share a job, nor exceed the limit of a project', async () => {
    const store = await openNew();
    const here = await startProcess(store, { perProject: 2 });
    // A second process; on SQLite there is none.
    const there = engine === 'postgres' ? await startProcess(store, { perProject: 2 }) : here;
    const ids = [];
    for (let i = 0; i < 60; i++) ids.push(await here.ask(`project-${Math.floor(i / 12)}`));
    // Far more than there is room for.
    const sides = Array.from({ length: 24 }, (_, index) => (index % 2 ? here : there));
    const first = await Promise.all(
      sides.map(async (side) => ({ side, job: await side.leases.claim() })),
    );
    const seen: string[] = [];
    const counts = new Map<string, number>();
    for (const { side, job } of first) {
      if (!job) continue;
      seen.push(job.id);
      counts.set(job.project, (counts.get(job.project) ?? 0) + 1);
      await side.takeInstructions(job.id);
      await side.checkpoints.completed(job, nothingUsed);
    }
    expect([...counts.values()]).toEqual([2, 2, 2, 2, 2]);
    const busy = new Map<string, number>();
    let most = 0;
    const work = async ({ leases, checkpoints, takeInstructions }: typeof here) => {
      while (seen.length < ids.length) {
        const job = await leases.claim();
        // All that wait are of projects at their limit.
        if (!job) await new Promise((resolve) => setImmediate(resolve));
        else {
          seen.push(job.id);
          const count = (busy.get(job.project) ?? 0) + 1;
          busy.set(job.project, count);
          most = Math.max(most, count);
          await takeInstructions(job.id);
          busy.set(job.project, (busy.get(job.project) ?? 0) - 1);
          await checkpoints.completed(job, nothingUsed);
        }
      }
    };
    await Promise.all([here, there, here, there, here, there, here, there].map(work));
    expect(seen.toSorted()).toEqual(ids.toSorted());
    expect(most).toBeLessThanOrEqual(2);
  });

  test('what a dead process had is taken over, and the dead one cannot write any more', async () => {
    const store = await openNew();
    const first = await startProcess(store);
    const id = await first.ask();
    const lease = await first.leases.claim();
    if (!lease) throw new Error('nothing was claimed');
    if (engine === 'postgres') expect(await first.leases.claim()).toBeUndefined();
    await first.die();
    const second = await startProcess(store);
    const taken = await second.leases.claim();
    expect(taken).toMatchObject({ id, attempt: 2, crashes: 1 });
    const before = await second.row(id);
    const late = [
      first.leases.renew(lease),
      first.leases.release(lease),
      first.checkpoints.save(lease, {
        messages: [{ role: 'assistant', content: 'late' }],
        edits: [{ path: 'a.md', content: Buffer.from('late'), movedFrom: null }],
        events: [{ type: 'text', text: 'late' }],
      }),
      first.checkpoints.publishing(lease, []),
      first.checkpoints.completed(lease, nothingUsed),
      first.checkpoints.failed(lease, toFailure('internal', 'late'), { seen: new Set() }),
    ];
    for (const write of await Promise.allSettled(late)) {
      expect(write).toEqual({ status: 'rejected', reason: expect.any(LeaseLost) });
    }
    expect(await second.row(id)).toEqual(before);
    expect(await loadConversation(store.database, id)).toEqual([]);
    const edits = await store.database.selectFrom('agent_edits').selectAll().execute();
    expect(edits).toEqual([]);
  });

  test('a claim that is not renewed is void, also where its process lives', async () => {
    const store = await openNew();
    const { ask, leases } = await startProcess(store);
    await ask();
    const lease = await leases.claim();
    if (!lease) throw new Error('nothing was claimed');
    expect(await leases.claim()).toBeUndefined();
    await store.database
      .updateTable('agent_jobs')
      .set({ lease_until: '2000-01-01T00:00:00.000Z' })
      .execute();
    // The runner that had it may still say so in time.
    await leases.renew(lease);
    expect(await leases.claim()).toBeUndefined();
    await store.database
      .updateTable('agent_jobs')
      .set({ lease_until: '2000-01-01T00:00:00.000Z' })
      .execute();
    expect(await leases.claim()).toMatchObject({ attempt: 2 });
    await expect(leases.renew(lease)).rejects.toThrow(LeaseLost);
  });

  test('what is given back waits at its old place, and counts as no loss', async () => {
    const { ask, leases, jobs } = await startProcess(await openNew());
    const id = await ask();
    const later = await ask();
    const lease = await leases.claim();
    if (!lease) throw new Error('nothing was claimed');
    await leases.release(lease);
    expect(await jobs.read('docs', id)).toMatchObject({ state: 'queued', position: 1 });
    expect(await jobs.read('docs', later)).toMatchObject({ position: 2 });
    expect(await leases.claim()).toMatchObject({ id, attempt: 2, crashes: 0 });
    const started = (await jobs.events.read(id, 0)).filter(({ type }) => type === 'started');
    expect(started).toMatchObject([{ attempt: 1 }, { attempt: 2, isResumed: true }]);
    expect(started[0]).not.toHaveProperty('isResumed');
  });

  test('one that is published or cancelled stays what it is when it is given back', async () => {
    const { ask, leases, checkpoints, jobs, row } = await startProcess(await openNew());
    const [one, other] = [await ask('a'), await ask('b')];
    const publishing = await leases.claim();
    const cancelling = await leases.claim();
    if (!publishing || !cancelling) throw new Error('nothing was claimed');
    await checkpoints.publishing(publishing, []);
    await jobs.cancel('b', other);
    for (const lease of [publishing, cancelling]) await leases.release(lease);
    await expect(jobs.cancel('a', one)).rejects.toMatchObject({ code: 'conflict' });
    expect(await row(one)).toMatchObject({ state: 'publishing', owner: null });
    expect(await leases.claim()).toMatchObject({ id: one, crashes: 0, state: 'publishing' });
    const last = await leases.claim();
    expect(last).toMatchObject({ id: other, state: 'cancelling' });
  });

  test('after a cancel nothing is published; once it is published, nothing is cancelled', async () => {
    const { ask, leases, checkpoints, jobs, takeInstructions } = await startProcess(
      await openNew(),
    );
    const [one, other] = [await ask('a'), await ask('b')];
    await takeInstructions(one);
    await takeInstructions(other);
    const [first, second] = [await leases.claim(), await leases.claim()];
    if (!first || !second) throw new Error('nothing was claimed');
    await jobs.cancel('a', one);
    await expect(checkpoints.publishing(first, [])).rejects.toMatchObject({ code: 'cancelled' });
    await expect(checkpoints.completed(first, nothingUsed)).rejects.toMatchObject({
      code: 'cancelled',
    });
    await checkpoints.publishing(second, []);
    await expect(jobs.cancel('b', other)).rejects.toMatchObject({ code: 'conflict' });
    await checkpoints.completed(second, nothingUsed);
    expect(await jobs.read('b', other)).toMatchObject({ status: 'completed' });
  });

  test('a job that has waited too long fails; one that was begun does not', async () => {
    let time = Date.parse('2026-11-21T10:00:00.000Z');
    const process = await startProcess(await openNew(), { now: () => new Date(time) });
    const { ask, leases, jobs } = process;
    const begun = await ask('a');
    const lease = await leases.claim();
    if (!lease) throw new Error('nothing was claimed');
    await leases.release(lease);
    const old = await ask('b');
    time += 50 * 60_000;
    const young = await ask('c');
    time += 11 * 60_000;
    expect(await leases.expire()).toBe(1);
    expect(await leases.expire()).toBe(0);
    expect(await jobs.read('b', old)).toMatchObject({
      status: 'failed',
      failure: { code: 'queue_expired', message: 'It waited for more than 60 minutes.' },
    });
    expect(await jobs.read('a', begun)).toMatchObject({ status: 'active' });
    expect(await jobs.read('c', young)).toMatchObject({ status: 'active' });
  });
});
