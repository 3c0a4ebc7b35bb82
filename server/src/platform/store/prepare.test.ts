import { expect, test } from 'vitest';
import { eachDatabase } from '../../../testing/each-database.ts';
import { prepare } from './prepare.ts';

eachDatabase((openNew) => {
  test('a prepared query answers as one that is built each time, whatever the values', async () => {
    const { database } = await openNew();
    const add = prepare(database, ({ subject, hits }: { subject: string; hits: number }) =>
      database
        .insertInto('counters')
        .values({ name: 'n', subject, window_start: 'a', window_end: 'b', hits })
        .returning(['subject', 'hits']),
    );
    const read = prepare(database, ({ from, subject }: { from: number; subject: string }) =>
      database
        .selectFrom('counters')
        .select('hits')
        .where('hits', '>', from)
        .where('name', '=', 'n')
        .where('subject', '=', subject),
    );
    for (const [subject, hits] of [
      ['x', 1],
      [`'; drop table counters; --`, 2],
      ['$1 ? 😀', 3],
    ] as const) {
      expect(await add({ subject, hits })).toEqual([{ subject, hits }]);
      expect(await read({ from: hits - 1, subject })).toEqual([{ hits }]);
      expect(await read({ from: hits, subject })).toEqual([]);
    }
  });
});
