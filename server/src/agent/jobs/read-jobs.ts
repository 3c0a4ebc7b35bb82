/** Reads jobs with their positions in the queue. */
import { sql } from 'kysely';
import { DocentError } from '../../platform/errors.ts';
import type { Database } from '../../platform/store/database.ts';
import { type Job, type JobRow, toJob } from './job.ts';
import { activeStates, claimedStates, type JobState } from './states.ts';

/** A job with its position in the queue: 1 is the next; null if it doesn't wait. */
export type JobInQueue = Job & { position: number | null };

export function createJobReader(database: Database) {
  async function find(project: string, id: string): Promise<JobInQueue | undefined> {
    const row = await database
      .selectFrom('agent_jobs')
      .selectAll()
      .where('id', '=', id)
      .where('project', '=', project)
      .executeTakeFirst();
    return row && (await withPositions([row]))[0];
  }

  /** Rejects with `not_found`, also for a job of another project. */
  async function read(project: string, id: string): Promise<JobInQueue> {
    const job = await find(project, id);
    if (!job) throw noJob();
    return job;
  }

  async function withPositions(rows: JobRow[]): Promise<JobInQueue[]> {
    const waiting = rows.filter(({ state }) => state === 'queued').map(({ id }) => id);
    const positions = waiting.length === 0 ? [] : await queuePositions(database, waiting);
    const positionOf = new Map(positions.map(({ id, position }) => [id, Number(position)]));
    return rows.map((row) => ({ ...toJob(row), position: positionOf.get(row.id) ?? null }));
  }

  /** Newest first: from a place in the list on, or after a cursor. */
  async function list(
    projects: readonly string[],
    {
      organization,
      status,
      cursor,
      skip = 0,
      take,
    }: {
      organization?: string;
      status?: Job['status'] | undefined;
      cursor?: string | undefined;
      skip?: number;
      take: number;
    },
  ): Promise<JobInQueue[]> {
    if (projects.length === 0) return [];
    const [at = '', id = ''] = cursor?.split('_') ?? [];
    const rows = await database
      .selectFrom('agent_jobs')
      .selectAll()
      .where('project', 'in', projects)
      .$if(organization !== undefined, (query) =>
        query.where('organization', '=', organization ?? ''),
      )
      .$if(status !== undefined, (query) =>
        query.where('state', 'in', status === 'active' ? activeStates : [status ?? 'failed']),
      )
      .$if(cursor !== undefined, (query) =>
        query.where((where) =>
          where.or([
            where('created_at', '<', at),
            where.and([where('created_at', '=', at), where('id', '<', id)]),
          ]),
        ),
      )
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .offset(skip)
      .limit(take)
      .execute();
    return withPositions(rows);
  }

  return { find, read, list };
}

/** The same answer for a job of another project and for one that never was. */
export const noJob = () =>
  new DocentError('not_found', 'There is no job with this id in this project.');

/** How many jobs wait and how many run, over all processes: two ranges of an index. */
export async function countActive(
  database: Database,
  organization?: string,
): Promise<{ queued: number; running: number }> {
  const rows = await database
    .selectFrom('agent_jobs')
    .select(['state', (job) => job.fn.countAll<number>().as('jobs')])
    .where('state', 'in', activeStates)
    .$if(organization !== undefined, (rows) => rows.where('organization', '=', organization ?? ''))
    .groupBy('state')
    .execute();
  const count = (of: readonly JobState[]) =>
    rows.reduce((sum, { state, jobs }) => sum + (of.includes(state) ? Number(jobs) : 0), 0);
  return { queued: count(['queued']), running: count(claimedStates) };
}

/**
 * Positions in the queue, in the order in which `run/leases.ts` claims jobs: jobs that have begun, then the
 * first job of each project, the second of each, and so on; the project that was served longest ago comes
 * first each time. A project at its own limit lets others pass, which isn't counted here.
 */
export function queuePositions(database: Database, ids: string[]) {
  const isNew = sql<number>`case when started_at is null then 1 else 0 end`;
  const own = sql`(partition by job.project, ${isNew} order by queued_at, id)`;
  return database
    .with('waiting', (db) =>
      db
        .selectFrom('agent_jobs as job')
        .leftJoin('agent_project_turns', 'agent_project_turns.project', 'job.project')
        .select(['id', 'queued_at', isNew.as('is_new')])
        .select((row) => row.fn.coalesce('turn', sql<number>`0`).as('turn'))
        .select([
          sql<number>`row_number() over ${own}`.as('rank'),
          // Projects that were never served come in the order of their first jobs.
          sql<string>`first_value(queued_at) over ${own}`.as('first_at'),
          sql<string>`first_value(id) over ${own}`.as('first_id'),
        ])
        .where('state', '=', 'queued'),
    )
    .with('queue', (db) =>
      db.selectFrom('waiting').select([
        'id',
        sql<number>`row_number() over (order by is_new,
          case when is_new = 1 then rank end, case when is_new = 1 then turn end,
          case when is_new = 1 then first_at else queued_at end,
          case when is_new = 1 then first_id else id end)`.as('position'),
      ]),
    )
    .selectFrom('queue')
    .select(['id', 'position'])
    .where('id', 'in', ids)
    .execute();
}

export async function findJob(database: Database, id: string): Promise<Job | undefined> {
  const row = await database
    .selectFrom('agent_jobs')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  return row && toJob(row);
}

export async function jobOfPull(
  database: Database,
  project: string,
  number: number,
): Promise<Job | undefined> {
  const row = await database
    .selectFrom('agent_jobs')
    .selectAll()
    .where('project', '=', project)
    .where('pull_number', '=', number)
    .orderBy('id', 'desc')
    .executeTakeFirst();
  return row && toJob(row);
}

/** Another active job that works on the branch. A job doesn't conflict with itself, and a new one has no id yet. */
export async function otherOnBranch(
  database: Database,
  { id = '', project, branch }: { id?: string | undefined; project: string; branch: string },
): Promise<string | undefined> {
  const other = await database
    .selectFrom('agent_jobs')
    .select('id')
    .where('project', '=', project)
    .where('branch', '=', branch)
    .where('state', 'in', activeStates)
    .where('id', '!=', id)
    .executeTakeFirst();
  return other?.id;
}
