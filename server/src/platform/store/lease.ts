/**
 * Leases on rows: a process claims a row and renews its claim while it lives; after that, another
 * process takes over. Every lease has the columns `owner` and `lease_until`, and runs on the
 * database's clock.
 *
 * A lease says who may begin. A holder that was suspended doesn't know that its lease is over, so what
 * it writes at the end must still name its claim: the `owner`, or a number that grows with each claim.
 */
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { engineOf } from './columns.ts';
import type { Store, Database } from './database.ts';

export function createLease({ clock }: Pick<Store, 'clock'>, seconds: number) {
  const until = (table: string) => sql.ref<string | null>(`${table}.lease_until`);

  return {
    /** Columns to set when a row is claimed. Use it with `isFree`, in one statement. */
    claim: <Owner extends string>(owner: Owner) => ({ owner, lease_until: clock(seconds) }),

    renew: () => ({ lease_until: clock(seconds) }),

    isHeld: (table: string): RawBuilder<SqlBool> =>
      sql<SqlBool>`(${until(table)} is not null and ${until(table)} > ${clock()})`,

    /** Whether the row was never claimed, was released, or was left by a process that died. */
    isFree: (table: string): RawBuilder<SqlBool> =>
      sql<SqlBool>`(${until(table)} is null or ${until(table)} <= ${clock()})`,
  };
}

/** Columns to set when the work is done, or given back. */
export const released = { owner: null, lease_until: null } as const;

/**
 * Makes transactions that take the lock of this name run one after the other. On SQLite, write
 * transactions do that anyway.
 */
export async function lockUntilCommit(transaction: Database, name: string): Promise<void> {
  if (engineOf(transaction) === 'sqlite') return;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
}
