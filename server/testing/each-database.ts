/** Runs the tests of a table on both databases; whoever keeps rows tests them so. */
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Logger } from '../src/platform/log.ts';
import { openStore, type Store } from '../src/platform/store/database.ts';
import { postgresPrograms, sharedPostgres, type TestPostgres, whyNoPostgres } from './postgres.ts';

export const quiet: Pick<Logger, 'info' | 'warn'> = { info() {}, warn() {} };

/** Opens a new, empty database. It is closed after the last test. */
type OpenNew = () => Promise<Store>;

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
    beforeAll(async () => {
      postgres = await sharedPostgres();
    });
    afterAll(async () => {
      for (const url of urls) await postgres.dropDatabase(url);
    });
    // Hooks of the end run from the last to the first: the stores are closed before.
    const open = useStores(async () => {
      const url = await postgres.createDatabase(await withTables());
      urls.push(url);
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

function useStores(newUrl: () => Promise<string | undefined>): OpenNew {
  const stores: Store[] = [];
  afterAll(async () => {
    for (const store of stores) await store.close();
  });
  return async () => {
    const databaseUrl = await newUrl();
    const store = await openStore({ dataFolder: ':memory:', databaseUrl, log: quiet });
    stores.push(store);
    return store;
  };
}
