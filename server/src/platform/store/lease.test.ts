/**
 * Leases run on the database's clock: two processes whose own clocks are two hours apart agree about
 * who holds a row. One test for each user of `lease.ts`.
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { eachDatabase, quiet } from '../../../testing/each-database.ts';
import { startProcess } from '../../../testing/agent-run.ts';
import { createAudit } from '../../notify/audit/audit.ts';
import { checkConfig } from '../config/load.ts';
import { createIndexRuns } from '../../docs/indexer/index-runs.ts';
import { createLog } from '../log.ts';
import { createSpend } from '../../budgets/spend.ts';
import { createWebhooks } from '../../notify/webhooks/webhooks.ts';
import type { Store } from './database.ts';
import { createLease, released } from './lease.ts';
import { registerProcess } from './processes.ts';

const hour = 3_600_000;
/** The clocks of two machines. */
const slow = () => new Date(Date.now() - hour);
const fast = () => new Date(Date.now() + hour);
const clocks = [
  ['slow, then fast', slow, fast],
  ['fast, then slow', fast, slow],
] as const;

type LeasedTable =
  | 'index_runs'
  | 'budget_reservations'
  | 'webhook_deliveries'
  | 'agent_jobs'
  | 'processes';

/** What holds these rows died so long ago that its lease is over. */
const expire = (store: Store, table: LeasedTable) =>
  store.database
    .updateTable(table as 'index_runs')
    .set({ lease_until: store.clock(-0.001) })
    .execute();

const { config } = checkConfig(
  {
    models: {
      main: {
        provider: 'openai-compatible',
        baseUrl: 'http://x',
        model: 'm',
        price: { inputPerMillion: 1, outputPerMillion: 1 },
      },
    },
    sites: [
      { domain: 'd', organization: 'o', name: 'D', docs: { folder: '.' }, allowedOrigins: [] },
    ],
    budgets: { perSite: { perDay: { tokens: 10 } } },
  },
  { folder: '.', variables: {} },
);

eachDatabase((openNew, engine) => {
  test('of many that claim a row at once, one gets it; it is free when released or run out', async () => {
    const store = await openNew();
    const { database } = store;
    const lease = createLease(store, 60);
    await database
      .insertInto('index_runs')
      .values({ domain: 'd', status: 'never', accepts_fewer: 0 })
      .execute();
    const claim = async (owner: string) => {
      const { numUpdatedRows } = await database
        .updateTable('index_runs')
        .set(lease.claim(owner))
        .where(lease.isFree('index_runs'))
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    };
    const isHeld = async () => {
      const row = await database
        .selectFrom('index_runs')
        .select(lease.isHeld('index_runs').as('held'))
        .executeTakeFirstOrThrow();
      return Boolean(row.held);
    };
    expect(await isHeld()).toBe(false);
    const all = await Promise.all(['a', 'b', 'c', 'd'].map(claim));
    expect(all.filter(Boolean)).toHaveLength(1);
    expect(await isHeld()).toBe(true);
    await database.updateTable('index_runs').set(released).execute();
    expect(await isHeld()).toBe(false);
    expect(await claim('e')).toBe(true);
    await expire(store, 'index_runs');
    expect(await claim('f')).toBe(true);
    await expire(store, 'index_runs');
    await database.updateTable('index_runs').set(lease.renew()).execute();
    expect(await claim('g')).toBe(false);
  });

  test.each(clocks)('indexing runs: %s', async (_name, first, second) => {
    const store = await openNew();
    const [one, other] = [first, second].map((now) => createIndexRuns({ store, now, log: quiet }));
    const begun = Promise.withResolvers<void>();
    const report = { failures: [], warnings: [] } as never;
    const running = one?.run('d', undefined, ({ signal }) => {
      begun.resolve();
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    });
    running?.catch(() => {});
    await begun.promise;
    const run = () => other?.run('d', undefined, async () => report);
    await expect(run()).rejects.toMatchObject({ code: 'conflict' });
    expect(await other?.read('d')).toMatchObject({ status: 'running' });
    await expire(store, 'index_runs');
    expect(await other?.read('d')).toMatchObject({ status: 'failed' });
    expect(await run()).toBe(report);
  });

  test.each(clocks)('reservations of budgets: %s', async (_name, first, second) => {
    const store = await openNew();
    const webhooks = { async enqueueAlert() {}, wake() {} };
    const log = createLog('silent');
    // Both on one day: whose budget it is depends on each clock, as the answer's own time does.
    const noon = Date.parse('2026-03-10T12:00:00Z') - Date.now();
    const [one, other] = [first, second].map((now) =>
      createSpend({
        store,
        now: () => new Date(now().getTime() + noon),
        log,
        config,
        webhooks,
      }),
    );
    const expected = { inputTokens: 10, outputTokens: 0 };
    const reservation = { organization: 'o', domain: 'd', model: 'main', expected };
    await one?.reserve(reservation);
    await other?.renew();
    await expect(other?.reserve(reservation)).rejects.toMatchObject({ code: 'budget_exceeded' });
    await expire(store, 'budget_reservations');
    await other?.renew();
    await other?.reserve(reservation);
  });

  test.each(clocks)('webhooks and budget alerts: %s', async (_name, first, second) => {
    const store = await openNew();
    let requests = 0;
    let status: number | undefined;
    const server = createServer((_request, response) => {
      requests += 1;
      if (status !== undefined) response.writeHead(status).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const webhook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const budgets = { ...config.budgets, alerts: { webhook } };
    const [one, other] = [first, second].map((now) =>
      createWebhooks({
        config: { sites: [], projects: [], budgets },
        environment: { secret: () => undefined },
        store,
        now,
        audit: createAudit({ store, now }),
        log: createLog('silent'),
      }),
    );
    const timestamp = first().toISOString();
    const alert = { type: 'budget.alert', timestamp, data: { percent: 80 } } as never;
    await one?.enqueueAlert(store.database, alert, 'acme');
    const came = once(server, 'request');
    const sending = one?.sender.work();
    await came;
    await other?.sender.work();
    expect(requests).toBe(1);
    // The first process dies while it sends. The second takes over, and fails: nobody tries at once.
    await one?.sender.stop();
    await sending;
    await expire(store, 'webhook_deliveries');
    status = 500;
    await other?.sender.work();
    expect(requests).toBe(2);
    const third = createWebhooks({
      config: { sites: [], projects: [], budgets },
      environment: { secret: () => undefined },
      store,
      now: first,
      audit: createAudit({ store, now: first }),
      log: createLog('silent'),
    });
    await third.sender.work();
    expect(requests).toBe(2);
    await store.database.updateTable('webhook_deliveries').set({ due_at: store.clock() }).execute();
    status = 204;
    await third.sender.work();
    expect(requests).toBe(3);
    expect(
      await store.database.selectFrom('webhook_deliveries').select(['status', 'owner']).execute(),
    ).toEqual([{ status: 'delivered', owner: null }]);
  });

  // A data folder has one server, so on SQLite there is no second process.
  if (engine === 'sqlite') return;

  test.each(clocks)('agent jobs: %s', async (_name, first, second) => {
    const store = await openNew();
    const one = await startProcess(store, { now: first });
    const other = await startProcess(store, { now: second });
    const id = await one.ask();
    const claim = await one.leases.claim();
    expect(claim?.id).toBe(id);
    expect(await other.leases.claim()).toBeUndefined();
    if (claim) await one.leases.renew(claim);
    expect(await other.leases.claim()).toBeUndefined();
    await expire(store, 'agent_jobs');
    expect(await other.leases.claim()).toMatchObject({ id, attempt: 2 });
    if (claim) await expect(one.leases.renew(claim)).rejects.toThrow('took over');
  });

  test('processes that live', async () => {
    const store = await openNew();
    const one = await registerProcess({ store, log: quiet });
    const other = await registerProcess({ store, log: quiet });
    const living = async () => (await other.living().execute()).map(({ id }) => id).toSorted();
    expect(await living()).toEqual([one.id, other.id].toSorted());
    await store.database
      .updateTable('processes')
      .set({ lease_until: store.clock(-0.001) })
      .where('id', '=', one.id)
      .execute();
    expect(await living()).toEqual([other.id]);
  });
});
