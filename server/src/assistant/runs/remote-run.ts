/** An answer that another process makes, read from the database. */
import type { AnswerPart } from '@docent/shared/stream';
import type { Selectable } from 'kysely';
import { DocentError } from '../../errors.ts';
import { toErrorBody } from '../../http/error-handler.ts';
import type { Logger } from '../../log.ts';
import type { Bus } from '../../store/bus.ts';
import type { Database } from '../../store/database.ts';
import type { Processes } from '../../store/processes.ts';
import type { RunTable } from '../../store/reader-tables.ts';
import { type ReadableRun, type RunReader, stoppedParts } from './run.ts';

export const runChannel = 'runs';

/** What processes say to each other about an answer. A word that gets lost is made up for by looking. */
export interface RunWord {
  say: 'news' | 'read' | 'left' | 'has all' | 'stop';
  run: string;
  /** The process that speaks. */
  by: string;
}

/** How long a process counts as a reader after it has said so. */
export const leaseMs = 6_000;
/** How often it says so, and looks whether the owner still lives. */
const beatMs = 2_000;

export type RemoteRun = ReturnType<typeof createRemoteRun>;

export function createRemoteRun(
  row: Selectable<RunTable>,
  parts: {
    database: Database;
    bus: Bus;
    processes: Pick<Processes, 'id' | 'living'>;
    log: Logger;
  },
) {
  const { database, bus, processes, log } = parts;
  const messageId = row.message_id;
  const kept: AnswerPart[] = [];
  const readers = new Set<RunReader>();
  const done = Promise.withResolvers<void>();
  let isEnded = false;
  let stopFollowing: (() => void) | undefined;
  let loading: Promise<void> | undefined;
  let isAskedAgain = false;

  const say = (what: RunWord['say']) =>
    void bus.publish(runChannel, JSON.stringify({ say: what, run: messageId, by: processes.id }));

  async function loadNew(): Promise<void> {
    // The end is looked for first: what was written before it is then in the parts.
    const now = await database
      .selectFrom('runs')
      .select(['has_ended', (row) => row('owner', 'in', processes.living()).as('lives')])
      .where('message_id', '=', messageId)
      .executeTakeFirst();
    const rows = await database
      .selectFrom('run_parts')
      .select(['first', 'parts'])
      .where('message_id', '=', messageId)
      .where('first', '>=', kept.length)
      .orderBy('first')
      .execute();
    for (const { first, parts: json } of rows) {
      // A batch that is not there yet comes with the next look.
      if (first !== kept.length) break;
      kept.push(...(JSON.parse(json) as AnswerPart[]));
    }
    if (now?.has_ended === 1) end();
    else if (!now) endDeleted();
    else if (!now.lives) end(new Error('The process of this answer is gone'));
    for (const reader of readers) reader.wake();
  }

  /** One look at a time; a word that comes meanwhile asks for another. */
  function load(): Promise<void> {
    if (loading) {
      isAskedAgain = true;
      return loading;
    }
    loading = loadNew().finally(() => {
      loading = undefined;
      if (!isAskedAgain) return;
      isAskedAgain = false;
      look();
    });
    return loading;
  }
  const look = () => {
    load().catch((err: unknown) => log.warn({ err }, 'an answer of another process was not read'));
  };

  function closeText(): void {
    const isOpen =
      kept.findLastIndex((part) => part.type === 'text-start') >
      kept.findLastIndex((part) => part.type === 'text-end');
    if (isOpen) kept.push({ type: 'text-end', id: '0' });
  }

  /** Its conversation was deleted: it ends for its readers as it does where it is made. */
  function endDeleted(): void {
    if (isEnded) return;
    closeText();
    kept.push(...stoppedParts(row.thread_id));
    end();
  }

  function end(failure?: Error): void {
    if (isEnded) return;
    if (failure) {
      closeText();
      const body = toErrorBody(
        new DocentError('unavailable', 'The answer was cut off on our side. Please ask again.', {
          cause: failure,
          retryAfter: 1,
        }),
        messageId,
      );
      kept.push({ type: 'error', errorText: JSON.stringify(body) });
      log.warn({ messageId }, 'an answer ended with its process');
    }
    isEnded = true;
    stopFollowing?.();
    done.resolve();
  }

  function follow(): void {
    if (stopFollowing || isEnded) return;
    const unsubscribe = bus.subscribe(runChannel, (payload) => {
      const word = JSON.parse(payload) as RunWord;
      if (word.run === messageId && word.say === 'news') look();
    });
    const beat = setInterval(() => {
      say('read');
      look();
    }, beatMs).unref();
    stopFollowing = () => {
      unsubscribe();
      clearInterval(beat);
      stopFollowing = undefined;
    };
    say('read');
    look();
  }

  return {
    messageId,
    threadId: row.thread_id,
    forSdk: row.for_sdk === 1,
    first: 0,
    get next() {
      return kept.length;
    },
    get isEnded() {
      return isEnded;
    },
    part: (index: number): AnswerPart => kept[index] as AnswerPart,
    load,
    attach(reader: RunReader): void {
      readers.add(reader);
      follow();
      reader.wake();
    },
    detach(reader: RunReader, hasAll: boolean): void {
      if (!readers.delete(reader)) return;
      if (hasAll) {
        say('has all');
        database
          .updateTable('runs')
          .set({ was_delivered: 1 })
          .where('message_id', '=', messageId)
          .execute()
          .catch((err: unknown) => log.warn({ err }, 'a delivery was not noted'));
      } else if (readers.size === 0) say('left');
      if (readers.size === 0) stopFollowing?.();
    },
    moved(): void {},

    /** Asks the owner to end it; settles when it has, its turn stored. */
    async end(): Promise<void> {
      follow();
      say('stop');
      await done.promise;
    },
  } satisfies ReadableRun & Record<string, unknown>;
}
