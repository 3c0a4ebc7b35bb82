import { type RawBuilder, sql } from 'kysely';

/**
 * The database's clock, plus this many seconds, as an expression for a statement. Processes compare
 * times by it, because the clocks of their machines differ.
 */
export type DatabaseClock = (seconds?: number) => RawBuilder<string>;

export const sqliteClock: DatabaseClock = (seconds = 0) =>
  sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${`${seconds} seconds`})`;

export const postgresClock: DatabaseClock = (seconds = 0) =>
  sql<string>`to_char((clock_timestamp() + make_interval(secs => ${seconds})) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** A clock that a test sets, in the place of the database's. */
export const testClock =
  (now: () => Date): DatabaseClock =>
  (seconds = 0) =>
    sql<string>`${new Date(now().getTime() + seconds * 1000).toISOString()}`;
