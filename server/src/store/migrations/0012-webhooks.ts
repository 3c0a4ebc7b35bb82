import type { ColumnDefinitionBuilder, Kysely } from 'kysely';

const must = (column: ColumnDefinitionBuilder) => column.notNull();

/** What is to be said to the endpoints of projects, and how these do. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('webhook_deliveries')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('project', 'text', must)
    .addColumn('endpoint', 'text', must)
    .addColumn('type', 'text', must)
    .addColumn('job_id', 'text')
    .addColumn('body', 'text', must)
    .addColumn('status', 'text', must)
    .addColumn('attempts', 'integer', must)
    .addColumn('due_at', 'text')
    .addColumn('last_attempt_at', 'text')
    .addColumn('last_status', 'integer')
    .addColumn('last_fault', 'text')
    .addColumn('last_response', 'text')
    .addColumn('created_at', 'text', must)
    .addColumn('delivered_at', 'text')
    .execute();
  await db.schema
    .createIndex('webhook_deliveries_due')
    .on('webhook_deliveries')
    .columns(['status', 'due_at'])
    .execute();
  await db.schema
    .createIndex('webhook_deliveries_project')
    .on('webhook_deliveries')
    .columns(['project', 'id'])
    .execute();

  await db.schema
    .createTable('webhook_endpoints')
    .addColumn('project', 'text', must)
    .addColumn('endpoint', 'text', must)
    .addColumn('failures', 'integer', must)
    .addColumn('failing_since', 'text')
    .addColumn('disabled_at', 'text')
    .addColumn('reason', 'text')
    .addColumn('last_success_at', 'text')
    .addPrimaryKeyConstraint('webhook_endpoints_pk', ['project', 'endpoint'])
    .execute();
}
