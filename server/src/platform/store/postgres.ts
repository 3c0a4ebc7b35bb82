import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely';
import pg, { type Pool, type PoolClient } from 'pg';
import { DocentError, DatabaseUnavailable } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { DatabaseClock, Store } from './database.ts';
import { migrate, type Schema } from './migrate.ts';
import { createPostgresBus } from './postgres-bus.ts';
import type { Tables } from './tables.ts';
import { toStorable } from './sqlite.ts';

/** Prepared statements of each connection: far more than there are queries in the source. */
const preparedMost = 300;

/** Kysely over a pool of `pg`, with the same behavior as our SQLite. */
function createPostgresDialect(pool: Pool): PostgresDialect {
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
function isStaleStatement(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError &&
    error.code === '0A000' &&
    error.routine === 'RevalidateCachedQuery'
  );
}

/** Connections of one process. Servers usually allow a hundred. */
const poolSize = 10;
const connectMs = 5_000;
/** The database ends longer statements. No query of ours comes near. */
const statementMs = 15_000;
/** The client gives up later than the database, in case the network fails. */
const silenceMs = 20_000;

/** As in SQLite, sums and counts are numbers, and booleans are 0 or 1. */
const parsers: Record<number, (text: string) => number> = {
  [pg.types.builtins.INT8]: Number,
  [pg.types.builtins.NUMERIC]: Number,
  [pg.types.builtins.BOOL]: (text) => (text === 't' ? 1 : 0),
};

const types: pg.CustomTypesConfig = {
  getTypeParser: ((type: number, format?: 'text' | 'binary') =>
    parsers[type] ??
    pg.types.getTypeParser(type, format as 'text')) as pg.CustomTypesConfig['getTypeParser'],
};

const postgresClock: DatabaseClock = (seconds = 0) =>
  sql<string>`to_char((clock_timestamp() + make_interval(secs => ${seconds})) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

export async function openPostgres(
  schema: Schema,
  databaseUrl: string,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<Store> {
  const connection: pg.ClientConfig = {
    connectionString: databaseUrl,
    application_name: 'docent',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    types,
  };
  await bringUpToDate(schema, connection);

  const pool = createPool({
    ...connection,
    max: poolSize,
    idleTimeoutMillis: 60_000,
    query_timeout: silenceMs,
    // PgBouncer refuses connections that ask for these when they start.
    onConnect: (client) =>
      client.query(
        `set statement_timeout = ${statementMs}; set idle_in_transaction_session_timeout = ${statementMs}`,
      ),
  });
  pool.on('error', (err) => log.warn({ err }, 'a connection to the database was lost'));
  const database = new Kysely<Tables>({ dialect: createPostgresDialect(pool) });
  const bus = createPostgresBus({ database, connection, log });
  return {
    database,
    isShared: true,
    clock: postgresClock,
    bus,
    async close() {
      await bus.close();
      await database.destroy();
    },
  };
}

/** On a separate connection, because a large table may take longer than any request may. */
async function bringUpToDate(schema: Schema, connection: pg.ClientConfig): Promise<void> {
  const pool = createPool({ ...connection, max: 1 });
  const database = new Kysely<Tables>({ dialect: createPostgresDialect(pool) });
  try {
    await pool.query('select 1').catch((cause: unknown) => {
      throw notReached(connection, cause);
    });
    await migrate(database, schema);
  } finally {
    await pool.end();
  }
}

function createPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  // Without a listener, a connection that breaks while it's in use would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  // The pool replaces an idle connection that breaks.
  pool.on('error', () => {});
  return pool;
}

/** One sentence for the admin. It names the address and never the password. */
function notReached({ connectionString }: pg.ClientConfig, cause: unknown): DocentError {
  const { host, port, database } = new pg.Client({ connectionString });
  return new DocentError(
    'unavailable',
    `PostgreSQL at ${host}:${port}, database "${database}", cannot be used: ${reasonOf(cause)}. Check DATABASE_URL and that the database is running.`,
    { cause },
  );
}

function reasonOf(cause: unknown): string {
  // An error without a message contains the errors of a host's addresses.
  const error = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause;
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}
