import type { Kysely } from 'kysely';
import type { Logger } from '../log.ts';
import type { Bus } from './bus.ts';
import { openSqlite } from './sqlite.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;

/** The database with all that differs between one file for one process and a server for many. */
export interface Store {
  database: Database;
  /** Whether other server processes may use the same database. */
  isShared: boolean;
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
}

/** Opens the database, and brings its tables up to date. */
export async function openStore({ dataFolder, databaseUrl, log }: StoreOptions): Promise<Store> {
  if (databaseUrl === undefined) return openSqlite(dataFolder, log);
  // Loaded only where it is used: it costs the start of every other command.
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(databaseUrl, log);
}
