import { sql } from 'kysely';
import type { Database, Store } from './database.ts';

/**
 * Makes transactions that take the lock of this name run one after the other. On SQLite, write
 * transactions do that anyway.
 */
export async function lockUntilCommit(
  transaction: Database,
  { isShared }: Pick<Store, 'isShared'>,
  name: string,
): Promise<void> {
  if (!isShared) return;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
}
