import { type Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { eachDatabase } from '../../../testing/each-database.ts';
import { schema } from '../../open-store.ts';
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
      '0002-later': async (db: Kysely<never>) => {
        runs += 1;
        await sql`alter table threads add column language text`.execute(db);
        await sql`update threads set language = 'en' where domain = 'docs.example'`.execute(db);
      },
    };

    await migrate(database, schema, later);
    await migrate(database, schema, later);

    expect(runs).toBe(1);
    expect(await database.selectFrom('threads').selectAll().execute()).toEqual([
      { ...thread, language: 'en' },
    ]);
  });

  test('a migration that fails leaves the database as it was', async () => {
    const { database } = await openNew({ altersTables: true });
    const failing = {
      ...migrations,
      '0002-later': async (db: Kysely<never>) => {
        await sql`alter table threads add column language text`.execute(db);
        throw new Error('on purpose');
      },
    };

    await expect(migrate(database, schema, failing)).rejects.toThrow(
      /could not be brought up to date/,
    );

    await expect(sql`select language from threads`.execute(database)).rejects.toThrow(/language/);
    await migrate(database, schema);
  });

  test('a build before 1.0 adds to the database of an earlier build, and keeps its data', async () => {
    const { database } = await openNew({ altersTables: true });
    const thread = { id: 't1', domain: 'docs.example', fp: 'anonymous', created_at: '2026-01-01' };
    await database.insertInto('threads').values(thread).execute();
    for (const statement of [
      'drop table hand_overs',
      'alter table turns drop column stamp',
      'drop index gap_asks_cause',
    ])
      await sql.raw(statement).execute(database);

    // Two processes that start together.
    await Promise.all([migrate(database, schema), migrate(database, schema)]);

    expect(await database.selectFrom('threads').selectAll().execute()).toEqual([thread]);
    expect(await database.selectFrom('hand_overs').selectAll().execute()).toEqual([]);
    expect(await database.selectFrom('turns').select('stamp').execute()).toEqual([]);
    await expect(sql.raw('drop index gap_asks_cause').execute(database)).resolves.toBeDefined();
  });

  test('a build before 1.0 refuses tables that it would have to invent values for, and changes nothing', async () => {
    const { database } = await openNew({ altersTables: true });
    await sql`alter table agent_jobs rename column round to run_number`.execute(database);
    await sql`drop table hand_overs`.execute(database);

    await expect(migrate(database, schema)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('(agent_jobs.round, agent_jobs.run_number)') as string,
    });

    await expect(sql`select * from hand_overs`.execute(database)).rejects.toThrow(/hand_overs/);
  });

  test('a release refuses a database of a later one', async () => {
    const { database } = await openNew({ altersTables: true });
    await migrate(database, schema, { ...migrations, '0002-later': async () => {} });

    await expect(migrate(database, schema)).rejects.toMatchObject({ code: 'conflict' });
  });
});
