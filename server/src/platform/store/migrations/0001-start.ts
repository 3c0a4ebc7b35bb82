import { type Kysely, PostgresAdapter, sql } from 'kysely';
import { agentTables } from './0001-start/agent.ts';
import { postgresTriggers, sqliteTriggers } from './0001-start/audit-triggers.ts';
import { peopleTables } from './0001-start/people.ts';
import { platformTables } from './0001-start/platform.ts';
import { readerTables } from './0001-start/reader.ts';

/**
 * All tables of 1.0, in SQL that SQLite and PostgreSQL both understand. Until 1.0 is released, edit
 * these files. After that, add a migration with the next number: a released migration never changes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const tables = [platformTables, peopleTables, readerTables, agentTables].join('').split(';');
  const statements = [
    ...tables.filter((statement) => statement.trim() !== ''),
    ...(isPostgres ? postgresTriggers : sqliteTriggers),
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
