/**
 * How fast queued agent jobs are drained where the model takes no time, or a set one, and whether
 * anybody starves: jobs of several projects, of which three have sent all but a few before the others, on
 * SQLite and with two runners on PostgreSQL; beside them, jobs that ended long ago.
 *   node tests/bench/agent-queue.bench.ts [--jobs 1000] [--ended 0] [--work-ms 0] [--only sqlite|postgres]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createJobs } from '../../server/src/agent/jobs/jobs.ts';
import { createCheckpoints } from '../../server/src/agent/run/checkpoints.ts';
import { createLeases } from '../../server/src/agent/run/leases.ts';
import type { RunDeps } from '../../server/src/agent/run/run-context.ts';
import { createRunner } from '../../server/src/agent/run/runner.ts';
import { modelThat } from '../../server/testing/agent-run.ts';
import { ProjectConfig } from '../../server/src/platform/config/project-config.ts';
import type { Forge } from '../../server/src/agent/forge/forge.ts';
import { newId } from '../../server/src/platform/ids.ts';
import { openStore } from '../../server/src/open-store.ts';
import type { Store } from '../../server/src/platform/store/database.ts';
import { registerProcess } from '../../server/src/platform/store/processes.ts';
import { treeOf } from '../../server/testing/memory-tree.ts';
import { postgresPrograms, startPostgres, whyNoPostgres } from '../../server/testing/postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { quantile } from './processes.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '1000' },
    ended: { type: 'string', default: '0' },
    'work-ms': { type: 'string', default: '0' },
    only: { type: 'string' },
  },
});
const total = Number(values.jobs);
const endedBefore = Number(values.ended);
const workMs = Number(values['work-ms']);
/** Nine of ten jobs are of the first three, and were sent before the others'. */
const projects = Array.from({ length: 10 }, (_, index) => `project-${index}`);
const floods = 3;
const flooded = Math.floor(total * 0.9);
const perProject = 2;
const concurrency = 4;
const log = { info() {}, warn() {}, error: console.error };
const now = () => new Date();

/** A repository without files: jobs end without a change. */
const emptyForge: Partial<Forge> = {
  defaultBranch: () => Promise.resolve('main'),
  tip: () => Promise.resolve('1'.repeat(40)),
  openTree: () => Promise.resolve(treeOf({})),
};

const folder = await mkdtemp(join(tmpdir(), 'docent-bench-'));
try {
  if (values.only !== 'postgres') {
    await measure('SQLite, one process', [await openStore({ dataFolder: folder, log })]);
  }
  if (postgresPrograms === undefined) console.log(whyNoPostgres);
  else if (values.only !== 'sqlite') {
    await using postgres = await startPostgres();
    const databaseUrl = await postgres.createDatabase();
    const open = () => openStore({ dataFolder: ':memory:', databaseUrl, log });
    await measure('PostgreSQL, two processes', [await open(), await open()]);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function measure(name: string, stores: Store[]): Promise<void> {
  const begun: { id: string; project: string }[] = [];
  const ended: string[] = [];
  const busy = new Map<string, number>();
  let most = 0;
  const machines = [];
  for (const store of stores) machines.push(await open(store));

  async function open(store: Store) {
    const { database, bus } = store;
    const processes = await registerProcess({ store, log });
    await processes.whenOthersDie(async () => {});
    const jobs = createJobs({ ...store, now });
    const limits = { perProject, maxQueueMinutes: 60 };
    const leases = createLeases({ store, processes, jobs, now, ...limits });
    const checkpoints = createCheckpoints({ jobs, now });
    const count = (project: string, by: number) => {
      const running = (busy.get(project) ?? 0) + by;
      busy.set(project, running);
      most = Math.max(most, running);
    };
    const project = (id: string) =>
      ProjectConfig.parse({ id, organization: 'o', repository: 'https://github.com/o/r' });
    /** Ends at once, or after the set time, as there is nothing to change. */
    const model = modelThat(async () => {
      if (workMs > 0) await pause(workMs);
      return [['finish', { title: 'Nothing', message: 'Nothing to do.' }]];
    });
    const deps: RunDeps = {
      database,
      openCode: () => Promise.reject(new Error('The projects have no code')),
      checkpoints,
      leases,
      projects: { find: (id) => Promise.resolve(project(id)) },
      forges: { forProject: () => emptyForge as Forge },
      models: {
        forName: (name: string | null) =>
          Promise.resolve({
            name: name ?? 'none',
            model,
            price: undefined,
            contextTokens: 100_000,
            maxOutputTokens: undefined,
            providerOptions: {},
          }),
      },
      spend: {
        reserve: () => Promise.resolve({ add() {}, addEmbedded() {} }),
        settle: () => Promise.resolve({ tokens: 0, microDollars: 0 }),
      },
      linkTo: () => '',
      sites: { find: () => undefined },
      metrics: {
        jobEnded(project) {
          count(project, -1);
          ended.push(project);
        },
      },
      log,
    };
    const claim = async () => {
      const row = await leases.claim();
      if (!row) return undefined;
      begun.push({ id: row.id, project: row.project });
      count(row.project, 1);
      return row;
    };
    await bus.listen();
    return {
      store,
      processes,
      jobs,
      runner: createRunner({ leases: { ...leases, claim }, deps, bus, log, concurrency }),
    };
  }

  const sent: string[] = [];
  for (let index = 0; index < total; index++) {
    const others = projects.length - floods;
    const id = projects[index < flooded ? index % floods : floods + (index % others)];
    const project = ProjectConfig.parse({
      id,
      organization: 'o',
      repository: 'https://github.com/o/r',
    });
    const instructions = [{ role: 'user' as const, content: 'Fix the install page' }];
    const made = await machines[0]?.jobs.create({ project, origin: 'api', instructions });
    if (made) sent.push(made.job.id);
  }
  await addEnded(machines[0]?.store, sent[0]);
  const begin = performance.now();
  const cpu = process.cpuUsage();
  for (const { runner } of machines) runner.start();
  await waitFor('all to be done', () => ended.length >= total, 600_000);
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(cpu);

  const place = new Map(begun.map(({ id }, index) => [id, index]));
  // How many that were sent later began before: those of projects that had room.
  const overtaken = sent.map((id, index) => {
    const mine = place.get(id) ?? Infinity;
    return sent.slice(index + 1).filter((other) => (place.get(other) ?? Infinity) < mine).length;
  });
  const others = sent.slice(flooded).map((id) => place.get(id) ?? Infinity);
  console.log(
    `${name}: ${total} jobs of ${projects.length} projects, ${concurrency} at once each, beside ${endedBefore} that ended`,
  );
  console.log(`  ${seconds.toFixed(1)} s, ${Math.round(total / seconds)} jobs/s`);
  console.log(`  ${((user + system) / 1000 / total).toFixed(2)} ms CPU of this process each`);
  const begunTwice = begun.length - new Set(begun.map(({ id }) => id)).size;
  console.log(`  begun twice: ${begunTwice}`);
  console.log(`  most of one project at once: ${most} (limit ${perProject})`);
  console.log(
    `  overtaken by later ones: p50 ${quantile(overtaken, 0.5)}, most ${Math.max(...overtaken)}`,
  );
  console.log(
    `  the jobs of the others, sent last, began as number ${Math.min(...others) + 1} to ${Math.max(...others) + 1} of ${total}`,
  );
  // Each project gets a turn before any gets its second.
  if (begunTwice > 0 || most > perProject || Math.min(...others) > projects.length) {
    console.error(`${name}: a job was begun twice, a limit was exceeded, or a project starved`);
    process.exitCode = 1;
  }
  for (const { store, processes, runner } of machines) {
    await runner.stop(1_000);
    await processes.leave();
    await store.close();
  }
}

/** Copies of a job, as they are long after their end. */
async function addEnded(store: Store | undefined, id = ''): Promise<void> {
  if (!store || endedBefore === 0) return;
  const { database } = store;
  const row = await database
    .selectFrom('agent_jobs')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const ended = { ...row, state: 'completed', started_at: row.queued_at } as const;
  for (let added = 0; added < endedBefore; added += 100) {
    const rows = Array.from({ length: Math.min(100, endedBefore - added) }, (_, index) => ({
      ...ended,
      id: newId(),
      project: projects[index % projects.length] ?? '',
      finished_at: row.queued_at,
    }));
    await database.insertInto('agent_jobs').values(rows).execute();
  }
}
