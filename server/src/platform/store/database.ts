import type { Kysely } from 'kysely';
import type { Logger } from '../log.ts';
import type { Bus } from './bus.ts';
import { type DatabaseClock, testClock } from './clock.ts';
import { openSqlite } from './sqlite.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;

/** The database with all that differs between one file for one process and a server for many. */
export interface Store {
  database: Database;
  /** Whether other server processes may use the same database. */
  isShared: boolean;
  clock: DatabaseClock;
  /** Words between processes: hints to look, never the only copy of anything. */
  bus: Bus;
  close: () => Promise<void>;
}

export interface StoreOptions {
  /** Where the SQLite file is; `:memory:` for tests. */
  dataFolder: string;
  /** A PostgreSQL server instead. It holds a password: it goes into no message and no log. */
  databaseUrl?: string | undefined;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Tests set the clock; otherwise it's the database's. */
  now?: (() => Date) | undefined;
}

/** Opens the database, and brings its tables up to date. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { now } = options;
  const store = await open(options);
  return now ? { ...store, clock: testClock(now) } : store;
}

async function open({ dataFolder, databaseUrl, log }: StoreOptions): Promise<Store> {
  if (databaseUrl === undefined) return openSqlite(dataFolder, log);
  // Loaded only where it is used: it costs the start of every other command.
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(databaseUrl, log);
}
