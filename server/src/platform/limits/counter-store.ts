import type { IncrementResponse, Store } from 'express-rate-limit';
import { sql } from 'kysely';
import type { Database } from '../store/database.ts';
import { prepare } from '../store/prepare.ts';
import type { CounterTable } from '../store/tables.ts';
import type { WindowOf } from './windows.ts';

export interface CounterDeps {
  database: Database;
  now: () => Date;
}

/**
 * A store for express-rate-limit in the database. Each count is one statement, so it's exact for
 * parallel requests and across processes, and survives a restart. The package's own store is in memory,
 * and its timer can't hold a month.
 */
export function createCounterStore(deps: CounterDeps, name: string, windowOf: WindowOf): Store {
  const { database, now } = deps;

  /** The package computes headers with the machine's clock; `now` may be a test's. */
  const toMachineTime = (time: Date) => new Date(Date.now() + time.getTime() - now().getTime());

  const current = (subject: string) => {
    const { start, end } = windowOf(now());
    return { subject, end, where: { name, subject, window_start: start.toISOString() } };
  };

  const countOne = prepare(
    database,
    ({ name, subject, window_start, window_end }: Omit<CounterTable, 'hits'>) =>
      database
        .insertInto('counters')
        .values({ name, subject, window_start, window_end, hits: 1 })
        .onConflict((conflict) =>
          conflict
            .columns(['name', 'subject', 'window_start'])
            .doUpdateSet({ hits: sql<number>`counters.hits + 1` }),
        )
        .returning('hits'),
  );

  return {
    localKeys: false,
    prefix: name,

    async increment(subject): Promise<IncrementResponse> {
      const { end, where } = current(subject);
      const [row] = await countOne({ ...where, window_end: end.toISOString() });
      if (!row) throw new Error('The database returned no count');
      return { totalHits: row.hits, resetTime: toMachineTime(end) };
    },

    async get(subject) {
      const { end, where } = current(subject);
      const row = await database
        .selectFrom('counters')
        .select('hits')
        .where((and) => and.and(where))
        .executeTakeFirst();
      return row && { totalHits: row.hits, resetTime: toMachineTime(end) };
    },

    async decrement(subject) {
      await database
        .updateTable('counters')
        .set({ hits: sql<number>`hits - 1` })
        .where((and) => and.and(current(subject).where))
        .where('hits', '>', 0)
        .execute();
    },

    async resetKey(subject) {
      await database
        .deleteFrom('counters')
        .where((and) => and.and(current(subject).where))
        .execute();
    },
  };
}

/** Deletes windows that are over. */
export async function deleteOldCounters(database: Database, now: Date): Promise<void> {
  await database.deleteFrom('counters').where('window_end', '<=', now.toISOString()).execute();
}
