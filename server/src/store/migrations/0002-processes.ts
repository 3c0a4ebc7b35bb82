import type { Kysely } from 'kysely';

/** Several server processes on one database, and what else a key may say: scopes, addresses, rotation. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('processes')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('started_at', 'text', (column) => column.notNull())
    .addColumn('beat_at', 'text', (column) => column.notNull())
    .execute();
  await db.schema.alterTable('turns').addColumn('owner', 'text').execute();

  // One column a statement: SQLite takes no more.
  const columns = [
    'scopes',
    'networks',
    'rotated_at',
    'previous_hash',
    'previous_hint',
    'previous_until',
    'previous_used_at',
  ];
  for (const column of columns) {
    await db.schema.alterTable('keys').addColumn(column, 'text').execute();
  }
  await db.schema
    .createIndex('keys_previous_hash')
    .on('keys')
    .column('previous_hash')
    .unique()
    .execute();
}
