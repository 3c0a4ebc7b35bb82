import type { Kysely } from 'kysely';

/** What the sources of a site brought and keep, and the indexing run of each site. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('index_sources')
    .addColumn('domain', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('index_sources_pk', ['domain', 'source'])
    .execute();

  await db.schema
    .createTable('index_runs')
    .addColumn('domain', 'text', (column) => column.primaryKey())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('owner', 'text')
    .addColumn('lease_until', 'text')
    .addColumn('requested_at', 'text')
    .addColumn('started_at', 'text')
    .addColumn('finished_at', 'text')
    .addColumn('progress', 'text')
    .addColumn('report', 'text')
    .addColumn('error', 'text')
    .execute();
}
