import { expect, test } from 'vitest';
import { eachDatabase } from '../../../testing/each-database.ts';
import type { Store } from './database.ts';
import { deleteOldKeys, forgetMade, type KeyedRequest, makeOnce } from './idempotency.ts';

const request: KeyedRequest = { scope: 'thing', key: 'the key', body: ['a thing'] };

function open({ database }: Store) {
  let time = new Date('2026-01-01T00:00:00.000Z');
  let made = 0;
  const now = () => time;
  return {
    database,
    now,
    later: (hours: number) => (time = new Date(time.getTime() + hours * 3_600_000)),
    made: () => made,
    make: (keyed: KeyedRequest | undefined = request) =>
      makeOnce({ database, now }, keyed, async (note) => {
        const id = `thing ${(made += 1)}`;
        await database.transaction().execute((transaction) => note(transaction, id));
        return id;
      }),
  };
}

eachDatabase((openNew) => {
  test('of several attempts at the same time, one makes the thing', async () => {
    const { make } = open(await openNew());
    const all = await Promise.all(Array.from({ length: 8 }, () => make()));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(all.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
  });

  test('without a key, and in another scope, each request makes a thing', async () => {
    const { make } = open(await openNew());
    const all = [
      await make(),
      await make({ ...request, scope: 'other' }),
      await make({ ...request, key: 'other' }),
    ];
    expect(all.map(({ isReplay }) => isReplay)).toEqual([false, false, false]);
  });

  test('a key that comes with another body is refused', async () => {
    const { make, made } = open(await openNew());
    await make();
    const other = make({ ...request, body: ['another thing'] });
    await expect(other).rejects.toMatchObject({ code: 'conflict' });
    expect(made()).toBe(1);
  });

  test('a request that fails may be sent again, wherever it failed', async () => {
    const { database, now, make } = open(await openNew());
    for (const isNoted of [false, true]) {
      const failing = makeOnce({ database, now }, request, async (note) => {
        if (isNoted) await database.transaction().execute((tx) => note(tx, 'half a thing'));
        throw new Error('on purpose');
      });
      await expect(failing).rejects.toThrow('on purpose');
    }
    expect((await make()).isReplay).toBe(false);
  });

  test('a key is free again when its thing is gone, and after a day', async () => {
    const { database, now, later, make } = open(await openNew());
    const { id } = await make();
    await forgetMade(database, ['another', id]);
    expect((await make()).isReplay).toBe(false);
    later(23);
    await deleteOldKeys(database, 'thing', now());
    expect((await make()).isReplay).toBe(true);
    later(2);
    await deleteOldKeys(database, 'another scope', now());
    expect((await make()).isReplay).toBe(true);
    await deleteOldKeys(database, 'thing', now());
    expect((await make()).isReplay).toBe(false);
  });
});
