import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { DocentError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { createLocalBus } from './bus.ts';
import { sqliteClock } from './clock.ts';
import { openDataFolder } from './data-folder.ts';
import type { Store } from './database.ts';
import { migrate } from './migrate.ts';
import { createSqliteDialect } from './sqlite-dialect.ts';
import type { Tables } from './tables.ts';

/** How long a process waits while another one migrates the database. */
const migrationMs = 60_000;

/** Opens the database in a data folder (`data-folder.ts`). Tests use `:memory:`. */
export async function openSqlite(dataFolder: string, log: Pick<Logger, 'warn'>): Promise<Store> {
  if (dataFolder === ':memory:') return open(dataFolder, log);
  openDataFolder(dataFolder, { hasDatabase: true }, log);
  // If several processes find the database outdated, one migrates it and the others wait.
  const lock = lockMigration(dataFolder);
  try {
    return await open(join(dataFolder, 'docent.db'), log);
  } finally {
    lock.release();
  }
}

async function open(file: string, log: Pick<Logger, 'warn'>): Promise<Store> {
  const database = new Kysely<Tables>({ dialect: createSqliteDialect(file) });
  try {
    await migrate(database);
  } catch (error) {
    await database.destroy();
    throw error;
  }
  return {
    database,
    isShared: false,
    clock: sqliteClock,
    bus: createLocalBus(log),
    close: () => database.destroy(),
  };
}

/**
 * Makes this process the only server of a data folder, until `release` is called or the process dies.
 * Commands open the database without this lock.
 */
export function lockDataFolder(dataFolder: string, log: Pick<Logger, 'warn'>): Lock {
  if (dataFolder === ':memory:') return { release() {} };
  openDataFolder(dataFolder, { hasDatabase: true }, log);
  try {
    return holdLock(join(dataFolder, 'server.lock'), 0);
  } catch (cause) {
    throw new DocentError(
      'conflict',
      `Another Docent server already uses the data folder ${dataFolder}; stop it, or set another \`server.dataFolder\`.`,
      { cause },
    );
  }
}

/** Keeps other processes from opening the database for the first time, until `release` is called. */
export function lockMigration(dataFolder: string): Lock {
  return holdLock(join(dataFolder, 'migration.lock'), migrationMs);
}

interface Lock {
  release(): void;
}

/** A SQLite lock on a separate file. The kernel frees it even after `kill -9`. */
function holdLock(file: string, waitMs: number): Lock {
  const lock = new DatabaseSync(file, { timeout: waitMs });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw error;
  }
  return { release: () => lock.close() };
}
