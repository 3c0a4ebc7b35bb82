import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eachDatabase, quiet } from '../../../testing/each-database.ts';
import {
  postgresPrograms,
  startPostgres,
  type TestPostgres,
  whyNoPostgres,
} from '../../../testing/postgres.ts';
import { openStore, schema } from '../../open-store.ts';
import { openPostgres, toStoreError } from './postgres.ts';

const counter = { name: 'n', window_start: '2026-01-01', window_end: '2026-01-02' };

eachDatabase((openNew) => {
  test('counts, sums, and booleans are numbers', async () => {
    const { database } = await openNew();
    await database
      .insertInto('counters')
      .values([1, 2].map((hits) => ({ ...counter, subject: String(hits), hits })))
      .execute();
    const row = await database
      .selectFrom('counters')
      .select((of) => [
        of.fn.countAll().as('count'),
        of.fn.sum('hits').as('sum'),
        of.fn.max('hits').as('most'),
        sql`1 = 1`.as('yes'),
        sql`1 = 2`.as('no'),
      ])
      .executeTakeFirst();
    expect(row).toEqual({ count: 2, sum: 3, most: 2, yes: 1, no: 0 });
  });

  test('text sorts by its bytes', async () => {
    const { database } = await openNew();
    const subjects = ['b', 'B', 'a', 'é', '_', 'Z', '0', '~', '😀', 'ﬀ'];
    await database
      .insertInto('counters')
      .values(subjects.map((subject) => ({ ...counter, subject, hits: 1 })))
      .execute();
    const rows = await database
      .selectFrom('counters')
      .select('subject')
      .orderBy('subject')
      .execute();
    const byBytes = subjects.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(rows.map((row) => row.subject)).toEqual(byBytes);
  });

  test('any text can be stored, with U+FFFD instead of NUL', async () => {
    const { database } = await openNew();
    const subject = `a\0b "quoted" 'single' \\ $1 ? 😀`;
    await database
      .insertInto('counters')
      .values({ ...counter, subject, hits: 1 })
      .execute();
    const row = await database.selectFrom('counters').select('subject').executeTakeFirst();
    expect(row?.subject).toBe(subject.replace('\0', '\uFFFD'));
  });

  test('a transaction that fails leaves nothing', async () => {
    const { database } = await openNew();
    const failing = database.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('counters')
        .values({ ...counter, subject: 's', hits: 1 })
        .execute();
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    expect(await database.selectFrom('counters').selectAll().execute()).toEqual([]);
  });

  test('a transaction that locks a row reads and writes it without interference', async () => {
    const { database } = await openNew();
    await database
      .insertInto('counters')
      .values({ ...counter, subject: 's', hits: 0 })
      .execute();
    const addOne = () =>
      database.transaction().execute(async (transaction) => {
        const { hits } = await transaction
          .selectFrom('counters')
          .select('hits')
          .where('subject', '=', 's')
          .forUpdate()
          .executeTakeFirstOrThrow();
        await transaction
          .updateTable('counters')
          .set({ hits: hits + 1 })
          .execute();
      });
    await Promise.all(Array.from({ length: 50 }, addOne));
    const row = await database.selectFrom('counters').select('hits').executeTakeFirst();
    expect(row?.hits).toBe(50);
  });

  test('our own mistakes stay as they are', async () => {
    const { database } = await openNew();
    await database
      .insertInto('counters')
      .values({ ...counter, subject: 's', hits: 0 })
      .execute();
    const again = database.insertInto('counters').values({ ...counter, subject: 's', hits: 0 });
    await expect(again.execute()).rejects.toThrow(/unique/i);
    await expect(sql`select 1 from nowhere`.execute(database)).rejects.toThrow(/nowhere/);
  });
});

describe('PostgreSQL', () => {
  if (postgresPrograms === undefined) {
    test('the store', (context) => context.skip(whyNoPostgres));
    return;
  }
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres[Symbol.asyncDispose]());
  const unavailable = { name: 'DocentError', code: 'unavailable' };

  test('three processes that open a new database at the same time wait for each other', async () => {
    for (let round = 0; round < 3; round++) {
      const url = await postgres.createDatabase();
      const stores = await Promise.all([1, 2, 3].map(() => openPostgres(schema, url, quiet)));
      for (const { database, close } of stores) {
        expect(await database.selectFrom('keys').selectAll().execute()).toEqual([]);
        await close();
      }
    }
  });

  test('text sorts by its bytes, whatever the language of the database', async () => {
    const url = new URL(await postgres.createDatabase());
    const english = `create database english template template0 locale_provider icu icu_locale 'en-US'`;
    await postgres.query(url.href, english);
    url.pathname = '/english';
    expect(await postgres.query(url.href, `select 'a' < 'B' as "is"`)).toEqual([{ is: true }]);
    const { database, close } = await openPostgres(schema, url.href, quiet);
    const rows = ['a', 'B', '_'].map((name) => ({ name, value: '' }));
    await database.insertInto('secrets').values(rows).execute();
    const sorted = await database.selectFrom('secrets').select('name').orderBy('name').execute();
    await close();
    expect(sorted.map(({ name }) => name)).toEqual(['B', '_', 'a']);
  });

  test('a database that is newer is refused in one sentence', async () => {
    const url = await postgres.createDatabase();
    await (await openPostgres(schema, url, quiet)).close();
    await postgres.query(url, `insert into kysely_migration values ('9999-later', '2030-01-01')`);
    await expect(openPostgres(schema, url, quiet)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/^A newer version of Docent upgraded the database\. /),
    });
  });

  test('an unreachable database is reported in a sentence with its address and without the password', async () => {
    const url = new URL(await postgres.createDatabase());
    const secret = 'hunter2-canary';
    url.password = secret;
    const missing = new URL(url);
    missing.pathname = '/nowhere';
    const closed = new URL(url);
    closed.port = '1';
    for (const [each, reason] of [
      [missing, /database "nowhere", cannot be used: database "nowhere" does not exist\. Check/],
      [closed, /127\.0\.0\.1:1, database "test_\d+", cannot be used: connect ECONNREFUSED/],
    ] as const) {
      const error: unknown = await openStore({
        dataFolder: ':memory:',
        databaseUrl: each.href,
        log: quiet,
      }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ ...unavailable, message: expect.stringMatching(reason) });
      expect(String(error)).not.toContain(secret);
    }
  });

  test('while the database is away, requests are unavailable, and later ones work', async () => {
    const { database, close } = await openPostgres(schema, await postgres.createDatabase(), quiet);
    const read = () => database.selectFrom('keys').selectAll().execute();
    expect(await read()).toEqual([]);
    // One is in the middle of a transaction when the database goes.
    let tell = () => {};
    const begun = new Promise<void>((resolve) => (tell = resolve));
    let goOn = () => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const cut = database.transaction().execute(async (transaction) => {
      await transaction.selectFrom('keys').selectAll().execute();
      tell();
      await held;
      await transaction.selectFrom('keys').selectAll().execute();
    });
    await begun;
    await postgres.stop();
    goOn();
    await expect(cut).rejects.toMatchObject(unavailable);
    await expect(read()).rejects.toMatchObject(unavailable);
    await postgres.startAgain();
    expect(await read()).toEqual([]);
    await close();
  });

  test('prepared statements survive a new column of their table', async () => {
    const url = await postgres.createDatabase();
    const { database, close } = await openPostgres(schema, url, quiet);
    const read = () => database.selectFrom('keys').selectAll().where('id', '=', 'x').execute();
    for (let i = 0; i < 3; i++) await read();
    await postgres.query(url, 'alter table keys add column later text');
    for (let i = 0; i < 3; i++) expect(await read()).toEqual([]);
    await close();
  });

  test('a statement that takes too long is ended together with its connection', async () => {
    const { database, close } = await openPostgres(schema, await postgres.createDatabase(), quiet);
    await sql`set statement_timeout = 50`.execute(database);
    await expect(sql`select pg_sleep(60), ${'x'}`.execute(database)).rejects.toMatchObject(
      unavailable,
    );
    const { rows } = await sql`show statement_timeout`.execute(database);
    expect(rows).toEqual([{ statement_timeout: '15s' }]);
    await close();
  });

  /** PgBouncer ends a connection that asks for anything else when it starts. */
  test('connections start with what poolers accept', async () => {
    const url = new URL(await postgres.createDatabase());
    const asked = new Set<string>();
    const proxy = createServer((client) => {
      const server = connect(Number(url.port), '127.0.0.1');
      client.once('data', (start) => {
        // Length and version, four bytes each, then names and values that end with a zero.
        const words = start.subarray(8).toString().split('\0');
        for (let at = 0; at < words.length; at += 2) if (words[at]) asked.add(words[at] ?? '');
        server.write(start);
        client.pipe(server).pipe(client);
      });
      for (const socket of [client, server]) socket.on('error', () => {});
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const through = new URL(url);
    through.port = String((proxy.address() as AddressInfo).port);
    const store = await openPostgres(schema, through.href, quiet);
    await store.bus.listen();
    await sql`select 1`.execute(store.database);
    await store.close();
    proxy.close();
    expect([...asked].toSorted()).toEqual([
      'application_name',
      'client_encoding',
      'database',
      'user',
    ]);
  });

  test('our own errors do not count as errors of the connection', () => {
    const ours = new TypeError('x');
    expect(toStoreError(ours)).toMatchObject({ cause: ours });
  });
});
