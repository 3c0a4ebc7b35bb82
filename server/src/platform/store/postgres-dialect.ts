import { PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg, { type Pool, type PoolClient } from 'pg';
import { DatabaseUnavailable, DocentError } from '../errors.ts';
import { toStorable } from './sqlite-dialect.ts';

/** Prepared statements of each connection: far more than there are queries in the source. */
const preparedMost = 300;

/** Kysely over a pool of `pg`, with the same behavior as our SQLite. */
export function createPostgresDialect(pool: Pool): PostgresDialect {
  const statements = new Map<string, string>();
  const clients = new WeakMap<PoolClient, PostgresPoolClient>();

  /** Queries without parameters, such as `begin`, aren't prepared, which saves messages. */
  function nameOf(sql: string, parameters: readonly unknown[]): string | undefined {
    const known = statements.get(sql);
    if (known !== undefined || parameters.length === 0 || statements.size >= preparedMost) {
      return known;
    }
    const name = `docent_${statements.size}`;
    statements.set(sql, name);
    return name;
  }

  function toKyselyClient(client: PoolClient): PostgresPoolClient {
    let isBroken = false;
    async function query(sql: string, parameters: readonly unknown[]) {
      const values = parameters.map(toStorable);
      const name = nameOf(sql, parameters);
      try {
        return await client.query({ ...(name !== undefined && { name }), text: sql, values });
      } catch (error) {
        // Another version of Docent changed the table, so this connection's plans are invalid.
        const isStale = isStaleStatement(error);
        const isInTransaction = client.getTransactionStatus() !== 'I';
        const known = toStoreError(error);
        isBroken ||= isStale || known !== error;
        if (isStale && !isInTransaction) return client.query({ text: sql, values });
        throw known;
      }
    }
    return {
      // No query of ours uses a cursor.
      query: query as unknown as PostgresPoolClient['query'],
      release(discard) {
        client.release(discard === true || isBroken);
      },
    };
  }

  const kyselyPool: PostgresPool = {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect().catch((error: unknown) => {
        throw toStoreError(error);
      });
      const known = clients.get(client) ?? toKyselyClient(client);
      clients.set(client, known);
      return known;
    },
  };
  return new PostgresDialect({ pool: kyselyPool });
}

/**
 * SQLSTATE codes of errors that pass: connection lost (08), no resources (53), a server that starts or
 * stops and a statement that took too long (57), a standby (25006), and conflicting transactions (40,
 * 55P03).
 */
const passing = /^(08|53|57|40)...$|^(25006|55P03)$/;

/** Turns an error of pg into one for callers. Our own mistakes, such as a wrong query, stay as they are. */
export function toStoreError(error: unknown): unknown {
  // An error that isn't the database's is the connection's: refused, cut, timed out.
  const isPassing = error instanceof pg.DatabaseError ? passing.test(error.code ?? '') : true;
  if (!isPassing || error instanceof DocentError) return error;
  return new DatabaseUnavailable(
    'The database cannot be reached at the moment. Please try again shortly.',
    { cause: error, retryAfter: 2 },
  );
}

/** Whether a prepared `select *` failed because its table has a new column. */
export function isStaleStatement(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError &&
    error.code === '0A000' &&
    error.routine === 'RevalidateCachedQuery'
  );
}
