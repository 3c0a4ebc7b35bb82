import { sql } from 'kysely';
import type { Database, Store } from './database.ts';

/**
 * What follows in this transaction happens in one process at a time, for those who take the lock of
 * this name. A transaction on SQLite has the whole database to itself already.
 */
export async function lockUntilCommit(
  transaction: Database,
  { isShared }: Pick<Store, 'isShared'>,
  name: string,
): Promise<void> {
  if (!isShared) return;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
}
