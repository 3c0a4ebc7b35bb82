import { expect, test } from 'vitest';
import { createLoop } from './loop.ts';

test('works once at a time, and once more for all who asked in the meantime', async () => {
  const rounds: PromiseWithResolvers<void>[] = [];
  const loop = createLoop({
    onError: () => {},
    work() {
      const round = Promise.withResolvers<void>();
      rounds.push(round);
      return round.promise;
    },
  });
  const first = loop.wake();
  const [second, third] = [loop.wake(), loop.wake()];
  expect(rounds.length).toBe(1);
  rounds[0]?.resolve();
  await Promise.resolve();
  await expect.poll(() => rounds.length).toBe(2);
  rounds[1]?.resolve();
  await Promise.all([first, second, third]);
  expect(rounds.length).toBe(2);
});

test('goes on after an error, by itself', async () => {
  let rounds = 0;
  const errors: unknown[] = [];
  const loop = createLoop({
    work: () => Promise.reject(new Error(`round ${++rounds}`)),
    onError: (error) => errors.push(error),
    everyMs: 1,
  });
  loop.start();
  expect(rounds).toBe(0);
  await expect.poll(() => errors.length).toBeGreaterThan(1);
  await loop.stop();
});

test('a stop waits for the round in progress, and none follows', async () => {
  const round = Promise.withResolvers<void>();
  let rounds = 0;
  const loop = createLoop({
    work: () => (rounds++, round.promise),
    onError: () => {},
    everyMs: 1,
  });
  void loop.wake();
  void loop.wake();
  let isStopped = false;
  const stopping = loop.stop().then(() => (isStopped = true));
  await Promise.resolve();
  expect(isStopped).toBe(false);
  round.resolve();
  await stopping;
  await loop.wake();
  expect(rounds).toBe(1);
});
