import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  type SelectModifierNode,
  SqliteAdapter,
  type SqliteDialectConfig,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import { DocentError, DatabaseUnavailable } from '../errors.ts';
import type { Logger } from '../log.ts';
import { createLocalBus } from './bus.ts';
import { openDataFolder } from './data-folder.ts';
import type { DatabaseClock, Store } from './database.ts';
import { migrate, type Schema } from './migrate.ts';
import type { Tables } from './tables.ts';

/** Compiled statements: far more than there are queries in the source. */
const cacheSize = 200;
const busyMs = 5_000;

/** Kysely over Node's own SQLite: one file, nothing to install. `:memory:` in tests. */
function createSqliteDialect(file: string): Dialect {
  const database = new DatabaseSync(file, { timeout: busyMs });
  // WAL: readers never wait for the writer. NORMAL: what was acknowledged survives the death of the
  // process; only a loss of power may take the last transactions with it.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
  // Deleted rows are overwritten, so that nobody finds a forgotten reader in the file.
  database.exec('PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;');
  const compiled = new Map<string, ReturnType<typeof toKyselyStatement>>();

  const settings: SqliteDialectConfig = {
    database: {
      close: () => database.close(),
      prepare(sql) {
        const known = compiled.get(sql);
        if (known) return known;
        const statement = toKyselyStatement(database.prepare(sql));
        // Each answer asks twenty times, so the order of use would cost more than it saves.
        if (compiled.size >= cacheSize) compiled.clear();
        // A statement compiled before the schema changed is compiled again by SQLite itself.
        compiled.set(sql, statement);
        return statement;
      },
    },
  };
  return {
    createDriver: () => new ImmediateDriver(settings),
    createAdapter: () => new TransactionalAdapter(),
    createQueryCompiler: () => new LocklessCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** A transaction has the whole database to itself, so it needs no `for update` and `skip locked`. SQLite doesn't know them. */
class LocklessCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === 'Distinct') super.visitSelectModifier(node);
  }
}

/** SQLite also changes tables in transactions, so a migration that fails leaves nothing. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * Transactions take the write lock when they begin. Otherwise, one that reads first and writes later would
 * fail if another process, such as the command line, wrote in between.
 */
class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }
}

function toKyselyStatement(statement: StatementSync) {
  const values = (parameters: readonly unknown[]) => parameters.map(toStorable) as SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters: readonly unknown[]) => waiting(() => statement.all(...values(parameters))),
    run: (parameters: readonly unknown[]) => waiting(() => statement.run(...values(parameters))),
    iterate: (parameters: readonly unknown[]) => statement.iterate(...values(parameters)),
  };
}

/** SQLite's codes for a file that another process holds. */
const isBusy = (code: unknown) => typeof code === 'number' && [5, 6].includes(code & 0xff);

function waiting<Result>(execute: () => Result): Result {
  try {
    return execute();
  } catch (cause) {
    if (!isBusy((cause as { errcode?: unknown }).errcode)) throw cause;
    throw new DatabaseUnavailable('The database is busy. Please try again in a moment.', {
      cause,
      retryAfter: 1,
    });
  }
}

/** PostgreSQL doesn't accept the character NUL in a text, so both databases get U+FFFD instead. */
export function toStorable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0')
    ? value.replaceAll('\0', '\uFFFD')
    : value;
}

const sqliteClock: DatabaseClock = (seconds = 0) =>
  sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${`${seconds} seconds`})`;

/** How long a process waits while another one migrates the database. */
const migrationMs = 60_000;

/** Opens the database in a data folder (`data-folder.ts`). Tests use `:memory:`. */
export async function openSqlite(
  schema: Schema,
  dataFolder: string,
  log: Pick<Logger, 'warn'>,
): Promise<Store> {
  if (dataFolder === ':memory:') return open(schema, dataFolder, log);
  openDataFolder(dataFolder, { hasDatabase: true }, log);
  // If several processes find the database outdated, one migrates it and the others wait.
  const lock = lockMigration(dataFolder);
  try {
    return await open(schema, join(dataFolder, 'docent.db'), log);
  } finally {
    lock.release();
  }
}

async function open(schema: Schema, file: string, log: Pick<Logger, 'warn'>): Promise<Store> {
  const database = new Kysely<Tables>({ dialect: createSqliteDialect(file) });
  try {
    await migrate(database, schema);
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
