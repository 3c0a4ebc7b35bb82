/** Runs the tests of a table on both databases; whoever keeps rows tests them so. */
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Logger } from '../src/platform/log.ts';
import { openStore } from '../src/open-store.ts';
import type { Store } from '../src/platform/store/database.ts';
import { postgresPrograms, sharedPostgres, type TestPostgres, whyNoPostgres } from './postgres.ts';

export const quiet: Pick<Logger, 'info' | 'warn'> = { info() {}, warn() {} };

/** Opens an empty database. It is closed after the last test, and serves a later file unless its tables are altered. */
type OpenNew = (options?: { altersTables?: boolean }) => Promise<Store>;

/** Databases of the shared instance that earlier files have used. */
const used: string[] = [];

export function eachDatabase(
  tests: (openNew: OpenNew, engine: 'sqlite' | 'postgres') => void,
): void {
  describe('on SQLite', () => {
    const open = useStores(() => Promise.resolve(undefined));
    tests(open, 'sqlite');
  });

  describe('on PostgreSQL', () => {
    if (postgresPrograms === undefined) {
      test('the same tests', (context) => context.skip(whyNoPostgres));
      return;
    }
    let postgres: TestPostgres;
    const urls: string[] = [];
    const altered: string[] = [];
    beforeAll(async () => {
      postgres = await sharedPostgres();
    });
    afterAll(async () => {
      for (const url of altered) await postgres.dropDatabase(url);
      used.push(...urls);
    });
    // Hooks of the end run from the last to the first: the stores are closed before.
    const open = useStores(async ({ altersTables = false } = {}) => {
      let url = used.pop();
      if (url) await empty(postgres, url);
      else url = await postgres.createDatabase(await withTables());
      (altersTables ? altered : urls).push(url);
      return url;
    });
    tests(open, 'postgres');
  });
}

let tables: Promise<string> | undefined;

/** A database of the shared instance with our tables: copying it takes a third of the time of making them. */
const withTables = (): Promise<string> => (tables ??= makeTables());

async function makeTables(): Promise<string> {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  await (await openStore({ dataFolder: ':memory:', databaseUrl, log: quiet })).close();
  return databaseUrl;
}

/** Deletes all rows, also of the audit log. A new database takes seven times as long, because it has 500 files. */
const empty = (postgres: TestPostgres, url: string) =>
  postgres.query(
    url,
    `set session_replication_role = replica;
    do $$ declare name text; begin
      for name in select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely%' loop
        execute format('delete from %I', name);
      end loop;
      for name in select sequencename from pg_sequences where schemaname = 'public' loop
        execute format('alter sequence %I restart', name);
      end loop;
    end $$`,
  );

function useStores(newUrl: (...args: Parameters<OpenNew>) => Promise<string | undefined>): OpenNew {
  const stores: Store[] = [];
  afterAll(async () => {
    for (const store of stores) await store.close();
  });
  return async (options) => {
    const databaseUrl = await newUrl(options);
    const store = await openStore({ dataFolder: ':memory:', databaseUrl, log: quiet });
    stores.push(store);
    return store;
  };
}
