import { type Compilable, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Logger } from '../log.ts';
import type { Bus } from './bus.ts';
import { openDataFolder } from './data-folder.ts';
import type { Schema } from './migrate.ts';
import { openSqlite } from './sqlite.ts';
import type { Tables } from './tables.ts';

export type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;

/**
 * The database's clock, plus this many seconds, as an expression for a statement. Processes compare
 * times by it, because the clocks of their machines differ.
 */
export type DatabaseClock = (seconds?: number) => RawBuilder<string>;

/** A clock that a test sets, in the place of the database's. */
export const testClock =
  (now: () => Date): DatabaseClock =>
  (seconds = 0) =>
    sql<string>`${new Date(now().getTime() + seconds * 1000).toISOString()}`;

/** The database, and what differs between SQLite for one process and PostgreSQL for many. */
export interface Store {
  database: Database;
  /** Whether other server processes may use the same database. */
  isShared: boolean;
  clock: DatabaseClock;
  /** Messages between processes: hints, never the only copy of something. */
  bus: Bus;
  close: () => Promise<void>;
}

export interface StoreOptions {
  /** The folder of the SQLite file. Tests use `:memory:`. */
  dataFolder: string;
  /** A PostgreSQL server instead. Contains a password, so it must not appear in messages and logs. */
  databaseUrl?: string | undefined;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Tests set the clock; otherwise it's the database's. */
  now?: (() => Date) | undefined;
}

/** `open-store.ts` knows the schema. */
export async function openStoreWith(schema: Schema, options: StoreOptions): Promise<Store> {
  const { now } = options;
  const store = await open(schema, options);
  return now ? { ...store, clock: testClock(now) } : store;
}

/**
 * A query that's built once, for what each answer asks: building it takes longer than the database takes to
 * find a row. It's asked on a database or in a transaction, with its parameters in their order.
 */
export function createLookup<Row>(query: Compilable<Row>) {
  const compiled = query.compile();
  return async (on: Database, ...parameters: unknown[]): Promise<Row | undefined> =>
    (await on.executeQuery<Row>({ ...compiled, parameters })).rows[0];
}

async function open(
  schema: Schema,
  { dataFolder, databaseUrl, log }: StoreOptions,
): Promise<Store> {
  if (databaseUrl === undefined) return openSqlite(schema, dataFolder, log);
  if (dataFolder !== ':memory:') openDataFolder(dataFolder, { hasDatabase: false }, log);
  // Loaded only when it's used, because it takes time.
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(schema, databaseUrl, log);
}

/** As many values as every statement takes: SQLite allows 32,766 in all, PostgreSQL 65,535. */
const chunkSize = 5_000;

/** A list in pieces, for statements that take its values one by one. */
export function* chunksOf<Item>(items: readonly Item[], size = chunkSize): Generator<Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
