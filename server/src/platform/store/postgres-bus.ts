import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import type { Logger } from '../log.ts';
import { type Bus, createDelivery } from './bus.ts';
import type { Database } from './database.ts';

/** One for all: who listens to what is known in the process. */
const postgresChannel = 'docent';
/** PostgreSQL takes less than 8,000 bytes at a time. */
const noticeMaxBytes = 7_900;
/** A piece of a longer word; one character may take six bytes as JSON. */
const pieceLength = 1_200;

const pingMs = 15_000;
const pingPatienceMs = 5_000;
const firstRetryMs = 100;
const lastRetryMs = 5_000;

/** What travels: JSON of the speaker, its count of words, the channel, and the payload or a piece of it. */
type Notice = [
  speaker: string,
  word: number,
  channel: string,
  text: string,
  piece: number,
  pieces: number,
];

/** `LISTEN` and `NOTIFY`: a connection of its own hears, the pool speaks. */
export function createPostgresBus(deps: {
  database: Database;
  connection: pg.ClientConfig;
  log: Pick<Logger, 'info' | 'warn'>;
}) {
  const { database, connection, log } = deps;
  const { deliver, subscribe, gap, onGap } = createDelivery(log);
  const speaker = randomUUID();
  let words = 0;
  let waiting: string[] = [];
  let sending: Promise<void> | undefined;
  const incomplete = new Map<string, string[]>();
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;

  /** What is said while a statement is under way goes with the next one: a busy process sends few. */
  async function send(): Promise<void> {
    while (waiting.length > 0) {
      const notices = waiting;
      waiting = [];
      try {
        await sql`select pg_notify(${postgresChannel}, notice) from unnest(${notices}::text[]) with ordinality as said(notice, place) order by place`.execute(
          database,
        );
      } catch (err) {
        log.warn({ err, notices: notices.length }, 'other processes could not be told');
      }
    }
    sending = undefined;
  }

  function hear(text: string): void {
    const [from, word, channel, piece, place, pieces] = JSON.parse(text) as Notice;
    if (from === speaker) return;
    if (pieces === 1) return deliver(channel, piece);
    const key = `${from} ${word}`;
    const got = incomplete.get(key) ?? [];
    got[place] = piece;
    incomplete.set(key, got);
    // They come in order, and together.
    if (place < pieces - 1) return;
    incomplete.delete(key);
    deliver(channel, got.join(''));
  }

  async function connect(isFirst: boolean): Promise<void> {
    const next = new pg.Client({ ...connection, application_name: 'docent bus' });
    const ping = setInterval(() => {
      next.query({ text: 'select 1', query_timeout: pingPatienceMs } as pg.QueryConfig).catch(lost);
    }, pingMs).unref();
    let isLost = false;
    function lost(err?: unknown): void {
      if (isLost) return;
      isLost = true;
      clearInterval(ping);
      next.end().catch(() => {});
      if (isClosed) return;
      if (client === next) log.warn({ err }, 'the connection to other processes was lost');
      client = undefined;
      again(firstRetryMs);
    }
    next.on('error', lost).on('end', () => lost());
    next.on('notification', ({ payload }) => {
      if (payload !== undefined) hear(payload);
    });
    try {
      await next.connect();
      await next.query(`listen ${postgresChannel}`);
    } catch (error) {
      isLost = true;
      clearInterval(ping);
      next.end().catch(() => {});
      throw error;
    }
    if (isClosed || isLost) return;
    client = next;
    incomplete.clear();
    if (!isFirst) {
      log.info('the connection to other processes is back');
      gap();
    }
  }

  function again(delayMs: number): void {
    retry = setTimeout(
      () => {
        connect(false).catch(() => {
          if (!isClosed) again(Math.min(delayMs * 2, lastRetryMs));
        });
      },
      delayMs * (0.5 + Math.random() / 2),
    ).unref();
  }

  return {
    publish(channel, payload) {
      deliver(channel, payload);
      waiting.push(...toNotices([speaker, words++, channel, payload, 0, 1]));
      return (sending ??= send());
    },
    subscribe,
    onGap,
    listen: () => connect(true),
    async close() {
      isClosed = true;
      clearTimeout(retry);
      await sending;
      await client?.end();
    },
  } satisfies Bus & { close(): Promise<void> };
}

/** The word as one notice, or as several where it is too long for one. */
function toNotices(whole: Notice): string[] {
  const [speaker, word, channel, payload] = whole;
  const text = JSON.stringify(whole);
  if (Buffer.byteLength(text) <= noticeMaxBytes) return [text];
  const pieces = Math.ceil(payload.length / pieceLength);
  return Array.from({ length: pieces }, (_, piece) => {
    const part = payload.slice(piece * pieceLength, (piece + 1) * pieceLength);
    return JSON.stringify([speaker, word, channel, part, piece, pieces] satisfies Notice);
  });
}
