import type { Kysely } from 'kysely';

/** Answers that are being made, for readers at other processes. Rows live some minutes; used with PostgreSQL only. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('runs')
    .addColumn('message_id', 'text', (column) => column.primaryKey())
    .addColumn('message_claim', 'text', (column) => column.notNull())
    .addColumn('chat_claim', 'text')
    .addColumn('thread_id', 'text', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('for_sdk', 'integer', (column) => column.notNull())
    .addColumn('started_at', 'text', (column) => column.notNull())
    .addColumn('has_ended', 'integer', (column) => column.notNull())
    .addColumn('was_delivered', 'integer', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('runs_message_claim').on('runs').column('message_claim').execute();
  await db.schema.createIndex('runs_chat_claim').on('runs').column('chat_claim').execute();
  await db.schema.createIndex('runs_started_at').on('runs').column('started_at').execute();

  await db.schema
    .createTable('run_parts')
    .addColumn('message_id', 'text', (column) =>
      column.notNull().references('runs.message_id').onDelete('cascade'),
    )
    .addColumn('first', 'integer', (column) => column.notNull())
    .addColumn('parts', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('run_parts_pk', ['message_id', 'first'])
    .execute();
}
