import { PostgresAdapter, sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * Makes transactions that take the lock of this name run one after the other. On SQLite, write
 * transactions do that anyway.
 */
export async function lockUntilCommit(transaction: Database, name: string): Promise<void> {
  if (!(transaction.getExecutor().adapter instanceof PostgresAdapter)) return;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
}
