/**
 * The list of conversations with 100,000 of them, on SQLite: its first page without and with each filter,
 * a page far down, one conversation, and the feedback and gaps of the same site.
 * The figures of the overview, too.
 *   node tests/bench/conversations.bench.ts [--conversations 100000]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { listConversations, readThread } from '../../server/src/reader/analytics/conversations.ts';
import { hoursOf, totalsOf } from '../../server/src/reader/analytics/overview.ts';
import { openStore } from '../../server/src/platform/store/database.ts';

const { values } = parseArgs({ options: { conversations: { type: 'string', default: '100000' } } });
const total = Number(values.conversations);
const domain = 'docs';
const period = { from: '2026-01-01T00:00:00.000Z', to: '2027-01-01T00:00:00.000Z' };
const folder = await mkdtemp(join(tmpdir(), 'docent-bench-'));
const { database, close } = await openStore({
  dataFolder: folder,
  log: { info() {}, warn() {} },
});
try {
  fill();
  console.log(`${total} conversations; median and slowest of 20`);
  const list = (wanted: object) =>
    listConversations(database, domain, period, { limit: 50, ...wanted });
  await measure('first page', () => list({}));
  for (const wanted of [
    { resolutionStatus: 'unanswered' },
    { rating: 'down' },
    { status: 'failed' },
    { page: '/guides/page-7' },
    { model: 'other' },
    { text: 'question 99' },
    { text: 'nobody wrote this' },
    { reader: 'reader 77' },
  ]) {
    await measure(JSON.stringify(wanted), () => list(wanted));
  }
  let cursor: string | null = null;
  for (let page = 0; page < 100; page += 1) {
    ({ nextCursor: cursor } = await list(
      cursor === null ? { limit: 500 } : { limit: 500, cursor },
    ));
  }
  const far = cursor ?? '';
  await measure('page after 50,000', () => list({ cursor: far }));
  await measure('one conversation', () => readThread(database, domain, 'thread 000077'));
  // A month of the year that the conversations fill.
  const month = { from: '2026-06-01T00:00:00.000Z', to: '2026-07-01T00:00:00.000Z' };
  await measure('totals of a month', () => totalsOf(database, [domain], month));
  await measure('hours of a month', () => hoursOf(database, [domain], month));
} finally {
  await close();
  await rm(folder, { recursive: true, force: true });
}

async function measure(name: string, work: () => Promise<unknown>): Promise<void> {
  await work();
  const times: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    const begin = performance.now();
    await work();
    times.push(performance.now() - begin);
  }
  times.sort((a, b) => a - b);
  const shown = [times[10], times.at(-1)].map((ms) => `${(ms ?? 0).toFixed(1).padStart(7)} ms`);
  console.log(`  ${name.padEnd(36)} ${shown.join(' ')}`);
}

/** One question each; every fifth without an answer, every tenth rated, a thousand readers. */
function fill(): void {
  const numbers = `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${total})`;
  const id = `printf('%026d', i)`;
  const thread = `'thread ' || printf('%06d', i)`;
  const time = `strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', '+' || (i * 5) || ' minutes')`;
  const file = new DatabaseSync(join(folder, 'docent.db'));
  file.exec(`
    insert into threads (id, domain, fp, created_at)
      ${numbers} select ${thread}, '${domain}', 'reader ' || (i % 1000), ${time} from n;
    insert into turns (id, thread_id, domain, status, question, context, answer, sources, model,
      created_at, owner, outcome, asked_on)
      ${numbers} select ${id}, ${thread}, '${domain}',
        case when i % 1000 = 0 then 'failed' else 'complete' end,
        'How do I do question ' || i || ' of the site?', '[]',
        '${'The answer is in the guide [1]. '.repeat(40)}',
        '[{"id":"1","url":"https://docs.example/guides/page-' || (i % 500) || '","title":"Guide"}]',
        case when i % 500 = 0 then 'other' else 'main' end, ${time}, 'p',
        case when i % 5 = 0 then 'unanswered' else 'answered' end,
        '/guides/page-' || (i % 300) from n;
    insert into feedback (id, domain, subject, fp, turn_id, rating, reasons, created_at, updated_at)
      ${numbers} select ${id}, '${domain}', ${id}, 'reader ' || (i % 1000), ${id},
        case when i % 20 = 0 then 'down' else 'up' end, '[]', ${time}, ${time}
        from n where i % 10 = 0;`);
  file.close();
}
