import { expect, test } from 'vitest';
import { nextAfter } from './rows.ts';

/** The next times of a schedule, one after the other. */
function times(cron: string, timeZone: string, from: string, count: number): string[] {
  const found: string[] = [];
  for (let time = new Date(from); found.length < count;) {
    const next = nextAfter({ on: 'schedule', cron, timeZone }, time);
    if (!next) break;
    found.push(next.toISOString());
    time = next;
  }
  return found;
}

test('a schedule keeps its hour when the clocks change', () => {
  expect(times('0 7 * * *', 'Europe/Berlin', '2026-03-27T12:00:00Z', 3)).toEqual([
    '2026-03-28T06:00:00.000Z',
    '2026-03-29T05:00:00.000Z',
    '2026-03-30T05:00:00.000Z',
  ]);
});

test('an hour that a day lacks is made up for, once', () => {
  expect(times('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
});

test('an hour that a day has twice counts once', () => {
  expect(times('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ]);
});

test.each([
  ['six fields', '0 0 7 * * 1', 'UTC', 'trigger.cron'],
  ['a day that no month has', '0 0 31 2 *', 'UTC', 'trigger.cron'],
  ['a time zone that is none', '0 7 * * *', 'Berlin', 'trigger.timeZone'],
])('refuses %s', (_what, cron, timeZone, path) => {
  expect(() => nextAfter({ on: 'schedule', cron, timeZone }, new Date())).toThrow(
    expect.objectContaining({ code: 'bad_request', details: [expect.objectContaining({ path })] }),
  );
});
