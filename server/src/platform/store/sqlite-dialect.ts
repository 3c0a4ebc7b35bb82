import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  type QueryCompiler,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  SqliteQueryCompiler,
} from 'kysely';
import { DocentError } from '../errors.ts';

/** Statements kept compiled; far more than there are queries in the source. */
const cacheSize = 200;
/** How long a write waits for another process's. */
const busyMs = 5_000;

/** Kysely over Node's own SQLite: one file, nothing to install. `:memory:` in tests. */
export function createSqliteDialect(file: string): SqliteDialect {
  const database = new DatabaseSync(file, { timeout: busyMs });
  // WAL: readers never wait for the writer. NORMAL: what was acknowledged survives the death of the
  // process; only a loss of power may take the last transactions with it.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
  // What is deleted is overwritten, so that a reader who is forgotten is not found in the file.
  database.exec('PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;');
  const compiled = new Map<string, ReturnType<typeof toKyselyStatement>>();

  return new ImmediateDialect({
    database: {
      close: () => database.close(),
      prepare(sql) {
        const known = compiled.get(sql);
        if (known) return known;
        const statement = toKyselyStatement(database.prepare(sql));
        if (compiled.size >= cacheSize) compiled.clear();
        // A statement compiled before the schema changed is compiled again by SQLite itself.
        compiled.set(sql, statement);
        return statement;
      },
    },
  });
}

type Settings = ConstructorParameters<typeof SqliteDialect>[0];

/**
 * Transactions take the write lock when they begin. One that reads first and writes later would fail,
 * not wait, where another process (the command line) wrote in between.
 */
class ImmediateDialect extends SqliteDialect {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    super(settings);
    this.#settings = settings;
  }

  override createDriver(): Driver {
    return new ImmediateDriver(this.#settings);
  }

  override createAdapter(): DialectAdapter {
    return new TransactionalAdapter();
  }

  override createQueryCompiler(): QueryCompiler {
    return new LocklessCompiler();
  }
}

/** A transaction here has the whole database to itself: `for update` and `skip locked` are met, and not known. */
class LocklessCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(): void {}
}

/** SQLite changes tables in transactions too: a migration that fails leaves nothing. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

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
    throw new DocentError('unavailable', 'The database is busy. Please try again in a moment.', {
      cause,
      retryAfter: 1,
    });
  }
}

/**
 * What both databases can keep: PostgreSQL takes no character NUL in a text, so neither gets one. The
 * sign that stands in its place is the one for characters that cannot be shown.
 */
export function toStorable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0')
    ? value.replaceAll('\0', '\uFFFD')
    : value;
}
