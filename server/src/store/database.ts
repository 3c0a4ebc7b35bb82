import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { DocentError } from '../errors.ts';
import { migrate } from './migrate.ts';
import { createSqliteDialect } from './sqlite-dialect.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;

/** Opens (and makes, where it is new) the database in a data folder; `:memory:` for tests. */
export async function openDatabase(dataFolder: string): Promise<Database> {
  const inMemory = dataFolder === ':memory:';
  if (!inMemory) mkdirSync(dataFolder, { recursive: true });
  const file = inMemory ? dataFolder : join(dataFolder, 'docent.db');
  const db = new Kysely<Tables>({ dialect: createSqliteDialect(file) });
  await migrate(db as unknown as Kysely<never>);
  return db;
}

/**
 * Makes this process the one server of a data folder until `release` is called or it dies: the lock
 * is SQLite's own on a file beside the database, so the kernel frees it even after kill -9. The
 * command line opens the database without it.
 */
export function lockDataFolder(dataFolder: string): { release(): void } {
  if (dataFolder === ':memory:') return { release() {} };
  mkdirSync(dataFolder, { recursive: true });
  const lock = new DatabaseSync(join(dataFolder, 'server.lock'));
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE;');
  } catch (cause) {
    lock.close();
    throw new DocentError(
      'conflict',
      `Another Docent server already uses the data folder ${dataFolder}; stop it, or set another \`server.dataFolder\`.`,
      { cause },
    );
  }
  return { release: () => lock.close() };
}
