import type { Kysely } from 'kysely';

/** What the client calls a question, so that another one can take its place and that of all after it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('turns').addColumn('question_id', 'text').execute();
}
