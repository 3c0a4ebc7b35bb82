/** Deleting: a reader may have more questions than a statement takes values (SQLite 32,766; PostgreSQL takes twice as many). */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eachDatabase } from '../../../testing/each-database.ts';
import { createAudit } from '../../notify/audit/audit.ts';
import { pseudonym } from '../../platform/redaction/redact.ts';
import type { Store } from '../../platform/store/database.ts';
import { deleteExpired, forgetReader, forgetThread } from './retention.ts';

const site = 'docs';
const old = '2026-01-01T00:00:00.000Z';

/** A reader with one conversation of so many turns, all of them rated and all of them in jobs. */
async function fill({ database }: Store, count: number) {
  const fp = pseudonym('jo', site);
  const thread = { id: 'thread', domain: site, fp, created_at: old };
  await database.insertInto('threads').values(thread).execute();
  const numbers = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)})`;
  for (const insert of [
    sql`insert into turns (id, thread_id, domain, status, question, context, answer, sources, model, created_at, owner)
      ${numbers} select 'turn' || i, 'thread', ${sql.lit(site)}, 'complete', 'How?', '[]', 'So.', '[]', 'm', ${sql.lit(old)}, 'p' from n`,
    sql`insert into feedback (id, domain, subject, fp, turn_id, rating, reasons, created_at, updated_at)
      ${numbers} select 'rated' || i, ${sql.lit(site)}, 'rated' || i, ${sql.lit(fp)}, 'turn' || i, 'up', '[]', ${sql.lit(old)}, ${sql.lit(old)} from n`,
    sql`insert into reader_jobs (id, domain, feedback_id, turn_id, created_at)
      ${numbers} select 'job' || i, ${sql.lit(site)}, 'rated' || i, 'turn' || i, ${sql.lit(old)} from n`,
  ]) {
    await insert.execute(database);
  }
}

const tables = ['threads', 'turns', 'feedback', 'reader_jobs'] as const;
const left = ({ database }: Store) =>
  Promise.all(
    tables.map(async (table) => (await database.selectFrom(table).select('id').execute()).length),
  );
const nothing = [0, 0, 0, 0];
/** No job quotes them. */
const forgetWords = () => Promise.reject(new Error('There is no job.'));

eachDatabase((openNew, engine) => {
  // What SQLite takes, PostgreSQL takes too: there, more than one statement is enough.
  const count = engine === 'sqlite' ? 33_000 : 6_000;

  test('a reader with many questions is forgotten', async () => {
    const store = await openNew();
    await fill(store, count);
    const by = { domain: site, organization: 'kestrel', actor: { kind: 'key', id: 'k' } } as const;
    const failing = { record: () => Promise.reject(new Error('The disk is full.')) };
    const withoutEntry = forgetReader({ ...store, forgetWords, audit: failing }, by, { fp: 'jo' });
    await expect(withoutEntry).rejects.toThrow('The disk is full.');
    expect(await left(store)).toEqual([1, count, count, count]);

    const audit = createAudit({ store, now: () => new Date(old) });
    const counts = { threads: 1, questions: count, feedback: count };
    expect(await forgetReader({ ...store, forgetWords, audit }, by, { fp: 'jo' })).toEqual(counts);
    expect(await left(store)).toEqual(nothing);
    expect(await audit.list('kestrel', { limit: 9 })).toMatchObject([
      { actor: by.actor, type: 'reader.forgotten', data: { domain: site, ...counts } },
    ]);
  });

  test('a long conversation is deleted', async () => {
    const store = await openNew();
    await fill(store, count);
    await forgetThread({ ...store, forgetWords }, site, 'jo', 'thread');
    expect(await left(store)).toEqual(nothing);
  });

  test('many questions expire at once', async () => {
    const store = await openNew();
    await fill(store, count);
    const now = () => new Date('2026-03-01T00:00:00Z');
    const sites = [{ domain: site, privacy: { store: true, retentionDays: 30 } }];
    expect(await deleteExpired({ ...store, forgetWords, now }, sites)).toBe(count);
    expect(await left(store)).toEqual(nothing);
  });
});
