import type { Kysely } from 'kysely';

/** What each question was narrowed to; null in turns from before it was kept. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('turns').addColumn('filter', 'text').execute();
}
