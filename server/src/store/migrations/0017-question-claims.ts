import type { Kysely } from 'kysely';

/** Who answers a question that came with a name of its own. Rows live some minutes; used with PostgreSQL only. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('question_claims')
    .addColumn('claim', 'text', (column) => column.primaryKey())
    .addColumn('asked', 'text', (column) => column.notNull())
    .addColumn('taking', 'text', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('taken_at', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('question_claims_taken_at')
    .on('question_claims')
    .column('taken_at')
    .execute();
}
