import { expect, test } from 'vitest';
import { pauseAfter, retry, type RetryOptions } from './retry.ts';

const policy = { attempts: 3, baseMs: 1, capMs: 100 };

class Busy extends Error {
  readonly afterMs: number | undefined;
  constructor(afterMs?: number) {
    super('busy');
    this.afterMs = afterMs;
  }
}

/** A call that fails with each of these errors, then succeeds. */
async function attempt(errors: Error[], options: Partial<RetryOptions> = {}) {
  let calls = 0;
  const call = async () => {
    const error = errors[calls++];
    if (error) throw error;
    return 'done';
  };
  const outcome: unknown = await retry(call, {
    policy,
    isRetryable: (error) => error instanceof Busy,
    retryAfterMs: (error) => (error as Busy).afterMs,
    ...options,
  }).catch((error: unknown) => error);
  return { outcome, calls };
}

test('a failure that passes is tried again', async () => {
  expect(await attempt([])).toEqual({ outcome: 'done', calls: 1 });
  expect(await attempt([new Busy(), new Busy(0)])).toEqual({ outcome: 'done', calls: 3 });
});

test('the last error is the result when no attempt is left', async () => {
  const errors = [new Busy(), new Busy(), new Busy()];
  expect(await attempt(errors)).toEqual({ outcome: errors[2], calls: 3 });
});

test('another error ends it at once', async () => {
  const error = new Error('a mistake of ours');
  expect(await attempt([error])).toEqual({ outcome: error, calls: 1 });
});

test('a server that asks for a longer pause than the cap is left alone', async () => {
  const error = new Busy(101);
  expect(await attempt([error])).toEqual({ outcome: error, calls: 1 });
});

test('an abort ends the pause, and rejects with its reason', async () => {
  const controller = new AbortController();
  const reason = new Error('stopped');
  const pausing = attempt([new Busy(50_000)], {
    policy: { ...policy, capMs: 60_000 },
    isRetryable: () => {
      setImmediate(() => controller.abort(reason));
      return true;
    },
    signal: controller.signal,
  });
  expect(await pausing).toEqual({ outcome: reason, calls: 1 });
});

test('pauses double up to the cap, and vary by a quarter', () => {
  const usual = { attempts: 9, baseMs: 1_000, capMs: 30_000 };
  expect([1, 2, 3, 4, 5, 6].map((each) => pauseAfter(each, usual, 0.5))).toEqual([
    1_000, 2_000, 4_000, 8_000, 16_000, 30_000,
  ]);
  expect([0, 1].map((random) => pauseAfter(1, usual, random))).toEqual([750, 1_250]);
});
