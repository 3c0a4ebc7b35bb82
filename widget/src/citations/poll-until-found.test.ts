import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pollUntilFound } from './poll-until-found.ts';

let page = new AbortController();
beforeEach(() => {
  vi.useFakeTimers();
  page = new AbortController();
});
afterEach(() => {
  page.abort();
  vi.useRealTimers();
  document.body.replaceChildren();
});

/** Looks that take so long, and find something from the given one on. */
function start(spentMs: number, foundAt = Infinity) {
  let polls = 0;
  const ends: (string | undefined)[] = [];
  const stop = pollUntilFound<string>({
    async poll() {
      polls++;
      return polls >= foundAt ? { found: 'it', spentMs } : { spentMs };
    },
    done: (found) => ends.push(found),
    signal: page.signal,
  });
  return { stop, polls: () => polls, ends };
}
/** A page that never rests, as one with a clock or an advertisement. */
async function change(ms: number): Promise<void> {
  for (let at = 0; at < ms; at += 50) {
    document.body.append(document.createElement('p'));
    await vi.advanceTimersByTimeAsync(50);
  }
}

test('a page that does not change is polled at once', async () => {
  const { polls, ends } = start(1);
  await vi.advanceTimersByTimeAsync(7_900);
  expect(polls()).toBe(1);
  expect(ends).toEqual([]);
  await vi.advanceTimersByTimeAsync(200);
  expect(polls()).toBe(1);
  expect(ends).toEqual([undefined]);
});

test('a page that keeps changing takes a tenth of the time, and polling ends', async () => {
  const slow = start(300);
  await change(12_000);
  expect(slow.polls()).toBeLessThanOrEqual(4);
  expect(slow.ends).toEqual([undefined]);
  const quick = start(1);
  await change(12_000);
  expect(quick.polls()).toBeGreaterThan(10);
  expect(quick.polls()).toBeLessThanOrEqual(8_000 / 150 + 1);
  expect(quick.ends).toEqual([undefined]);
});

test('late content is found once', async () => {
  const { polls, ends } = start(1, 3);
  await change(5_000);
  expect(polls()).toBe(3);
  expect(ends).toEqual(['it']);
});

test('polling stops at its end', async () => {
  const { stop, polls, ends } = start(1);
  await change(300);
  const before = polls();
  stop();
  await change(9_000);
  expect([polls(), ends]).toEqual([before, []]);
  const gone = start(1);
  page.abort();
  await change(9_000);
  expect([gone.polls(), gone.ends]).toEqual([0, []]);
});

test('a failed poll counts as finding nothing', async () => {
  let polls = 0;
  const done = vi.fn<(found: unknown) => void>();
  const poll = () => Promise.reject(new Error(`poll ${++polls}`));
  pollUntilFound({ poll, done, signal: page.signal });
  await change(9_000);
  expect(polls).toBeGreaterThan(1);
  expect(done.mock.calls).toEqual([[undefined]]);
});
