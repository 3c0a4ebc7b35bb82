import type { Kysely } from 'kysely';

/** What models cost, by who pays and by period; what running answers hold; alerts that are due. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('spend')
    .addColumn('payer_kind', 'text', (column) => column.notNull())
    .addColumn('payer', 'text', (column) => column.notNull())
    .addColumn('period', 'text', (column) => column.notNull())
    .addColumn('window_start', 'text', (column) => column.notNull())
    .addColumn('window_end', 'text', (column) => column.notNull())
    .addColumn('tokens', 'bigint', (column) => column.notNull())
    .addColumn('micro_dollars', 'bigint', (column) => column.notNull())
    .addColumn('held_tokens', 'bigint', (column) => column.notNull())
    .addColumn('held_micro_dollars', 'bigint', (column) => column.notNull())
    .addColumn('limit_tokens', 'bigint')
    .addColumn('limit_micro_dollars', 'bigint')
    .addPrimaryKeyConstraint('spend_pk', ['payer_kind', 'payer', 'period', 'window_start'])
    .execute();
  await db.schema.createIndex('spend_window_end').on('spend').column('window_end').execute();

  await db.schema
    .createTable('spend_holds')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('domain', 'text', (column) => column.notNull())
    .addColumn('organization', 'text', (column) => column.notNull())
    .addColumn('tokens', 'bigint', (column) => column.notNull())
    .addColumn('micro_dollars', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('spend_holds_owner').on('spend_holds').column('owner').execute();
  await db.schema
    .createIndex('spend_holds_expires_at')
    .on('spend_holds')
    .column('expires_at')
    .execute();

  await db.schema
    .createTable('budget_alerts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('payer_kind', 'text', (column) => column.notNull())
    .addColumn('payer', 'text', (column) => column.notNull())
    .addColumn('period', 'text', (column) => column.notNull())
    .addColumn('window_start', 'text', (column) => column.notNull())
    .addColumn('unit', 'text', (column) => column.notNull())
    .addColumn('percent', 'integer', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    /** When it is tried next; null once it has been delivered or given up. */
    .addColumn('due_at', 'text')
    .addColumn('delivered_at', 'text')
    .addUniqueConstraint('budget_alerts_once', [
      'payer_kind',
      'payer',
      'period',
      'window_start',
      'unit',
      'percent',
    ])
    .execute();
  await db.schema
    .createIndex('budget_alerts_due_at')
    .on('budget_alerts')
    .column('due_at')
    .where('due_at', 'is not', null)
    .execute();
}
