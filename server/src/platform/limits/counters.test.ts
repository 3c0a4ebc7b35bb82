import { expect, test } from 'vitest';
import { windowOf } from './counters.ts';

test.each([
  ['hour', '2026-11-21T13:59:59.999Z', '2026-11-21T13:00:00.000Z', '2026-11-21T14:00:00.000Z'],
  ['hour', '2026-11-21T14:00:00.000Z', '2026-11-21T14:00:00.000Z', '2026-11-21T15:00:00.000Z'],
  ['day', '2026-11-21T23:59:59.999Z', '2026-11-21T00:00:00.000Z', '2026-11-22T00:00:00.000Z'],
  ['month', '2028-02-29T12:00:00.000Z', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
  ['month', '2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
] as const)('the %s of %s', (period, time, start, end) => {
  expect(windowOf(period, new Date(time))).toEqual({ start: new Date(start), end: new Date(end) });
});
