/**
 * Sliding windows of a minute, each in one row: the hits of this clock minute and of the one before it,
 * of which only the part counts that the sliding minute still covers. That is a close estimate of an
 * exact log (which would be rewritten in full at each hit), at the price of two numbers whatever the
 * limit is. All windows of a request are one statement, exact under parallel requests and across
 * processes. What is refused counts for nothing, so whoever waits as long as they are told gets in.
 */
import { sql } from 'kysely';
import type { Database } from '../store/database.ts';
import type { BurstTable } from '../store/tables.ts';

export const minuteMs = 60_000;

/** Of what is counted in whole numbers: thousandths of the minute before. */
const whole = 1_000;

export interface Burst {
  /** Which limit, as the `RateLimit` header names it. */
  name: string;
  subject: string;
  limit: number;
}

/** How a window stands after a hit. */
export interface BurstState extends Burst {
  isLetIn: boolean;
  /** Hits in the minute that ends now, this one included. */
  used: number;
  /** How many more are let in right now. */
  remaining: number;
  /** Seconds until one more is let in than now. */
  resetSeconds: number;
}

/**
 * Counts a hit in all windows, or in none where one of them is full. `time` is of a clock that does not
 * step; a row from much earlier or later says nothing about now, and begins anew.
 */
export async function countBursts(
  database: Database,
  bursts: Burst[],
  time: number,
): Promise<BurstState[]> {
  const slot = Math.floor(time / minuteMs);
  const weight = weightAt(time);
  const rows = await database
    .insertInto('bursts')
    .values(
      bursts.map(({ name, subject, limit }) => ({
        name,
        subject,
        slot,
        current_hits: 1,
        previous_hits: 0,
        previous_weight: weight,
        most_hits: limit,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['name', 'subject'])
        .doUpdateSet({
          slot: sql<number>`case when ${isSame} then bursts.slot else excluded.slot end`,
          current_hits: sql<number>`${current} + 1`,
          previous_hits: previous,
          previous_weight: sql<number>`excluded.previous_weight`,
          most_hits: sql<number>`excluded.most_hits`,
        })
        .where(
          sql<boolean>`${previous} * excluded.previous_weight + (${current} + 1) * ${sql.lit(whole)}
            <= excluded.most_hits * ${sql.lit(whole)}`,
        ),
    )
    .returningAll()
    .execute();
  const states = bursts.map((burst) => {
    const row = rows.find(({ name, subject }) => name === burst.name && subject === burst.subject);
    return row && toState(burst, row, time, true);
  });
  const counted = states.filter((state) => state !== undefined);
  if (counted.length === bursts.length) return counted;
  if (counted.length > 0) await takeBack(database, counted);
  const full = bursts.filter((_burst, index) => states[index] === undefined);
  return Promise.all(full.map((burst) => readFull(database, burst, time)));
}

/** How much of the minute before still counts, in thousandths. */
const weightAt = (time: number) =>
  Math.ceil((minuteMs - Math.floor(time % minuteMs)) / (minuteMs / whole));

/** The row is of this minute; a clock that is a little behind another process's is no other minute. */
const isSame = sql`excluded.slot = bursts.slot or excluded.slot = bursts.slot - 1`;
const current = sql<number>`(case when ${isSame} then bursts.current_hits else 0 end)`;
const previous = sql<number>`(case when ${isSame} then bursts.previous_hits
  when excluded.slot = bursts.slot + 1 then bursts.current_hits else 0 end)`;

async function takeBack(database: Database, counted: Burst[]): Promise<void> {
  await database
    .updateTable('bursts')
    .set({ current_hits: sql<number>`current_hits - 1` })
    .where('current_hits', '>', 0)
    .where((where) => where.or(counted.map(({ name, subject }) => where.and({ name, subject }))))
    .execute();
}

async function readFull(database: Database, burst: Burst, time: number): Promise<BurstState> {
  const { name, subject } = burst;
  const row = await database
    .selectFrom('bursts')
    .selectAll()
    .where('name', '=', name)
    .where('subject', '=', subject)
    .executeTakeFirst();
  const slot = Math.floor(time / minuteMs);
  // Gone or renewed since: whoever comes again in a second will be let in.
  if (!row) return { ...burst, isLetIn: false, used: burst.limit, remaining: 0, resetSeconds: 1 };
  const isBefore = row.slot === slot - 1;
  const now = isBefore
    ? { ...row, slot, current_hits: 0, previous_hits: row.current_hits }
    : { ...row, slot };
  return toState(burst, now, time, false);
}

function toState(
  burst: Burst,
  { current_hits, previous_hits }: Pick<BurstTable, 'current_hits' | 'previous_hits'>,
  time: number,
  isLetIn: boolean,
): BurstState {
  const { limit } = burst;
  const elapsed = time % minuteMs;
  const used = (previous_hits * weightAt(time)) / whole + current_hits;
  const remaining = isLetIn ? Math.max(0, Math.floor(limit - used)) : 0;
  const waitMs = msUntil(limit - remaining - 1, { current_hits, previous_hits }, elapsed);
  const resetSeconds = Math.max(1, Math.ceil((waitMs + 1) / 1000));
  return { ...burst, isLetIn, used: Math.ceil(used), remaining, resetSeconds };
}

/** How long until at most `wanted` hits are counted, if none comes. */
function msUntil(
  wanted: number,
  { current_hits, previous_hits }: Pick<BurstTable, 'current_hits' | 'previous_hits'>,
  elapsed: number,
): number {
  const left = minuteMs - elapsed;
  // Within this minute only the one before fades; `whole` hides a part of a thousandth.
  const inThis = (1 - (wanted - current_hits) / previous_hits) * minuteMs - elapsed;
  if (current_hits <= wanted) return Math.max(0, Math.min(left, inThis + minuteMs / whole));
  return left + Math.min(minuteMs, (1 - wanted / current_hits) * minuteMs + minuteMs / whole);
}

/** Rows that count for nothing any more. */
export async function deleteOldBursts(database: Database, time: number): Promise<void> {
  const slot = Math.floor(time / minuteMs);
  await database
    .deleteFrom('bursts')
    .where((where) => where.or([where('slot', '<', slot - 1), where('slot', '>', slot + 1)]))
    .execute();
}
