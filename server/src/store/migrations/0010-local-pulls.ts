import type { ColumnDefinitionBuilder, Kysely } from 'kysely';

const must = (column: ColumnDefinitionBuilder) => column.notNull();

/** Pull requests of repositories on this machine, which have no host that would keep them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('local_pulls')
    .addColumn('project', 'text', must)
    .addColumn('number', 'integer', must)
    .addColumn('branch', 'text', must)
    .addColumn('base', 'text', must)
    .addColumn('title', 'text', must)
    .addColumn('body', 'text', must)
    .addColumn('state', 'text', must)
    .addColumn('is_draft', 'integer', must)
    .addColumn('head_commit', 'text')
    .addColumn('base_commit', 'text')
    .addColumn('merged_commit', 'text')
    .addColumn('created_at', 'text', must)
    .addColumn('updated_at', 'text', must)
    .addColumn('ended_at', 'text')
    .addPrimaryKeyConstraint('local_pulls_pk', ['project', 'number'])
    .execute();
  // A branch has one open pull request, however many processes try to make one.
  await db.schema
    .createIndex('local_pulls_open')
    .unique()
    .on('local_pulls')
    .columns(['project', 'branch'])
    .where('state' as never, '=', 'open')
    .execute();
}
