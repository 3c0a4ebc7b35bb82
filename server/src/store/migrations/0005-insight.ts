import { type Kysely, sql } from 'kysely';
import { pseudonym } from '../../redaction/pseudonym.ts';

interface Before {
  threads: { id: string; domain: string; fp: string };
}

/** How turns came out, what readers thought of it; readers' identifiers as pseudonyms. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('turns').addColumn('outcome', 'text').execute();
  await db.schema.alterTable('turns').addColumn('confidence', 'real').execute();
  await db.schema.alterTable('turns').addColumn('asked_on', 'text').execute();
  await db.schema.createIndex('turns_created').on('turns').column('created_at').execute();

  await db.schema
    .createTable('feedback')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('domain', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('fp', 'text', (column) => column.notNull())
    .addColumn('turn_id', 'text', (column) => column.references('turns.id').onDelete('cascade'))
    .addColumn('path', 'text')
    .addColumn('rating', 'text', (column) => column.notNull())
    .addColumn('reasons', 'text', (column) => column.notNull())
    .addColumn('note', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('feedback_subject', ['domain', 'subject'])
    .execute();
  await db.schema.createIndex('feedback_turn').on('feedback').column('turn_id').execute();
  await db.schema
    .createIndex('feedback_domain')
    .on('feedback')
    .columns(['domain', 'created_at'])
    .execute();
  await db.schema.createIndex('threads_reader').on('threads').columns(['domain', 'fp']).execute();

  const before = db as Kysely<Before>;
  const named = await before
    .selectFrom('threads')
    .select(['domain', 'fp'])
    .distinct()
    .where('fp', '<>', 'anonymous')
    .execute();
  for (const { domain, fp } of named) {
    await before
      .updateTable('threads')
      .set({ fp: sql<string>`${pseudonym(fp, domain)}` })
      .where('domain', '=', domain)
      .where('fp', '=', fp)
      .execute();
  }
}
