/** How many gaps were closed, and how many answers a change of the documentation lost. */
import type { Loop, OverviewReply } from '@docent/shared/overview';
import { sql } from 'kysely';
import type { Database } from '../../platform/store/database.ts';
import type { Period } from '../analytics/summary.ts';

export async function loopOf(
  database: Database,
  domains: readonly string[],
  { current, previous }: { current: Period; previous: Period },
  now: Date,
): Promise<OverviewReply['loop']> {
  const month = { from: `${now.toISOString().slice(0, 7)}-01`, to: current.to };
  const [hours, before, thisMonth] = await Promise.all([
    loopHours(database, domains, current),
    loopHours(database, domains, previous),
    loopHours(database, domains, month),
  ]);
  const closedThisMonth = sumOf(thisMonth).closed;
  return { current: sumOf(hours), previous: sumOf(before), closedThisMonth, hours };
}

type Hours = OverviewReply['loop']['hours'];

const sumOf = (hours: Hours): Loop =>
  hours.reduce(
    (sum, { closed, lost }) => ({ closed: sum.closed + closed, lost: sum.lost + lost }),
    {
      closed: 0,
      lost: 0,
    },
  );

/** Times are ISO text: the first 13 characters are the hour. */
async function loopHours(
  database: Database,
  domains: readonly string[],
  { from, to }: Period,
): Promise<Hours> {
  const closed = await database
    .selectFrom('gaps')
    .select(({ fn }) => [
      sql<string>`substr(answered_at, 1, 13)`.as('hour'),
      fn.countAll().as('count'),
    ])
    .where('domain', 'in', domains)
    .where('answered_at', '>=', from)
    .where('answered_at', '<', to)
    .groupBy('hour')
    .execute();
  const lost = await database
    .selectFrom('gap_asks')
    .select(({ fn }) => [
      sql<string>`substr(finished_at, 1, 13)`.as('hour'),
      fn.countAll().as('count'),
    ])
    .where('domain', 'in', domains)
    .where('finished_at', '>=', from)
    .where('finished_at', '<', to)
    .where('is_lost', '=', 1)
    .groupBy('hour')
    .execute();
  const hours = new Map<string, Hours[number]>();
  const add = (name: keyof Loop, rows: { hour: string; count: unknown }[]) => {
    for (const { hour, count } of rows) {
      const sum = hours.get(hour) ?? { time: `${hour}:00:00.000Z`, closed: 0, lost: 0 };
      hours.set(hour, { ...sum, [name]: Number(count) });
    }
  };
  add('closed', closed);
  add('lost', lost);
  return [...hours.values()].toSorted((a, b) => a.time.localeCompare(b.time));
}
