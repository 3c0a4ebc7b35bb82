/**
 * The log of a job: numbered events in rows. Everything that reacts to a job (followers, audit trail,
 * webhooks, idle runners) reacts to these events and to nothing else.
 */
import type { AgentEvent, AgentLogEntry } from '@docent/shared/agent-events';
import { sql } from 'kysely';
import type { Bus } from '../../platform/store/bus.ts';
import type { Database } from '../../platform/store/database.ts';
import type { JobRow } from './job.ts';
import { statusOf } from './states.ts';
import { type Actor } from '../../platform/auth/caller.ts';

/** Channels of the bus; each message is the id of a job. */
export const jobChannels = {
  /** There are new events. */
  events: 'agent-events',
  /** A job waits for a runner. */
  queue: 'agent-queue',
  /** The job's runner must end it. */
  cancel: 'agent-cancel',
} as const;

/** Events, in the transaction that caused them. */
export interface Happened {
  job: Pick<JobRow, 'id' | 'project' | 'organization'>;
  events: AgentLogEntry[];
  /** Who caused them; absent for the service itself and for readers. */
  actor: Actor | undefined;
  publish: (channel: string) => void;
}

/** If it rejects, the whole transaction is rolled back. */
export type OnEvents = (tx: Database, happened: Happened) => Promise<void>;

const pageSize = 500;
/** A message of the bus may get lost, so followers also poll. */
const pollMs = 5_000;

export function createJobEvents(deps: {
  database: Database;
  bus: Bus;
  now: () => Date;
  onEvents?: OnEvents | undefined;
}) {
  const { database, bus, now, onEvents } = deps;
  const closing = new AbortController();
  /** What to publish after each transaction's commit. */
  const messagesOf = new WeakMap<Database, Map<string, [channel: string, job: string]>>();

  async function read(jobId: string, afterSeq: number): Promise<AgentLogEntry[]> {
    const rows = await database
      .selectFrom('agent_events')
      .selectAll()
      .where('job_id', '=', jobId)
      .where('seq', '>', afterSeq)
      .orderBy('seq')
      .limit(pageSize)
      .execute();
    return rows.map(
      ({ seq, type, data, created_at: at }) =>
        ({ ...(JSON.parse(data) as object), type, seq, at }) as AgentLogEntry,
    );
  }

  return {
    /** Begins a transaction in which events can be appended; the commit publishes them. */
    async transaction<Result>(work: (tx: Database) => Promise<Result>): Promise<Result> {
      const messages = new Map<string, [channel: string, job: string]>();
      const result = await database.transaction().execute(async (tx) => {
        messagesOf.set(tx, messages);
        return work(tx);
      });
      for (const [channel, job] of messages.values()) void bus.publish(channel, job);
      return result;
    },

    /** `tx` comes from `transaction`. Other writers of the same job's events wait until it ends. */
    async append(
      tx: Database,
      job: Happened['job'],
      happened: readonly AgentEvent[],
      actor?: Actor,
    ): Promise<void> {
      const messages = messagesOf.get(tx);
      if (!messages)
        throw new Error('Events are appended in a transaction of createJobEvents only');
      if (happened.length === 0) return;
      const row = await tx
        .updateTable('agent_jobs')
        .set({ events: sql<number>`events + ${happened.length}` })
        .where('id', '=', job.id)
        .returning('events')
        .executeTakeFirstOrThrow();
      const at = now().toISOString();
      const first = row.events - happened.length + 1;
      const entries = happened.map((event, index) => ({ ...event, seq: first + index, at }));
      await tx
        .insertInto('agent_events')
        .values(
          entries.map(({ type, seq, at: created_at, ...data }) => ({
            job_id: job.id,
            seq,
            type,
            data: JSON.stringify(data),
            created_at,
          })),
        )
        .execute();
      const publish = (channel: string) =>
        void messages.set(`${channel} ${job.id}`, [channel, job.id]);
      await onEvents?.(tx, { job, events: entries, actor, publish });
      publish(jobChannels.events);
      if (happened.some(({ type }) => type === 'queued')) publish(jobChannels.queue);
      if (happened.some(({ type }) => type === 'cancel-requested')) publish(jobChannels.cancel);
    },

    read,

    /**
     * Yields the events after that number as they arrive, from any process. Ends when the job has ended and
     * all of its events were yielded, when the signal fires, or when the service stops.
     */
    async *follow(
      jobId: string,
      afterSeq: number,
      signal: AbortSignal,
    ): AsyncGenerator<AgentLogEntry> {
      const isOver = () => signal.aborted || closing.signal.aborted;
      let position = afterSeq;
      let isNew = true;
      let wake: (() => void) | undefined;
      const poll = () => {
        isNew = true;
        wake?.();
      };
      const ends = [
        bus.subscribe(jobChannels.events, (job) => {
          if (job === jobId) poll();
        }),
        bus.onGap(poll),
      ];
      signal.addEventListener('abort', poll);
      closing.signal.addEventListener('abort', poll);
      try {
        while (!isOver()) {
          isNew = false;
          // Read the row first: if it says that the job has ended, its last event is stored.
          const job = await database
            .selectFrom('agent_jobs')
            .select(['state', 'events'])
            .where('id', '=', jobId)
            .executeTakeFirst();
          // A number that this job doesn't have (made up, or of another job): start with new events.
          if (job && position > job.events) position = job.events;
          const events = await read(jobId, position);
          for (const event of events) {
            if (isOver()) return;
            position = event.seq;
            yield event;
          }
          if (!job || (statusOf(job.state) !== 'active' && position >= job.events)) return;
          if (isNew || events.length > 0 || isOver()) continue;
          const timer = setTimeout(poll, pollMs);
          await new Promise<void>((resolve) => (wake = resolve));
          wake = undefined;
          clearTimeout(timer);
        }
      } finally {
        signal.removeEventListener('abort', poll);
        closing.signal.removeEventListener('abort', poll);
        for (const end of ends) end();
      }
    },

    /** Ends all followers because the service stops; they can continue at another process. */
    close(): void {
      closing.abort();
    },
  };
}
