import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eachDatabase } from '../../../testing/each-database.ts';
import { migrate, migrations } from './migrate.ts';

/** A database from before 1.0 is made anew. One of any release since is brought up to date, with its data. */
eachDatabase((openNew) => {
  test('a later release adds to a database of this one and keeps its data', async () => {
    const { database } = await openNew({ altersTables: true });
    const thread = { id: 't1', domain: 'docs.example', fp: 'anonymous', created_at: '2026-01-01' };
    await database.insertInto('threads').values(thread).execute();
    let runs = 0;
    const later = {
      ...migrations,
      '0002-later': {
        async up(db: typeof database) {
          runs += 1;
          await sql`alter table threads add column language text`.execute(db);
          await sql`update threads set language = 'en' where domain = 'docs.example'`.execute(db);
        },
      },
    };

    await migrate(database, later);
    await migrate(database, later);

    expect(runs).toBe(1);
    expect(await database.selectFrom('threads').selectAll().execute()).toEqual([
      { ...thread, language: 'en' },
    ]);
  });

  test('a migration that fails leaves the database as it was', async () => {
    const { database } = await openNew({ altersTables: true });
    const failing = {
      ...migrations,
      '0002-later': {
        async up(db: typeof database) {
          await sql`alter table threads add column language text`.execute(db);
          throw new Error('on purpose');
        },
      },
    };

    await expect(migrate(database, failing)).rejects.toThrow(/could not be brought up to date/);

    await expect(sql`select language from threads`.execute(database)).rejects.toThrow(/language/);
    await migrate(database);
  });

  test('a release refuses a database of a later one', async () => {
    const { database } = await openNew({ altersTables: true });
    await migrate(database, { ...migrations, '0002-later': { async up() {} } });

    await expect(migrate(database)).rejects.toMatchObject({ code: 'conflict' });
  });
});
