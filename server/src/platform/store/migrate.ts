import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { DocentError } from '../errors.ts';
import { additionSql, type Columns, type Engine, engineOf, toSql } from './columns.ts';
import { lockUntilCommit } from './lease.ts';
import type { Tables } from './tables.ts';

/** Everything in the database. */
export interface Schema {
  tables: Readonly<Record<string, Columns>>;
  /** One statement each. */
  indexes: readonly string[];
  triggers: Readonly<Record<Engine, readonly string[]>>;
}

type Migrate = (database: Kysely<never>, schema: Schema) => Promise<void>;

/**
 * All tables of 1.0. Until 1.0 is released, it makes the tables as they are declared. Then its SQL is
 * written here, and each change is a migration with the next number: a released one never changes.
 */
async function start(db: Kysely<never>, { tables, indexes, triggers }: Schema): Promise<void> {
  const engine = engineOf(db);
  const statements = [...toSql(tables, engine), ...indexes, ...triggers[engine]];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** Each runs once, in the order of the names. There is no way back. */
export const migrations: Readonly<Record<string, Migrate>> = { '0001-start': start };

/** Brings the tables up to date. When several processes start together, one does it and the others wait. */
export async function migrate(
  database: Kysely<Tables>,
  schema: Schema,
  all: Readonly<Record<string, Migrate>> = migrations,
): Promise<void> {
  const ready = Object.entries(all).map(([name, run]) => [
    name,
    { up: (db: Kysely<never>) => run(db, schema) },
  ]);
  const migrator = new Migrator({
    db: database as unknown as Kysely<never>,
    provider: { getMigrations: async () => Object.fromEntries(ready) },
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error instanceof DocentError) throw error;
  if (error instanceof Error && /executed migration \S+ is missing/.test(error.message)) {
    throw new DocentError(
      'conflict',
      'A newer version of Docent upgraded the database. Run that version, or restore a backup from before the upgrade.',
      { cause: error },
    );
  }
  if (error) throw new Error('The database could not be brought up to date', { cause: error });
  const isNew = results?.some(({ migrationName }) => migrationName === '0001-start');
  if (!isNew) await addMissing(database, schema);
}

/**
 * Until 1.0, builds declare new tables and columns without a migration, so a database of an earlier build
 * gets them here. Rejects with `conflict` where that can't be done without inventing values: a new column
 * that is never null, or an old one that must have a value and isn't declared anymore, as after a renaming.
 */
async function addMissing(database: Kysely<Tables>, schema: Schema): Promise<void> {
  if ((await missing(database, schema)).length === 0) return;
  await database.transaction().execute(async (transaction) => {
    // Processes that start together on PostgreSQL. On SQLite, `migration.lock` holds the others.
    await lockUntilCommit(transaction, 'tables');
    for (const statement of await missing(transaction, schema))
      await sql.raw(statement).execute(transaction);
  });
}

interface Named {
  name: string;
}

/** The statements that add what is missing. */
async function missing(database: Kysely<Tables>, { tables, indexes }: Schema): Promise<string[]> {
  const engine = engineOf(database);
  const isPostgres = engine === 'postgres';
  const listed = isPostgres
    ? sql<Named>`select indexname as name from pg_indexes where schemaname = current_schema()`
    : sql<Named>`select name from sqlite_master where type = 'index'`;
  const schema = isPostgres
    ? (await sql<Named>`select current_schema() as name`.execute(database)).rows[0]?.name
    : undefined;
  const found = new Map(
    (await database.introspection.getTables())
      .filter((table) => table.schema === schema)
      .map((table) => [table.name, table.columns]),
  );
  const foundIndexes = (await listed.execute(database)).rows.map(({ name }) => name);
  const additions: string[] = [];
  const differences: string[] = [];
  for (const [table, declared] of Object.entries(tables)) {
    const there = found.get(table);
    if (!there) {
      additions.push(...toSql({ [table]: declared }, engine));
      continue;
    }
    for (const [name, column] of Object.entries(declared)) {
      if (there.some((one) => one.name === name)) continue;
      const addition = additionSql(table, name, column, engine);
      if (addition) additions.push(addition);
      else differences.push(`${table}.${name}`);
    }
    for (const { name, isNullable, hasDefaultValue } of there)
      if (!(name in declared) && !isNullable && !hasDefaultValue)
        differences.push(`${table}.${name}`);
  }
  if (differences.length > 0) {
    throw new DocentError(
      'conflict',
      `The database is from another build of Docent before 1.0, whose tables differ (${differences.join(', ')}). Run that build, or start with an empty database: set another \`server.dataFolder\` or DATABASE_URL.`,
    );
  }
  for (const index of indexes) {
    const name = / index (\w+) on /.exec(index)?.[1];
    if (name && !foundIndexes.includes(name)) additions.push(index);
  }
  return additions;
}
