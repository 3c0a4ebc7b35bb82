import type { Kysely } from 'kysely';

/** Sliding windows of a minute; challenges that have been solved, and the secret that they are signed with. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('bursts')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('slot', 'integer', (column) => column.notNull())
    .addColumn('current_hits', 'integer', (column) => column.notNull())
    .addColumn('previous_hits', 'integer', (column) => column.notNull())
    .addColumn('previous_weight', 'integer', (column) => column.notNull())
    .addColumn('most_hits', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('bursts_pk', ['name', 'subject'])
    .execute();
  await db.schema.createIndex('bursts_slot').on('bursts').column('slot').execute();

  await db.schema
    .createTable('spent_challenges')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('spent_challenges_expires_at')
    .on('spent_challenges')
    .column('expires_at')
    .execute();

  await db.schema
    .createTable('secrets')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute();
}
