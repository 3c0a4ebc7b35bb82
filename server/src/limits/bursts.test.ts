import { beforeEach, describe, expect, test } from 'vitest';
import { eachDatabase } from '../../testing/each-database.ts';
import type { Database } from '../store/database.ts';
import { type Burst, countBursts, deleteOldBursts, minuteMs } from './bursts.ts';

/** The begin of a clock minute. */
const start = 29_000_000 * minuteMs;

/** The same figures on every run: a small linear congruential generator. */
function random(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

eachDatabase((openNew) => {
  let database: Database;
  let subject = 0;
  beforeEach(async () => {
    ({ database } = await openNew());
  });

  const burst = (limit: number, name = 'reader-minute'): Burst => ({
    name,
    subject: `s${subject}`,
    limit,
  });
  async function hit(time: number, ...bursts: Burst[]) {
    const states = await countBursts(database, bursts, time);
    return { states, isLetIn: states.every(({ isLetIn }) => isLetIn) };
  }

  test('fifty at once against a limit of twenty: exactly twenty', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => hit(start, burst(20))));
    expect(all.filter(({ isLetIn }) => isLetIn)).toHaveLength(20);
    const remaining = all.map(({ states }) => states[0]?.remaining ?? -1);
    expect(remaining.toSorted((a, b) => b - a).slice(0, 20)).toEqual(
      Array.from({ length: 20 }, (_, n) => 19 - n),
    );
  });

  test('it slides: at the turn of the minute nothing is given away', async () => {
    for (let i = 0; i < 10; i++) await hit(start + 59_000, burst(10));
    expect((await hit(start + 60_000, burst(10))).isLetIn).toBe(false);
    // Halfway, half of them count still.
    for (let i = 0; i < 5; i++) expect((await hit(start + 90_000, burst(10))).isLetIn).toBe(true);
    expect((await hit(start + 90_000, burst(10))).isLetIn).toBe(false);
    // Two minutes on, these five have fallen out as well.
    for (let i = 0; i < 10; i++) expect((await hit(start + 180_000, burst(10))).isLetIn).toBe(true);
  });

  test('what is refused counts for nothing', async () => {
    for (let i = 0; i < 100; i++) await hit(start, burst(2));
    expect((await hit(start + 60_000 + 30_000, burst(2))).isLetIn).toBe(true);
  });

  test('one that is full takes nothing from the others', async () => {
    const [small, large] = [burst(1, 'thread-minute'), burst(10, 'address-minute')];
    expect((await hit(start, large, small)).isLetIn).toBe(true);
    for (let i = 0; i < 20; i++) {
      const { states, isLetIn } = await hit(start, large, small);
      expect(isLetIn).toBe(false);
      expect(states.map(({ name }) => name)).toEqual(['thread-minute']);
    }
    expect((await hit(start, large)).states[0]?.remaining).toBe(8);
  });

  describe('whenever questions come', () => {
    test.each([1, 2, 3, 4, 5, 6])(
      'whoever waits as told is let in, and `remaining` are: run %i',
      async (seed) => {
        const next = random(seed);
        const limit = 1 + next(8);
        let time = start + next(minuteMs);
        for (let step = 0; step < 60; step++) {
          const { states, isLetIn } = await hit(time, burst(limit));
          const state = states[0];
          if (!state) throw new Error('A window says nothing of itself');
          if (isLetIn) {
            expect(state.used).toBeLessThanOrEqual(limit);
            for (let i = 0; i < state.remaining; i++)
              expect((await hit(time, burst(limit))).isLetIn).toBe(true);
            expect((await hit(time, burst(limit))).isLetIn).toBe(false);
          } else {
            expect(state.resetSeconds).toBeLessThanOrEqual(120);
            time += state.resetSeconds * 1000;
            expect((await hit(time, burst(limit))).isLetIn).toBe(true);
          }
          time += next(40_000);
        }
      },
    );

    test('an even stream at the limit is never refused, one at twice the limit half the time', async () => {
      const stream = async (limit: number, every: number) => {
        let passed = 0;
        subject += 1;
        for (let i = 0; i < 60; i++) {
          if ((await hit(start + 60_000 * 10 + i * every, burst(limit))).isLetIn) passed += 1;
        }
        return passed;
      };
      expect(await stream(11, 6_000)).toBe(60);
      const half = await stream(10, 3_000);
      expect(half).toBeGreaterThanOrEqual(28);
      expect(half).toBeLessThanOrEqual(36);
    });
  });

  describe('a clock that steps, at a restart or between two machines', () => {
    test.each([
      ['a day forward', 24 * 60 * minuteMs],
      ['a day back', -24 * 60 * minuteMs],
      ['ten minutes back', -10 * minuteMs],
    ])('%s: the limit holds from then on, and nobody is locked out', async (_name, step) => {
      for (let i = 0; i < 5; i++) await hit(start, burst(5));
      expect((await hit(start, burst(5))).isLetIn).toBe(false);
      const after = start + step;
      for (let i = 0; i < 5; i++) expect((await hit(after, burst(5))).isLetIn).toBe(true);
      const { states, isLetIn } = await hit(after, burst(5));
      expect(isLetIn).toBe(false);
      expect(states[0]?.resetSeconds).toBeLessThanOrEqual(120);
    });

    test('a second behind, across the turn of a minute: one window for both', async () => {
      for (let i = 0; i < 3; i++) await hit(start, burst(5));
      for (let i = 0; i < 2; i++) expect((await hit(start - 500, burst(5))).isLetIn).toBe(true);
      expect((await hit(start - 500, burst(5))).isLetIn).toBe(false);
      expect((await hit(start, burst(5))).isLetIn).toBe(false);
    });
  });

  test('rows that count for nothing any more are removed', async () => {
    await hit(start, burst(5));
    await deleteOldBursts(database, start + minuteMs);
    expect((await hit(start + minuteMs, burst(5))).states[0]?.used).toBe(2);
    await deleteOldBursts(database, start + 3 * minuteMs);
    expect(await database.selectFrom('bursts').selectAll().execute()).toEqual([]);
  });
});
