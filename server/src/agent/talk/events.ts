/**
 * What hosts told us, as rows: each is carried out once, whatever comes twice, late, or in the middle of a
 * crash. Words that nothing came of aren't kept.
 */
import type { HostEvent as ShownEvent } from '@docent/shared/host-events';
import { newId } from '../../platform/ids.ts';
import { dayMs } from '../../platform/time.ts';
import type { Database, Store } from '../../platform/store/database.ts';
import type { Tables } from '../../platform/store/tables.ts';
import { takeDue } from '../take-due.ts';
import type { HostEvent, ReadEvent } from './read-event.ts';

export type HostEventRow = Tables['agent_host_events'];

/** How long a process may take for one step of an event; then another one takes it over. */
const stepSeconds = 60;
/** Pushes often come one soon after the other. */
const quietMs = 10_000;
const keptMs = 30 * dayMs;
const maxShown = 50;

export function createHostEvents({
  store,
  now,
}: {
  store: Pick<Store, 'database' | 'clock'>;
  now: () => Date;
}) {
  const { database } = store;
  const at = (ms = 0) => new Date(now().getTime() + ms).toISOString();

  return {
    /** Keeps an event. Returns the row, which may be of the same event that came before. */
    async receive(project: string, read: ReadEvent): Promise<HostEventRow> {
      const { name, delivery } = read;
      const reason = typeof read.event === 'string' ? read.event : null;
      const { key, ...event } =
        typeof read.event === 'string' ? { key: `${name} ${delivery}` } : read.event;
      const isPush = 'kind' in event && event.kind === 'push';
      const row = {
        id: newId(),
        project,
        key,
        delivery,
        name,
        event: reason === null ? JSON.stringify(event) : null,
        pull_number: 'pull' in event ? event.pull : null,
        status: reason === null ? ('waiting' as const) : ('ignored' as const),
        reason,
        attempts: 0,
        due_at: reason === null ? at(isPush ? quietMs : 0) : null,
        created_at: at(),
      };
      await database
        .insertInto('agent_host_events')
        .values(row)
        .onConflict((conflict) => conflict.columns(['project', 'key']).doNothing())
        .execute();
      return database
        .selectFrom('agent_host_events')
        .selectAll()
        .where('project', '=', project)
        .where('key', '=', key)
        .executeTakeFirstOrThrow();
    },

    /** Takes events that are due, for one step each. */
    take: (most: number): Promise<HostEventRow[]> =>
      takeDue(store, 'agent_host_events', most, stepSeconds),

    /** Its job works on it: in the transaction that instructs the job. */
    async noteInstruction(tx: Database, id: string, jobId: string): Promise<void> {
      const { seq } = await tx
        .selectFrom('agent_instructions')
        .select((row) => row.fn.max('seq').as('seq'))
        .where('job_id', '=', jobId)
        .executeTakeFirstOrThrow();
      await tx
        .updateTable('agent_host_events')
        .set({ status: 'working', job_id: jobId, instruction: seq, attempts: 0, due_at: at() })
        .where('id', '=', id)
        .execute();
    },

    /** Asks again later. */
    async postpone(id: string, ms: number, attempts = 0): Promise<void> {
      await database
        .updateTable('agent_host_events')
        .set({ due_at: at(ms), attempts })
        .where('id', '=', id)
        .execute();
    },

    async settle(
      id: string,
      status: 'done' | 'ignored' | 'failed',
      reason: string | null,
      jobId?: string,
    ): Promise<void> {
      await database
        .updateTable('agent_host_events')
        .set({ status, reason, event: null, due_at: null, ...(jobId && { job_id: jobId }) })
        .where('id', '=', id)
        .execute();
    },

    /** Whether the same is waiting again. */
    async isFollowed({ id, project, event }: HostEventRow): Promise<boolean> {
      const next = await database
        .selectFrom('agent_host_events')
        .select('id')
        .where('project', '=', project)
        .where('status', '=', 'waiting')
        .where('event', '=', event)
        .where('id', '>', id)
        .executeTakeFirst();
      return next !== undefined;
    },

    /** How many other events of one kind a job had. */
    async count(row: HostEventRow, kind: 'checks' | 'said', jobId: string): Promise<number> {
      const { number } = await database
        .selectFrom('agent_host_events')
        .select((rows) => rows.fn.countAll<number>().as('number'))
        .where('project', '=', row.project)
        .where('job_id', '=', jobId)
        .where('id', '!=', row.id)
        .where('key', kind === 'checks' ? 'like' : 'not like', 'checks %')
        .executeTakeFirstOrThrow();
      return Number(number);
    },

    /** Newest first. */
    async list(project: string): Promise<ShownEvent[]> {
      const rows = await database
        .selectFrom('agent_host_events')
        .selectAll()
        .where('project', '=', project)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(maxShown)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        delivery: row.delivery,
        name: row.name,
        pull: row.pull_number,
        status: row.status,
        reason: row.reason,
        job: row.job_id,
        createdAt: row.created_at,
      }));
    },

    async deleteOld(): Promise<void> {
      await database
        .deleteFrom('agent_host_events')
        .where('created_at', '<', at(-keptMs))
        .execute();
    },
  };
}

/** What a row is about; undefined once it's settled. */
export const eventOf = ({ event }: HostEventRow): HostEvent | undefined =>
  event === null ? undefined : (JSON.parse(event) as HostEvent);
