import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import type { Logger } from '../log.ts';
import { retry, type RetryPolicy } from '../network/retry.ts';
import { type Bus, createDelivery } from './bus.ts';
import type { Database } from './database.ts';

/** One channel of PostgreSQL carries all of ours, because only the process knows who subscribed. */
const postgresChannel = 'docent';

const pingMs = 15_000;
const pingTimeoutMs = 5_000;
const reconnectPolicy: RetryPolicy = { attempts: Infinity, baseMs: 100, capMs: 5_000 };

/** The JSON of a notice. PostgreSQL delivers equal notices of a transaction once, so each has a number. */
type Notice = [sender: string, number: number, channel: string, payload: string];

/**
 * `LISTEN` on a separate connection, and `NOTIFY` over the pool. PostgreSQL takes less than 8,000 bytes in
 * a notice, so payloads must be short.
 */
export function createPostgresBus(deps: {
  database: Database;
  connection: pg.ClientConfig;
  log: Pick<Logger, 'info' | 'warn'>;
}) {
  const { database, connection, log } = deps;
  const { deliver, subscribe, gap, onGap } = createDelivery(log);
  const sender = randomUUID();
  let sent = 0;
  let waiting: string[] = [];
  let sending: Promise<void> | undefined;
  let client: pg.Client | undefined;
  const closing = new AbortController();

  /** Sends everything that waits in one statement, so a busy process sends few. */
  async function send(): Promise<void> {
    while (waiting.length > 0) {
      const notices = waiting;
      waiting = [];
      try {
        await sql`select pg_notify(${postgresChannel}, notice) from unnest(${notices}::text[]) with ordinality as sent(notice, number) order by number`.execute(
          database,
        );
      } catch (err) {
        log.warn({ err, notices: notices.length }, "other processes couldn't be notified");
      }
    }
    sending = undefined;
  }

  function receive(text: string): void {
    const [from, , channel, payload] = JSON.parse(text) as Notice;
    if (from !== sender) deliver(channel, payload);
  }

  async function connect(isFirst: boolean): Promise<void> {
    const next = new pg.Client({ ...connection, application_name: 'docent bus' });
    const ping = setInterval(() => {
      next.query({ text: 'select 1', query_timeout: pingTimeoutMs } as pg.QueryConfig).catch(lost);
    }, pingMs).unref();
    let isLost = false;
    function lost(err?: unknown): void {
      if (isLost) return;
      isLost = true;
      clearInterval(ping);
      next.end().catch(() => {});
      if (closing.signal.aborted) return;
      if (client === next) log.warn({ err }, 'the connection to other processes was lost');
      client = undefined;
      void reconnect();
    }
    next.on('error', lost).on('end', () => lost());
    next.on('notification', ({ payload }) => {
      if (payload !== undefined) receive(payload);
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
    if (closing.signal.aborted || isLost) return;
    client = next;
    if (!isFirst) {
      log.info('the connection to other processes is back');
      gap();
    }
  }

  async function reconnect(): Promise<void> {
    const options = { policy: reconnectPolicy, isRetryable: () => true, signal: closing.signal };
    await retry(() => connect(false), options).catch(() => {});
  }

  return {
    publish(channel, payload) {
      deliver(channel, payload);
      waiting.push(JSON.stringify([sender, sent++, channel, payload] satisfies Notice));
      return (sending ??= send());
    },
    subscribe,
    onGap,
    listen: () => connect(true),
    async close() {
      closing.abort();
      await sending;
      await client?.end();
    },
  } satisfies Bus & { close(): Promise<void> };
}
