/**
 * What the database costs: rows of an answer (three counters, the key, the turn's beginning and end) and
 * plain pairs of a write and a read, with fifty callers at once, on SQLite and on PostgreSQL.
 *   node tests/bench/store.bench.ts [--answers 5000] [--only sqlite|postgres]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createThreads } from '../../server/src/reader/conversations/threads.ts';
import { createAudit } from '../../server/src/notify/audit/audit.ts';
import { createKeys } from '../../server/src/accounts/keys/keys.ts';
import { createCounter } from '../../server/src/platform/limits/counters.ts';
import { openStore } from '../../server/src/open-store.ts';
import type { Store } from '../../server/src/platform/store/database.ts';
import { registerProcess } from '../../server/src/platform/store/processes.ts';
import { postgresPrograms, startPostgres, whyNoPostgres } from '../../server/testing/postgres.ts';

const callers = 50;
const { values } = parseArgs({
  options: { answers: { type: 'string', default: '5000' }, only: { type: 'string' } },
});
const total = Number(values.answers);
const log = { info() {}, warn() {} };

const folder = await mkdtemp(join(tmpdir(), 'docent-bench-'));
try {
  if (values.only !== 'postgres')
    await measure('SQLite', await openStore({ dataFolder: folder, log }));
  if (postgresPrograms === undefined) console.log(whyNoPostgres);
  else if (values.only !== 'sqlite') {
    await using postgres = await startPostgres();
    const databaseUrl = await postgres.createDatabase();
    await measure('PostgreSQL', await openStore({ dataFolder: ':memory:', databaseUrl, log }));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function measure(name: string, store: Store): Promise<void> {
  const { database } = store;
  const now = () => new Date();
  const processes = await registerProcess({ store, log });
  const parts = { database, now, processes };
  const keys = createKeys({ ...parts, audit: createAudit({ store, now }) });
  const threads = createThreads(parts);
  const { token, key } = await keys.create({ kind: 'assistant', organization: 'o', name: '' });
  const [address, organization, month] = [
    createCounter(parts, 'address-day', 'day'),
    createCounter(parts, 'organization-hour', 'hour'),
    createCounter(parts, 'key-month', 'month'),
  ];

  async function answer(index: number): Promise<void> {
    await address.increment(`203.0.113.${index % 200}`);
    await keys.find(token, '203.0.113.7');
    await organization.increment('o');
    await month.increment(key.id);
    const { turnId } = await threads.open({
      threadId: undefined,
      domain: 'd',
      fp: 'anonymous',
      question: 'How do I install it?',
      context: [],
      model: 'm',
      isRetry: false,
      isStored: true,
      currentPath: undefined,
      filter: undefined,
    });
    await threads.end(turnId, {
      status: 'complete',
      answer: 'With the installer. '.repeat(40),
      sources: [{ id: '1', url: 'https://docs.example/install', title: 'Install' }],
      inputTokens: 1_000,
      outputTokens: 200,
    });
  }

  async function pair(index: number): Promise<void> {
    const subject = `s${index % 1_000}`;
    await address.increment(subject);
    await database.selectFrom('counters').select('hits').where('subject', '=', subject).execute();
  }

  console.log(`${name}: ${callers} callers at once, ${total} times`);
  for (const [what, work] of [
    ['rows of an answer', answer],
    ['pairs', pair],
  ] as const) {
    await run(work, total / 5);
    const { seconds, cpuSeconds } = await run(work, total);
    console.log(
      `  ${what.padEnd(18)} ${Math.round(total / seconds)
        .toString()
        .padStart(7)} /s ${((cpuSeconds / total) * 1000).toFixed(3)} ms CPU of this process each`,
    );
  }
  await processes.leave();
  await store.close();
}

async function run(work: (index: number) => Promise<void>, count: number) {
  const begin = performance.now();
  const cpu = process.cpuUsage();
  let next = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (next < count) await work(next++);
    }),
  );
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: (performance.now() - begin) / 1000, cpuSeconds: (user + system) / 1e6 };
}
