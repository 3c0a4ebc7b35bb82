import { sql } from 'kysely';
import type { Database } from '../store/database.ts';

/** Milliseconds on a clock that does not step. */
export type SteadyClock = () => number;

/**
 * A clock for short windows. The machine's is set back and forth, by people and by time servers; that
 * must neither lock readers out nor let everyone in. This one reads the time once and then counts on
 * by itself. Processes that share a database read it there, so that they agree.
 */
export async function createSteadyClock(
  database: Database,
  isShared: boolean,
): Promise<SteadyClock> {
  let origin = performance.timeOrigin;
  if (isShared) {
    const before = performance.now();
    const { rows } = await sql<{ ms: string | number }>`
      select extract(epoch from clock_timestamp()) * 1000 as ms`.execute(database);
    const halfway = (before + performance.now()) / 2;
    origin = Number(rows[0]?.ms) - halfway;
  }
  return () => origin + performance.now();
}
