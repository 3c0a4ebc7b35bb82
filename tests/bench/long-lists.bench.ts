/**
 * What pages of the dashboard ask the database with 100,000 conversations, 5,000 jobs, and 500 keys, on
 * SQLite: the first pages of the lists, without and with each filter; a page far down; one conversation;
 * feedback and gaps of the same site; and the figures of the overview.
 *   node tests/bench/long-lists.bench.ts [--conversations 100000] [--jobs 5000] [--keys 500]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createJobReader } from '../../server/src/agent/jobs/read-jobs.ts';
import { createKeys } from '../../server/src/accounts/keys/keys.ts';
import { usageOf } from '../../server/src/accounts/keys/routes.ts';
import { findGaps, readGap } from '../../server/src/reader/gaps/gaps.ts';
import { knownQuestions } from '../../server/src/reader/gaps/known-questions.ts';
import { loopOf, hoursOf, totalsOf } from '../../server/src/reader/analytics/overview.ts';
import { countStates, listFeedback } from '../../server/src/reader/analytics/feedback.ts';
import { listConversations, readThread } from '../../server/src/reader/analytics/conversations.ts';
import { openStore } from '../../server/src/open-store.ts';
import { fillWith } from '../support/many-things.ts';

const { values } = parseArgs({
  options: {
    conversations: { type: 'string', default: '100000' },
    jobs: { type: 'string', default: '5000' },
    keys: { type: 'string', default: '500' },
  },
});
const amounts = {
  conversations: Number(values.conversations),
  jobs: Number(values.jobs),
  keys: Number(values.keys),
};
const domain = 'docs';
const organization = 'acme';
const projects = ['one', 'two', 'three'];
const period = { from: '2026-01-01T00:00:00.000Z', to: '2027-01-01T00:00:00.000Z' };
const folder = await mkdtemp(join(tmpdir(), 'docent-bench-'));
const { database, close } = await openStore({
  dataFolder: folder,
  log: { info() {}, warn() {} },
});
try {
  fillWith({ dataFolder: folder, domain, organization, projects, from: period.from }, amounts);
  console.log(`${JSON.stringify(amounts)}; median and slowest of 20`);
  const list = (wanted: object) =>
    listConversations(database, domain, period, { limit: 50, ...wanted });
  await measure('conversations', () => list({}));
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
  const feedback = () =>
    listFeedback(database, domain, period, { limit: 50, state: 'open', cursor: undefined });
  await measure('feedback', feedback);
  await measure('feedback by state', () => countStates(database, domain));
  const nothing = () => Promise.resolve(new Map());
  const noJobs = { outcomesOf: nothing, filesOf: nothing };
  await measure('gaps of a month', () => findGaps(database, domain, month, noJobs));
  await measure('one gap', () =>
    readGap(database, { domain, docs: {} }, 'gap 7', new Date(), noJobs),
  );
  const both = { current: month, previous: period };
  await measure('gaps closed, answers lost', () => loopOf(database, [domain], both, new Date()));
  const site = {
    domain,
    docs: { baseUrl: 'https://docs.example', sources: [], allowPrivateHosts: [] },
  };
  const pages = new Set(['/guides/page-7', '/guides/page-8']);
  await measure('questions that pages answer', () => knownQuestions(database, site, pages, 30));
  const jobs = createJobReader(database);
  await measure('jobs', () => jobs.list(projects, { organization, take: 51 }));
  const keys = createKeys({
    database,
    now: () => new Date(),
    audit: { record: () => Promise.resolve() },
  });
  await measure('keys', async () => {
    const page = await keys.page(
      { organization, domain: undefined },
      { status: 'active', limit: 201 },
    );
    await usageOf(
      database,
      page.map(({ id }) => id),
      new Date(),
    );
  });
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
