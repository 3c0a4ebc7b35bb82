/** Jobs as they are shown: each with its place in the queue. */
import { DocentError } from '../../platform/errors.ts';
import type { Database } from '../../platform/store/database.ts';
import { type Job, type JobRow, toJob } from './job.ts';
import { placesOf } from './places.ts';

/** A job with its place in the queue: 1 is the next; null where it does not wait. */
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

  async function read(project: string, id: string): Promise<JobInQueue> {
    const job = await find(project, id);
    if (!job) throw noJob();
    return job;
  }

  async function withPositions(rows: JobRow[]): Promise<JobInQueue[]> {
    const waiting = rows.filter(({ phase }) => phase === 'queued').map(({ id }) => id);
    const places = waiting.length === 0 ? [] : await placesOf(database, waiting);
    const placeOf = new Map(places.map(({ id, place }) => [id, Number(place)]));
    return rows.map((row) => ({ ...toJob(row), position: placeOf.get(row.id) ?? null }));
  }

  /** Newest first. */
  async function list(
    project: string,
    { skip, take }: { skip: number; take: number },
  ): Promise<JobInQueue[]> {
    const rows = await database
      .selectFrom('agent_jobs')
      .selectAll()
      .where('project', '=', project)
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
