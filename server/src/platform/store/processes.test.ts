import { expect, test } from 'vitest';
import { eachDatabase, quiet } from '../../../testing/each-database.ts';
import { createThreads } from '../../reader/conversations/threads.ts';
import type { Store } from './database.ts';
import { registerProcess } from './processes.ts';

const turn = {
  threadId: undefined,
  domain: 'd',
  fp: 'anonymous',
  question: 'q',
  context: [],
  model: 'm',
  isRetry: false,
  currentPath: undefined,
  filter: undefined,
  isStored: true,
};

async function start(store: Store) {
  const processes = await registerProcess({ store, log: quiet });
  const threads = createThreads({
    database: store.database,
    now: () => new Date(),
    processes,
  });
  return { processes, threads };
}

const statuses = async (store: Store) => {
  const rows = await store.database.selectFrom('turns').select('status').orderBy('id').execute();
  return rows.map((row) => row.status);
};

/** As if this process had been silent since the beginning. */
const silence = (store: Store, id: string) =>
  store.database
    .updateTable('processes')
    .set({ lease_until: '2000-01-01T00:00:00.000Z' })
    .where('id', '=', id)
    .execute();

eachDatabase((openNew, engine) => {
  test('a process that starts ends the turns that no living process owns', async () => {
    const store = await openNew();
    const dead = await start(store);
    await dead.threads.open(turn);
    if (engine === 'postgres') {
      const other = await start(store);
      expect(await other.threads.endInterrupted()).toBe(0);
      await silence(store, dead.processes.id);
    }
    const next = await start(store);
    await next.threads.open(turn);
    let ended = 0;
    await next.processes.whenOthersDie(async () => (ended += await next.threads.endInterrupted()));
    expect(ended).toBe(1);
    expect(await statuses(store)).toEqual(['interrupted', 'running']);
    await next.processes.leave();
  });

  test('a process that counted as dead too early still completes its turn', async () => {
    const store = await openNew();
    const { threads } = await start(store);
    const { turnId } = await threads.open(turn);
    await store.database.updateTable('turns').set({ status: 'interrupted' }).execute();
    await threads.end(turnId, {
      status: 'complete',
      answer: 'a',
      sources: [],
      inputTokens: undefined,
      outputTokens: undefined,
    });
    expect(await statuses(store)).toEqual(['complete']);
  });

  test('a clean stop leaves no row', async () => {
    const store = await openNew();
    const { processes } = await start(store);
    await processes.leave();
    expect(await store.database.selectFrom('processes').selectAll().execute()).toEqual([]);
  });
});
