/**
 * The log of a job: what happened, numbered, in rows that stay. Whatever is to hear of it (followers,
 * the audit, webhooks, waiting runners) hangs here, and nowhere else.
 */
import type { AgentEvent, AgentLogEntry } from '@docent/shared/agent-events';
import { sql } from 'kysely';
import type { Actor } from '../../platform/audit/entry.ts';
import type { Bus } from '../../platform/store/bus.ts';
import type { Database } from '../../platform/store/database.ts';
import type { JobRow } from './job.ts';

/** Words of the bus; each carries the id of a job. */
export const jobChannels = {
  /** There are new events. */
  events: 'agent-events',
  /** There is work for a runner. */
  queue: 'agent-queue',
  /** Its runner must end it. */
  cancel: 'agent-cancel',
} as const;

/** What happened, within the transaction in which it did. */
export interface Happened {
  job: Pick<JobRow, 'id' | 'project' | 'organization'>;
  events: AgentLogEntry[];
  /** Who asked for it; absent where nobody did: the service did it by itself, or a reader's words. */
  actor: Actor | undefined;
  /** Says a word on the bus once it is committed. */
  say: (channel: string) => void;
}

/** Rejects where what happened must not have: then the whole transaction is undone. */
export type OnEvents = (tx: Database, happened: Happened) => Promise<void>;

/** Events read at a time. */
const pageSize = 500;
/** A word of the bus may get lost; the rows are looked at all the same. */
const pollMs = 5_000;

export type JobEvents = ReturnType<typeof createJobEvents>;

export function createJobEvents(deps: {
  database: Database;
  bus: Bus;
  now: () => Date;
  onEvents?: OnEvents | undefined;
}) {
  const { database, bus, now, onEvents } = deps;
  const closing = new AbortController();
  /** Words to say once the transaction has been committed. */
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
    /** Begins a transaction in which events may be appended; they are made known once it is committed. */
    async transaction<Result>(work: (tx: Database) => Promise<Result>): Promise<Result> {
      const words = new Map<string, [channel: string, job: string]>();
      const result = await database.transaction().execute(async (tx) => {
        messagesOf.set(tx, words);
        return work(tx);
      });
      for (const [channel, job] of words.values()) void bus.publish(channel, job);
      return result;
    },

    /** `tx` is one of `transaction`. Other writers of the same job's events wait until it ends. */
    async append(
      tx: Database,
      job: Happened['job'],
      happened: readonly AgentEvent[],
      actor?: Actor,
    ): Promise<void> {
      const words = messagesOf.get(tx);
      if (!words) throw new Error('Events are appended in a transaction of createJobEvents only');
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
      const say = (channel: string) => void words.set(`${channel} ${job.id}`, [channel, job.id]);
      await onEvents?.(tx, { job, events: entries, actor, say });
      say(jobChannels.events);
      if (happened.some(({ type }) => type === 'queued')) say(jobChannels.queue);
      if (happened.some(({ type }) => type === 'cancel-requested')) say(jobChannels.cancel);
    },

    read,

    /**
     * Events after that number, as they come, of whichever process; ends once the job has ended and
     * everything was handed over, when the signal fires, or when the service stops.
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
          // Read first: an end that is seen here came with its last event.
          const job = await database
            .selectFrom('agent_jobs')
            .select(['status', 'events'])
            .where('id', '=', jobId)
            .executeTakeFirst();
          // A number that was never given (of another job, made up): from now on.
          if (job && position > job.events) position = job.events;
          const events = await read(jobId, position);
          for (const event of events) {
            if (isOver()) return;
            position = event.seq;
            yield event;
          }
          if (!job || (job.status !== 'active' && position >= job.events)) return;
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

    /** The service stops: followers come to their end, and can go on elsewhere. */
    close(): void {
      closing.abort();
    },
  };
}
