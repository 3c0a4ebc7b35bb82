import type { ColumnDefinitionBuilder, Kysely } from 'kysely';

const must = (column: ColumnDefinitionBuilder) => column.notNull();

/** What readers said that became jobs, or may become some; it goes with what they said. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('reader_jobs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('domain', 'text', must)
    .addColumn('feedback_id', 'text', (column) =>
      column.references('feedback.id').onDelete('cascade'),
    )
    .addColumn('turn_id', 'text', (column) => column.references('turns.id').onDelete('cascade'))
    .addColumn('job_id', 'text')
    .addColumn('created_at', 'text', must)
    .execute();
  await db.schema
    .createIndex('reader_jobs_feedback')
    .on('reader_jobs')
    .column('feedback_id')
    .execute();
  await db.schema.createIndex('reader_jobs_turn').on('reader_jobs').column('turn_id').execute();

  await db.schema
    .createTable('reported_pages')
    .addColumn('domain', 'text', must)
    .addColumn('page', 'text', must)
    .addColumn('job_id', 'text')
    .addColumn('reports', 'integer', must)
    .addColumn('opened_at', 'text', must)
    .addPrimaryKeyConstraint('reported_pages_pk', ['domain', 'page'])
    .execute();
}
