/**
 * Answers of this process, laid open for readers at the others. Their parts go into the database a few
 * times a second, those of all answers in one statement; nobody is told about them unless somebody
 * reads. Only where the database is shared.
 */
import type { Logger } from '../../log.ts';
import type { Bus } from '../../store/bus.ts';
import type { Database } from '../../store/database.ts';
import type { Processes } from '../../store/processes.ts';
import {
  createRemoteRun,
  leaseMs,
  type RemoteRun,
  runChannel,
  type RunWord,
} from './remote-run.ts';
import type { Run, RunReader } from './run.ts';

/** How long parts wait for their way into the database. */
const tickMs = 150;
/** A row whose process never deleted it: it died. */
const leftoverMs = 3_600_000;

export interface SharedRunsParts {
  database: Database;
  bus: Bus;
  processes: Pick<Processes, 'id' | 'living'>;
  now: () => Date;
  log: Logger;
}

/** How a run is found: see access.ts. */
export interface Claims {
  message: string;
  /** Or the question's. */
  chat: string | undefined;
}

/** By what an answer is looked for: our id, the chat's, or the question's own. */
export interface Sought {
  message?: string;
  chat?: string | undefined;
  question?: string;
}

interface Shared {
  run: Run;
  claims: Claims;
  startedAt: string;
  /** In the database are the row, the parts before this one, and the end. */
  hasRow: boolean;
  saved: number;
  hasEnd: boolean;
  hasDelivery: boolean;
  /** Readers at other processes, each with what makes it forgotten. */
  remote: Map<string, { reader: RunReader; timer: NodeJS.Timeout }>;
}

export type SharedRuns = ReturnType<typeof createSharedRuns>;

export function createSharedRuns(parts: SharedRunsParts) {
  const { database, bus, processes, now, log } = parts;
  const mine = new Map<string, Shared>();
  const dirty = new Set<Shared>();
  const forgotten = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let saving: Promise<void> | undefined;
  let isClosed = false;

  const saveSoon = () => {
    if (!isClosed) timer ??= setTimeout(save, tickMs);
  };
  const touch = (shared: Shared) => {
    dirty.add(shared);
    saveSoon();
  };

  function save(): void {
    timer = undefined;
    saving ??= write()
      .catch((err: unknown) => log.warn({ err }, 'answers could not be laid open'))
      .finally(() => {
        saving = undefined;
        if (dirty.size > 0 || forgotten.size > 0) saveSoon();
      });
  }

  async function write(): Promise<void> {
    const changed = [...dirty];
    dirty.clear();
    const gone = [...forgotten];
    forgotten.clear();
    const fresh = changed.filter((shared) => !shared.hasRow);
    const pieces = changed.flatMap((shared) => {
      const { run, saved } = shared;
      if (saved === run.next) return [];
      const list = Array.from({ length: run.next - saved }, (_, i) => run.part(saved + i));
      return [
        {
          shared,
          next: run.next,
          row: { message_id: run.messageId, first: saved, parts: JSON.stringify(list) },
        },
      ];
    });
    // What is not saved is not an answer lost: only who comes back to another process misses it.
    for (const shared of fresh) shared.hasRow = true;
    for (const { shared, next } of pieces) shared.saved = next;
    for (const { run } of changed) run.moved();
    // Said last, so that a reader who sees the end has all parts.
    const over = changed.filter(
      ({ run, hasEnd, saved }) => run.isEnded && saved === run.next && !hasEnd,
    );
    const delivered = changed.filter(({ run, hasDelivery }) => run.wasDelivered && !hasDelivery);
    for (const shared of over) shared.hasEnd = true;
    for (const shared of delivered) shared.hasDelivery = true;

    if (fresh.length > 0) await database.insertInto('runs').values(fresh.map(toRow)).execute();
    if (pieces.length > 0) {
      await database
        .insertInto('run_parts')
        .values(pieces.map(({ row }) => row))
        .execute();
    }
    const ids = (list: Shared[]) => list.map(({ run }) => run.messageId);
    if (over.length > 0) {
      const rows = database.updateTable('runs').set({ has_ended: 1 });
      await rows.where('message_id', 'in', ids(over)).execute();
    }
    if (delivered.length > 0) {
      const rows = database.updateTable('runs').set({ was_delivered: 1 });
      await rows.where('message_id', 'in', ids(delivered)).execute();
    }
    for (const { run, remote } of changed) {
      if (remote.size > 0) say({ say: 'news', run: run.messageId, by: processes.id });
    }
    if (gone.length > 0) {
      await database.deleteFrom('runs').where('message_id', 'in', gone).execute();
    }
  }

  function toRow({ run, claims, startedAt }: Shared) {
    return {
      message_id: run.messageId,
      message_claim: claims.message,
      chat_claim: claims.chat ?? null,
      thread_id: run.threadId,
      owner: processes.id,
      for_sdk: run.forSdk ? 1 : 0,
      started_at: startedAt,
      has_ended: 0,
      was_delivered: 0,
    };
  }

  const say = (word: RunWord) => void bus.publish(runChannel, JSON.stringify(word));

  const unsubscribe = bus.subscribe(runChannel, (payload) => {
    const word = JSON.parse(payload) as RunWord;
    const shared = mine.get(word.run);
    if (!shared || word.by === processes.id) return;
    if (word.say === 'stop') shared.run.end('stopped');
    else if (word.say === 'read') keepReading(shared, word.by);
    else if (word.say === 'left') leave(shared, word.by, false);
    else if (word.say === 'has all') leave(shared, word.by, true);
  });

  /** A reader at another process counts as one here, as long as it says so now and then. */
  function keepReading(shared: Shared, by: string): void {
    const known = shared.remote.get(by);
    if (known) clearTimeout(known.timer);
    const reader = known?.reader ?? {
      // It reads from the database.
      get position() {
        return shared.saved;
      },
      set position(_) {},
      wake() {},
    };
    const gone = setTimeout(() => leave(shared, by, false), leaseMs).unref();
    shared.remote.set(by, { reader, timer: gone });
    if (!known) shared.run.attach(reader);
    touch(shared);
  }

  function leave(shared: Shared, by: string, hasAll: boolean): void {
    const known = shared.remote.get(by);
    if (!known) return;
    clearTimeout(known.timer);
    shared.remote.delete(by);
    shared.run.detach(known.reader, hasAll);
  }

  return {
    /** Follows an answer of this process; call `touch` of what comes back at every change. */
    lay(
      run: Run,
      claims: Claims,
    ): { position: () => number; touch: () => void; forget: () => void } {
      const shared: Shared = {
        run,
        claims,
        startedAt: now().toISOString(),
        hasRow: false,
        saved: 0,
        hasEnd: false,
        hasDelivery: false,
        remote: new Map(),
      };
      mine.set(run.messageId, shared);
      let isForgotten = false;
      return {
        // What is forgotten while it is being made is not waited for.
        position: () => (isForgotten ? run.next : shared.saved),
        touch() {
          if (!isForgotten) touch(shared);
        },
        /** Nobody finds it any more, and nothing of it is written from here on. */
        forget() {
          isForgotten = true;
          mine.delete(run.messageId);
          dirty.delete(shared);
          for (const { timer: lease } of shared.remote.values()) clearTimeout(lease);
          if (shared.hasRow) forgotten.add(run.messageId);
          saveSoon();
        },
      };
    },

    /**
     * An answer of another process. By the chat's id only where it was not handed over; `several`
     * where more than one conversation has that id.
     */
    async find({ message, chat, question }: Sought): Promise<RemoteRun | 'several' | undefined> {
      const given = [chat, question].filter((claim) => claim !== undefined);
      const rows = await database
        .selectFrom('runs')
        .selectAll()
        .where((row) =>
          row.or([
            ...(message === undefined ? [] : [row('message_claim', '=', message)]),
            ...(given.length === 0 ? [] : [row('chat_claim', 'in', given)]),
          ]),
        )
        .orderBy('started_at', 'desc')
        .limit(10)
        .execute();
      const exact = rows.find(
        (row) => row.message_claim === message || row.chat_claim === question,
      );
      const [newest] = rows;
      if (!exact && new Set(rows.map((row) => row.thread_id)).size > 1) return 'several';
      const found = exact ?? newest;
      if (!found || found.owner === processes.id) return undefined;
      if (!exact && found.has_ended === 1 && found.was_delivered === 1) return undefined;
      const remote = createRemoteRun(found, { database, bus, processes, log });
      await remote.load();
      return remote;
    },

    async deleteLeftovers(): Promise<void> {
      const before = new Date(now().getTime() - leftoverMs).toISOString();
      await database.deleteFrom('runs').where('started_at', '<', before).execute();
    },

    /** Everything is written, for those who still read it elsewhere. The rows are deleted by another process. */
    async close(): Promise<void> {
      isClosed = true;
      unsubscribe();
      clearTimeout(timer);
      await saving;
      await write().catch((err: unknown) => log.warn({ err }, 'answers could not be laid open'));
    },
  };
}
