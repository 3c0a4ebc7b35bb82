import { type Kysely, PostgresAdapter, sql } from 'kysely';
import { toSql } from '../columns.ts';
import { indexes, tables } from '../tables.ts';
import { postgresTriggers, sqliteTriggers } from './audit-triggers.ts';

/**
 * All tables of 1.0. Until 1.0 is released, it makes the tables as they are declared. Then its SQL is
 * written here, and each change is a migration with the next number: a released one never changes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const statements = [
    ...toSql(tables, isPostgres ? 'postgres' : 'sqlite'),
    ...indexes,
    ...(isPostgres ? postgresTriggers : sqliteTriggers),
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
