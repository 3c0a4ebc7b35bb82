import { Kysely } from 'kysely';
import pg from 'pg';
import { DocentError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { postgresClock } from './clock.ts';
import type { Store } from './database.ts';
import { migrate } from './migrate.ts';
import { createPostgresBus } from './postgres-bus.ts';
import { createPostgresDialect } from './postgres-dialect.ts';
import type { Tables } from './tables.ts';

/** Connections of one process. Servers usually allow a hundred. */
const poolSize = 10;
/** How long a request waits for a connection. */
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

export async function openPostgres(
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
  await bringUpToDate(connection);

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
async function bringUpToDate(connection: pg.ClientConfig): Promise<void> {
  const pool = createPool({ ...connection, max: 1 });
  const database = new Kysely<Tables>({ dialect: createPostgresDialect(pool) });
  try {
    await pool.query('select 1').catch((cause: unknown) => {
      throw notReached(connection, cause);
    });
    await migrate(database);
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
