import { describe, expect, test } from 'vitest';
import { createSlowDown, delayOf } from './slow-down.ts';

const options = { fromShare: 0.8, longestSeconds: 4, mostWaiting: 2 };
const here = new AbortController().signal;

test.each([
  [1, 10, 0],
  [8, 10, 0],
  [9, 10, 2_000],
  [10, 10, 4_000],
  [12, 10, 4_000],
  [16, 20, 0],
  [17, 20, 1_000],
  [18, 20, 2_000],
  [19, 20, 3_000],
  [20, 20, 4_000],
  [1, 1, 4_000],
])('%i of %i: %i ms', (used, limit, ms) => {
  expect(delayOf({ used, limit }, options)).toBe(ms);
});

/** Waits that end when a test says so. */
function gates() {
  const open: { ms: number; go: () => void }[] = [];
  const sleep = (ms: number, signal: AbortSignal) =>
    new Promise<void>((go) => {
      open.push({ ms, go });
      signal.addEventListener('abort', () => go());
    });
  return { open, sleep };
}

describe('who comes too fast', () => {
  test('waits as long as the fullest window asks for', async () => {
    const { open, sleep } = gates();
    const slow = createSlowDown(options, sleep);
    let isOver = false;
    const windows = [
      { used: 1, limit: 100 },
      { used: 9, limit: 10 },
    ];
    const waiting = slow.wait(windows, here).then(() => (isOver = true));
    await Promise.resolve();
    expect(open.map(({ ms }) => ms)).toEqual([2_000]);
    expect([isOver, slow.waiting]).toEqual([false, 1]);
    open[0]?.go();
    await waiting;
    expect(slow.waiting).toBe(0);
  });

  test('is refused at once where too many wait already', async () => {
    const { open, sleep } = gates();
    const slow = createSlowDown(options, sleep);
    const windows = [{ used: 10, limit: 10 }];
    const first = [slow.wait(windows, here), slow.wait(windows, here)];
    await expect(slow.wait(windows, here)).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfter: 4,
    });
    // Who is below the share does not wait, and is not refused.
    await slow.wait([{ used: 1, limit: 10 }], here);
    for (const { go } of open) go();
    await Promise.all(first);
    expect(slow.waiting).toBe(0);
  });

  test('makes room when it leaves', async () => {
    const slow = createSlowDown(options);
    const leaving = new AbortController();
    const waiting = slow.wait([{ used: 10, limit: 10 }], leaving.signal);
    expect(slow.waiting).toBe(1);
    leaving.abort();
    await waiting;
    expect(slow.waiting).toBe(0);
  });

  test('is not held up where that is switched off', async () => {
    const { open, sleep } = gates();
    await createSlowDown(false, sleep).wait([{ used: 10, limit: 10 }], here);
    expect(open).toEqual([]);
  });
});
