import { describe, expect, test } from 'vitest';
import { eachDatabase, quiet } from '../../../testing/each-database.ts';
import { newId } from '../../ids.ts';
import type { Store } from '../../store/database.ts';
import { createQuestionClaims } from './question-claims.ts';

const question = { claim: 'the claim', asked: 'the question' };
const nothing = async () => undefined;

/** Another process with its row; on SQLite there is one process, so `living` is everybody. */
async function join(store: Store, now = () => new Date()) {
  const { database } = store;
  const id = newId();
  const at = new Date().toISOString();
  await database
    .insertInto('processes')
    .values({ id, name: id, started_at: at, lease_until: at })
    .execute();
  const processes = { id, living: () => database.selectFrom('processes').select('id') };
  const claims = createQuestionClaims({ database, processes, now, newId, log: quiet });
  const die = () => database.deleteFrom('processes').where('id', '=', id).execute();
  return { claims, die };
}

const rows = ({ database }: Store) => database.selectFrom('question_claims').selectAll().execute();

eachDatabase((openNew) => {
  test('of many at once, at several processes, one begins; the others find what it made', async () => {
    const store = await openNew();
    // Within one process `createKnownRuns` sees to it.
    const all = await Promise.all(Array.from({ length: 8 }, () => join(store)));
    let begun = 0;
    let laid: string | undefined;
    const begin = async () => {
      begun += 1;
      // Opening takes time: nobody finds anything until then.
      await new Promise((resolve) => setImmediate(resolve));
      return (laid = 'the answer');
    };
    const answers = await Promise.all(
      all.map(({ claims }) => claims.once(question, begin, async () => laid)),
    );
    expect(begun).toBe(1);
    expect(new Set(answers)).toEqual(new Set(['the answer']));
  });

  test('another question under the same name is refused, whoever answers the first', async () => {
    const store = await openNew();
    const [one, other] = [await join(store), await join(store)];
    await one.claims.once(question, async () => 'mine', nothing);
    const different = { ...question, asked: 'another question' };
    const asking = other.claims.once(different, async () => 'mine', nothing);
    await expect(asking).rejects.toMatchObject({ code: 'conflict' });
    expect(await rows(store)).toMatchObject([{ asked: 'the question' }]);
  });

  test('what was refused is free again: who waited begins it', async () => {
    const store = await openNew();
    const [one, other] = [await join(store), await join(store)];
    const refusal = Promise.withResolvers<string>();
    const first = one.claims.once(question, () => refusal.promise, nothing);
    const looks = Promise.withResolvers<void>();
    const second = other.claims.once(
      question,
      async () => 'the other’s',
      async () => looks.resolve(),
    );
    await looks.promise;
    refusal.reject(new Error('refused'));
    await expect(first).rejects.toThrow('refused');
    expect(await second).toBe('the other’s');
  });

  test('a process that dies before its answer can be read leaves the question to one other', async () => {
    const store = await openNew();
    const [dead, one, other] = [await join(store), await join(store), await join(store)];
    void dead.claims.once(question, () => new Promise<never>(() => {}), nothing);
    while ((await rows(store)).length === 0);
    expect(await one.claims.waitFor(question.claim, async () => 'there')).toBe('there');
    await dead.die();
    expect(await one.claims.waitFor(question.claim, async () => 'there')).toBeUndefined();
    let laid: string | undefined;
    let begun = 0;
    const begin = async () => {
      begun += 1;
      return (laid = 'anew');
    };
    const both = [one, other].map(({ claims }) => claims.once(question, begin, async () => laid));
    expect(await Promise.all(both)).toEqual(['anew', 'anew']);
    expect(begun).toBe(1);
    // What the dead one still says counts for nothing.
    dead.claims.release(question.claim);
    expect(await rows(store)).toHaveLength(1);
  });

  test('a dead process’s answer that can be read is not begun anew', async () => {
    const store = await openNew();
    const [dead, other] = [await join(store), await join(store)];
    await dead.claims.once(question, async () => 'mine', nothing);
    await dead.die();
    const begin = async () => 'anew';
    expect(await other.claims.once(question, begin, async () => 'the dead one’s')).toBe(
      'the dead one’s',
    );
  });

  describe('a name is free again', () => {
    test('when its answer can be read no longer', async () => {
      const store = await openNew();
      const [one, other] = [await join(store), await join(store)];
      await one.claims.once(question, async () => 'mine', nothing);
      one.claims.release(question.claim);
      expect(await other.claims.once(question, async () => 'anew', nothing)).toBe('anew');
      // Not that of the one who has it now.
      one.claims.release(question.claim);
      expect(await rows(store)).toHaveLength(1);
    });

    test('an hour after a process died over it', async () => {
      let time = new Date('2026-01-01T00:00:00.000Z');
      const store = await openNew();
      const { claims } = await join(store, () => time);
      await claims.once(question, async () => 'mine', nothing);
      time = new Date('2026-01-01T00:59:00.000Z');
      await claims.deleteLeftovers();
      expect(await rows(store)).toHaveLength(1);
      time = new Date('2026-01-01T01:01:00.000Z');
      await claims.deleteLeftovers();
      expect(await rows(store)).toEqual([]);
    });
  });
});
