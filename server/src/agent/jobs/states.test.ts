import { expect, test } from 'vitest';
import { openStore } from '../../open-store.ts';
import type { Store } from '../../platform/store/database.ts';
import { ProjectConfig } from '../../platform/config/project-config.ts';
import { quiet } from '../../../testing/each-database.ts';
import { toAgentJob } from '../api/job-view.ts';
import {
  changedColumns,
  changeState,
  type JobEvent,
  type JobState,
  lockJob,
  stateOf,
  statusOf,
  transitions,
} from './states.ts';
import { type JobRow, toJob } from './job.ts';
import { createJobs } from './jobs.ts';
import { createRandom } from '../../../testing/random.ts';

const jobStates = Object.keys(transitions) as JobState[];
const jobEvents = [
  ...new Set(Object.values(transitions).flatMap((row) => Object.keys(row))),
] as JobEvent[];
const next = (state: JobState, event: JobEvent) => transitions[state][event];

const at = '2026-11-21T10:00:00.000Z';
const pull = { pull_number: 7, pull_url: 'https://github.com/kestrel/docs/pull/7' };

async function openJob(store: Store): Promise<JobRow> {
  const jobs = createJobs({
    ...store,
    now: () => new Date(at),
  });
  const project = ProjectConfig.parse({
    id: 'p',
    organization: 'o',
    repository: 'https://github.com/o/r',
    model: 'main',
  });
  const instructions = [{ role: 'user' as const, content: 'Do it' }];
  const { job } = await jobs.create({ project, origin: 'api', instructions });
  const row = await lockJob(store.database, job.id);
  if (!row) throw new Error('no row');
  return row;
}

const show = (row: JobRow) => toAgentJob({ ...toJob(row), position: null });

const legalWays = new Set([
  'active message active',
  'active release active',
  'active cancel active',
  'active publish active',
  'active resume active',
  'active cancel failed',
  'active complete completed',
  'active fail failed',
  'completed message active',
  'failed message active',
  'completed archive archived completed',
  'failed archive archived failed',
]);

const nameOf = (row: JobRow) =>
  `${row.archived_at === null ? '' : 'archived '}${statusOf(row.state)}`;

/** What must hold of every step, whatever came before; the sentences of what does not. */
function wrongWith(before: JobRow, event: JobEvent, after: JobRow): string[] {
  const way = `${nameOf(before)} ${event} ${nameOf(after)}`;
  const isActive = statusOf(after.state) === 'active';
  const { prLink } = show(after);
  const isNewRun =
    (statusOf(before.state) !== 'active' && event === 'message') || event === 'resume';
  const rules: [rule: string, holds: boolean][] = [
    ['only ways of the document, back by a message, and into the archive', legalWays.has(way)],
    ['nothing active is archived', !(isActive && after.archived_at !== null)],
    ['what is active has no end', isActive === (after.finished_at === null)],
    ['no prLink while active', prLink === (isActive ? null : after.pull_url)],
    ['the pull request stays known', event === 'complete' || after.pull_url === before.pull_url],
    [
      'a message to an ended job is a new run, one that came just before the end too, and nothing else is',
      after.round === before.round + Number(isNewRun),
    ],
    ['what is cancelled is not completed', event !== 'complete' || before.state !== 'cancelling'],
  ];
  return rules.filter(([, holds]) => !holds).map(([rule]) => `${rule}: ${way}`);
}

test('10,000 random orders of events: only legal ways, whatever comes', async () => {
  const store = await openStore({ dataFolder: ':memory:', log: quiet });
  const first = await openJob(store);
  await store.close();
  const seen = new Set<string>();
  const wrong: string[] = [];
  for (let order = 0; order < 10_000; order++) {
    const random = createRandom(order);
    let row = first;
    for (let length = 3 + random(20); length > 0; length--) {
      // A claim isn't in the table: a queued job runs, and every other state stays.
      if (random(3) === 0 && stateOf(row) === 'queued') row = { ...row, state: 'running' };
      const event = jobEvents[random(jobEvents.length)] ?? 'message';
      const columns = changedColumns(row, event, at);
      if (columns === undefined) {
        if (next(stateOf(row), event)) wrong.push(`${stateOf(row)} ${event} is refused`);
        continue;
      }
      const after = { ...row, ...columns, ...(event === 'complete' && pull) };
      if (stateOf(after) !== next(stateOf(row), event)) wrong.push(`${stateOf(row)} ${event}`);
      wrong.push(...wrongWith(row, event, after));
      seen.add(`${stateOf(row)} ${event}`);
      row = after;
    }
  }
  expect(wrong).toEqual([]);
  // Every step that the table has was taken.
  const all = jobStates.flatMap((state) =>
    jobEvents.filter((event) => next(state, event)).map((event) => `${state} ${event}`),
  );
  expect([...seen].toSorted()).toEqual(all.toSorted());
});

test('the rows go the same ways', async () => {
  const store = await openStore({ dataFolder: ':memory:', log: quiet });
  for (let order = 0; order < 100; order++) {
    const random = createRandom(order);
    let row = await openJob(store);
    for (let length = 12; length > 0; length--) {
      if (random(3) === 0 && stateOf(row) === 'queued') {
        row = await store.database
          .updateTable('agent_jobs')
          .set({ state: 'running' })
          .where('id', '=', row.id)
          .returningAll()
          .executeTakeFirstOrThrow();
      }
      const event = jobEvents[random(jobEvents.length)] ?? 'message';
      const change = event === 'complete' ? pull : {};
      const changed = changeState(store.database, row, event, at, change);
      if (next(stateOf(row), event) === undefined) {
        await expect(changed).rejects.toMatchObject({
          code: 'conflict',
          message: expect.stringMatching(/^[A-Z].*\.$/),
        });
        continue;
      }
      const after = await changed;
      expect(wrongWith(row, event, after)).toEqual([]);
      row = after;
    }
  }
  await store.close();
});

test('an archived job stays as it is', () => {
  expect(jobEvents.filter((event) => next('archived', event) !== undefined)).toEqual([]);
});

test('after a cancel there is no pull request', () => {
  expect(next('cancelling', 'publish')).toBeUndefined();
  expect(next('cancelling', 'complete')).toBeUndefined();
});
