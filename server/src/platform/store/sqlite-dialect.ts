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
  type SelectModifierNode,
} from 'kysely';
import { DatabaseUnavailable } from '../errors.ts';

/** Compiled statements: far more than there are queries in the source. */
const cacheSize = 200;
/** How long a write waits for another process. */
const busyMs = 5_000;

/** Kysely over Node's own SQLite: one file, nothing to install. `:memory:` in tests. */
export function createSqliteDialect(file: string): SqliteDialect {
  const database = new DatabaseSync(file, { timeout: busyMs });
  // WAL: readers never wait for the writer. NORMAL: what was acknowledged survives the death of the
  // process; only a loss of power may take the last transactions with it.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
  // Deleted rows are overwritten, so that nobody finds a forgotten reader in the file.
  database.exec('PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;');
  const compiled = new Map<string, ReturnType<typeof toKyselyStatement>>();

  return new ImmediateDialect({
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
  });
}

type Settings = ConstructorParameters<typeof SqliteDialect>[0];

/**
 * Transactions take the write lock when they begin. Otherwise, one that reads first and writes later would
 * fail if another process, such as the command line, wrote in between.
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
