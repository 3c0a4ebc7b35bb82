import { expect, test } from 'vitest';
import { createPace, loadMs } from './pace.ts';

test('a slow server has ten times what it takes, and its speed is that of the loaded model', () => {
  const pace = createPace();
  expect(pace.timeLimitMs(4)).toBe(loadMs);
  pace.took(4, 90_000.5);
  expect(pace.size()).toBe(1);
  pace.took(1, 7_000.37);
  expect(pace.perSecond()).toBeCloseTo(1 / 7, 3);
  const limit = pace.timeLimitMs(1);
  expect(limit).toBe(70_004);
  // A fraction of a millisecond is an error.
  expect(AbortSignal.timeout(limit).aborted).toBe(false);
});
