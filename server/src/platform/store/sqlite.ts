import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { DocentError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { createLocalBus } from './bus.ts';
import { sqliteClock } from './clock.ts';
import type { Store } from './database.ts';
import { migrate } from './migrate.ts';
import { createSqliteDialect } from './sqlite-dialect.ts';
import type { Tables } from './tables.ts';

/** How long a process waits while another brings the database up to date. */
const migrationMs = 60_000;

/** Opens (and makes, where it is new) the database in a data folder; `:memory:` for tests. */
export async function openSqlite(dataFolder: string, log: Pick<Logger, 'warn'>): Promise<Store> {
  if (dataFolder === ':memory:') return open(dataFolder, log);
  mkdirSync(dataFolder, { recursive: true });
  // Of several processes that find it new or out of date, one brings it up to date, the others wait.
  const lock = holdLock(join(dataFolder, 'migration.lock'), migrationMs);
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
 * Makes this process the one server of a data folder until `release` is called or it dies. The
 * command line opens the database without it.
 */
export function lockDataFolder(dataFolder: string): Lock {
  if (dataFolder === ':memory:') return { release() {} };
  mkdirSync(dataFolder, { recursive: true });
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

interface Lock {
  release(): void;
}

/** SQLite's own lock on a file of its own, which the kernel frees even after kill -9. */
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
