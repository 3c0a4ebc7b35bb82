/**
 * Which process works on which job. One statement claims a job, project by project in turn. The process renews
 * the claim, and each of its writes names the claim's number: a process that slept through its claim finds
 * another number and can't write anymore.
 */
import { sql, type UpdateObject } from 'kysely';
import type { Database, Store, Tables } from '../../platform/store/database.ts';
import type { JobState } from '../tables.ts';
import { createLease, released, lockUntilCommit } from '../../platform/store/lease.ts';
import type { Processes } from '../../platform/store/processes.ts';
import { activeStates, changeState, claimedStates } from '../jobs/states.ts';
import { toFailure } from '../jobs/job.ts';
import type { Jobs } from '../jobs/jobs.ts';

/** A claim that isn't renewed for this long is void, even if its process lives. */
export const leaseSeconds = 30;
const expiredAtATime = 100;

export interface Lease {
  readonly id: string;
  readonly owner: string;
  /** Grows with each claim of this job. */
  readonly attempt: number;
}

/** The job has ended or belongs to another process: this one must not write anymore. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor() {
    super('Another process took over the job.');
  }
}

export type Leases = ReturnType<typeof createLeases>;

export function createLeases(deps: {
  store: Pick<Store, 'database' | 'clock'>;
  processes: Pick<Processes, 'id' | 'living'>;
  jobs: Pick<Jobs, 'events' | 'fail'>;
  now: () => Date;
  perProject: number;
  maxQueueMinutes: number;
}) {
  const { store, processes, jobs, now, perProject, maxQueueMinutes } = deps;
  const { database } = store;
  const rowLease = createLease(store, leaseSeconds);

  const isHeld = (table: string) =>
    sql<boolean>`(${sql.ref(`${table}.owner`)} in ${processes.living()}
      and ${rowLease.isHeld(table)})`;
  const waits = (table: string) =>
    sql<boolean>`(${sql.ref(`${table}.state`)} = 'queued' or ${isHeld(table)} is not true)`;

  /**
   * The next job: first those that a process began and gave back, or left when it died. Then the oldest job
   * of the project that has room and was served longest ago.
   */
  function nextJob(transaction: Database) {
    return transaction
      .selectFrom('agent_jobs as waiting')
      .leftJoin('agent_project_turns', 'agent_project_turns.project', 'waiting.project')
      .select('waiting.id')
      .where('waiting.state', 'in', activeStates)
      .where(waits('waiting'))
      .where('waiting.project', 'not in', (select) =>
        select
          .selectFrom('agent_jobs as busy')
          .select('busy.project')
          .where('busy.state', 'in', claimedStates)
          .where(isHeld('busy'))
          .groupBy('busy.project')
          .having((having) => having.fn.countAll<number>(), '>=', perProject),
      )
      .orderBy(sql`case when waiting.started_at is null then 1 else 0 end`)
      .orderBy(
        sql`case when waiting.started_at is null then coalesce(agent_project_turns.turn, 0) end`,
      )
      .orderBy('waiting.queued_at')
      .orderBy('waiting.id')
      .limit(1)
      .forUpdate('waiting')
      .skipLocked();
  }

  /** Moves a project behind all others. Claims are serialized, so two projects never get the same number. */
  async function moveBack(transaction: Database, project: string): Promise<void> {
    const { last } = await transaction
      .selectFrom('agent_project_turns')
      .select((row) => row.fn.max('turn').as('last'))
      .executeTakeFirstOrThrow();
    const turn = Number(last ?? 0) + 1;
    await transaction
      .insertInto('agent_project_turns')
      .values({ project, turn })
      .onConflict((conflict) => conflict.column('project').doUpdateSet({ turn }))
      .execute();
  }

  /** Jobs that waited too long to begin. A job that has begun may wait forever. */
  function overdue(transaction: Database) {
    const latest = new Date(now().getTime() - maxQueueMinutes * 60_000).toISOString();
    return transaction
      .selectFrom('agent_jobs')
      .where('state', '=', 'queued')
      .where('started_at', 'is', null)
      .where('queued_at', '<', latest)
      .orderBy('queued_at');
  }

  return {
    /** Claims a job; `undefined` if there is none, or no room for those that wait. */
    async claim(): Promise<(Tables['agent_jobs'] & Lease) | undefined> {
      const isAnyWaiting = await database
        .selectFrom('agent_jobs as job')
        .select('job.id')
        .where('job.state', 'in', activeStates)
        .where(waits('job'))
        .limit(1)
        .executeTakeFirst();
      if (!isAnyWaiting) return undefined;
      return jobs.events.transaction(async (transaction) => {
        const at = now().toISOString();
        // Two claims at the same moment wouldn't see each other, and both would find room in a project.
        await lockUntilCommit(transaction, 'agent jobs: claim');
        const row = await transaction
          .updateTable('agent_jobs')
          .set({
            state: sql<JobState>`case when state = 'queued' then 'running' else state end`,
            ...rowLease.claim(processes.id),
            attempt: sql<number>`attempt + 1`,
            // A job that a process gave back has no owner: that is no crash.
            crashes: sql<number>`case when state <> 'queued' and owner is not null then crashes + 1 else crashes end`,
            started_at: sql<string>`coalesce(started_at, ${at})`,
          })
          .where('id', '=', nextJob(transaction))
          .returningAll()
          .executeTakeFirst();
        if (!row) return undefined;
        const { attempt, round } = row;
        const resumed = row.started_at === at ? {} : { isResumed: true as const };
        await moveBack(transaction, row.project);
        await jobs.events.append(transaction, row, [
          { type: 'started', attempt, round, ...resumed },
        ]);
        return { ...row, owner: processes.id };
      });
    },

    /** Renews the claim, and returns whether somebody has cancelled the job. */
    async renew(lease: Lease): Promise<{ isCancelRequested: boolean }> {
      const row = await whereMine(database, lease, rowLease.renew());
      return { isCancelRequested: row.state === 'cancelling' };
    },

    /** Gives the job back as it is; the next free process continues it. */
    async release(lease: Lease): Promise<void> {
      await jobs.events.transaction(async (transaction) => {
        const row = await whereMine(transaction, lease, released);
        // A job that is being published or cancelled keeps its state and waits without an owner.
        if (row.state !== 'running') return;
        await changeState(transaction, row, 'release', now().toISOString());
      });
    },

    /** Fails the jobs that waited too long to begin; returns how many. */
    async expire(): Promise<number> {
      const rows = await overdue(database).select('id').limit(expiredAtATime).execute();
      let expired = 0;
      for (const { id } of rows) {
        await jobs.events.transaction(async (transaction) => {
          const row = await overdue(transaction)
            .selectAll()
            .where('id', '=', id)
            .forUpdate()
            .skipLocked()
            .executeTakeFirst();
          if (!row) return;
          const message = `It waited for more than ${maxQueueMinutes} minutes.`;
          await jobs.fail(transaction, row, toFailure('queue_expired', message));
          expired += 1;
        });
      }
      return expired;
    },
  };
}

/** Updates the row of a job and returns it; rejects with `LeaseLost` if the claim is no longer current. */
export async function whereMine(
  database: Database,
  lease: Lease,
  change: UpdateObject<Tables, 'agent_jobs'>,
): Promise<Tables['agent_jobs']> {
  const row = await database
    .updateTable('agent_jobs')
    .set(change)
    .where('id', '=', lease.id)
    .where('owner', '=', lease.owner)
    .where('attempt', '=', lease.attempt)
    .where('state', 'in', claimedStates)
    .returningAll()
    .executeTakeFirst();
  if (!row) throw new LeaseLost();
  return row;
}
