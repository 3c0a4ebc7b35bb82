/**
 * Which process has which job. A job row is claimed by one statement, project by project in turn; whoever
 * has it renews the claim, and every write of theirs names its number: a process that slept through its
 * claim finds that the number has moved on, and cannot write any more.
 */
import { sql, type UpdateObject } from 'kysely';
import type { AgentJobTable } from '../../platform/store/agent-tables.ts';
import type { Database, Store } from '../../platform/store/database.ts';
import { createLease, released } from '../../platform/store/lease.ts';
import { lockUntilCommit } from '../../platform/store/lock.ts';
import type { Processes } from '../../platform/store/processes.ts';
import type { Tables } from '../../platform/store/tables.ts';
import { changeState } from '../jobs/states.ts';
import { toFailure } from '../jobs/job.ts';
import type { Jobs } from '../jobs/jobs.ts';

/** A claim that is not renewed for so long is void, even where its process lives. */
export const leaseSeconds = 30;
/** Jobs whose time is over that are ended in one go. */
const expiredAtATime = 100;

/** One claim of one job. */
export interface Lease {
  readonly id: string;
  readonly owner: string;
  /** Grows with every claim of this job. */
  readonly attempt: number;
}

/** The job belongs to another process now, or has ended: nothing may be written any more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor() {
    super('The job was taken over.');
  }
}

export type Leases = ReturnType<typeof createLeases>;

export function createLeases(deps: {
  store: Pick<Store, 'database' | 'isShared' | 'clock'>;
  processes: Pick<Processes, 'id' | 'living'>;
  jobs: Pick<Jobs, 'events' | 'fail'>;
  now: () => Date;
  /** Jobs of one project that run at once, over all processes. */
  perProject: number;
  /** A job that has waited for longer fails. */
  maxQueueMinutes: number;
}) {
  const { store, processes, jobs, now, perProject, maxQueueMinutes } = deps;
  const { database } = store;
  const rowLease = createLease(store, leaseSeconds);

  /** Somebody works on it. */
  const isHeld = (table: string) =>
    sql<boolean>`(${sql.ref(`${table}.owner`)} in ${processes.living()}
      and ${rowLease.isHeld(table)})`;
  const waits = (table: string) =>
    sql<boolean>`(${sql.ref(`${table}.phase`)} = 'queued'
      or (${sql.ref(`${table}.phase`)} = 'running' and ${isHeld(table)} is not true))`;

  /**
   * What was begun and given back, or left by a dead process, is gone on with first: it has had its turn.
   * Then the oldest job of the project that has room and was served longest ago.
   */
  function foremost(transaction: Database) {
    return transaction
      .selectFrom('agent_jobs as waiting')
      .leftJoin('agent_turns', 'agent_turns.project', 'waiting.project')
      .select('waiting.id')
      .where('waiting.status', '=', 'active')
      .where('waiting.phase', 'in', ['queued', 'running'])
      .where(waits('waiting'))
      .where('waiting.project', 'not in', (select) =>
        select
          .selectFrom('agent_jobs as busy')
          .select('busy.project')
          .where('busy.phase', '=', 'running')
          .where(isHeld('busy'))
          .groupBy('busy.project')
          .having((having) => having.fn.countAll<number>(), '>=', perProject),
      )
      .orderBy(sql`case when waiting.started_at is null then 1 else 0 end`)
      .orderBy(sql`case when waiting.started_at is null then coalesce(agent_turns.turn, 0) end`)
      .orderBy('waiting.queued_at')
      .orderBy('waiting.id')
      .limit(1)
      .forUpdate('waiting')
      .skipLocked();
  }

  /** Puts a project behind all others. Claims come one after the other, so no two have the same number. */
  async function moveBack(transaction: Database, project: string): Promise<void> {
    const { last } = await transaction
      .selectFrom('agent_turns')
      .select((row) => row.fn.max('turn').as('last'))
      .executeTakeFirstOrThrow();
    const turn = Number(last ?? 0) + 1;
    await transaction
      .insertInto('agent_turns')
      .values({ project, turn })
      .onConflict((conflict) => conflict.column('project').doUpdateSet({ turn }))
      .execute();
  }

  /** What was begun is gone on with, however long it waited for that. */
  function overdue(transaction: Database) {
    const latest = new Date(now().getTime() - maxQueueMinutes * 60_000).toISOString();
    return transaction
      .selectFrom('agent_jobs')
      .where('phase', '=', 'queued')
      .where('started_at', 'is', null)
      .where('queued_at', '<', latest)
      .orderBy('queued_at');
  }

  return {
    /** Takes a job; `undefined` where there is none, or no room for those that there are. */
    async claim(): Promise<(AgentJobTable & Lease) | undefined> {
      const isAnyWaiting = await database
        .selectFrom('agent_jobs as job')
        .select('job.id')
        .where('job.status', '=', 'active')
        .where('job.phase', 'in', ['queued', 'running'])
        .where(waits('job'))
        .limit(1)
        .executeTakeFirst();
      if (!isAnyWaiting) return undefined;
      return jobs.events.transaction(async (transaction) => {
        const at = now().toISOString();
        // Two claims at the same moment would not see each other, and both find room in a project.
        await lockUntilCommit(transaction, store, 'agent jobs: claim');
        const row = await transaction
          .updateTable('agent_jobs')
          .set({
            phase: 'running',
            ...rowLease.claim(processes.id),
            attempt: sql<number>`attempt + 1`,
            // Given back by a process that stopped, it has no owner: that is no loss.
            crashes: sql<number>`case when phase = 'running' and owner is not null then crashes + 1 else crashes end`,
            started_at: sql<string>`coalesce(started_at, ${at})`,
          })
          .where('id', '=', foremost(transaction))
          .returningAll()
          .executeTakeFirst();
        if (!row) return undefined;
        const { attempt, run_number: round } = row;
        const resumed = row.started_at === at ? {} : { isResumed: true as const };
        await moveBack(transaction, row.project);
        await jobs.events.append(transaction, row, [
          { type: 'started', attempt, round, ...resumed },
        ]);
        return { ...row, owner: processes.id };
      });
    },

    /** Says that the job is being worked on, and hears whether its owner wants it to end. */
    async renew(lease: Lease, runMs: number): Promise<{ isCancelRequested: boolean }> {
      const row = await whereMine(database, lease, { ...rowLease.renew(), run_ms: runMs });
      return { isCancelRequested: row.cancel_requested_at !== null };
    },

    /** Gives the job back as it stands: the next free process goes on with it. */
    async release(lease: Lease, runMs: number): Promise<void> {
      await jobs.events.transaction(async (transaction) => {
        const row = await whereMine(transaction, lease, {
          ...released,
          run_ms: runMs,
        });
        // One that is published or cancelled stays what it is, and waits without an owner.
        if (row.stage === 'publish' || row.cancel_requested_at !== null) return;
        await changeState(transaction, row, 'release', now().toISOString());
      });
    },

    /** Fails the jobs that have waited for too long to be begun; gives back how many. */
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

/** Changes the row of a job that is still this claim's, and gives it back; rejects with `LeaseLost` otherwise. */
export async function whereMine(
  database: Database,
  lease: Lease,
  change: UpdateObject<Tables, 'agent_jobs'>,
): Promise<AgentJobTable> {
  const row = await database
    .updateTable('agent_jobs')
    .set(change)
    .where('id', '=', lease.id)
    .where('owner', '=', lease.owner)
    .where('attempt', '=', lease.attempt)
    .where('phase', '=', 'running')
    .returningAll()
    .executeTakeFirst();
  if (!row) throw new LeaseLost();
  return row;
}
