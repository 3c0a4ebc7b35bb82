import { type RawBuilder, sql } from 'kysely';

/** The database's clock, so many seconds from now, as the text that all times are: those of machines differ. */
export function databaseTime(isShared: boolean, seconds = 0): RawBuilder<string> {
  return isShared
    ? sql<string>`to_char((clock_timestamp() + make_interval(secs => ${seconds})) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${`${seconds} seconds`})`;
}
