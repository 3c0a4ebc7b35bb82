/** Counts requests in fixed windows in UTC, the same for every process, and refuses those over a limit. */
import type { Request, RequestHandler, Response } from 'express';
import { type IncrementResponse, rateLimit, type Store } from 'express-rate-limit';
import { sql } from 'kysely';
import { DocentError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import { dayMs, hourMs, minuteMs } from '../time.ts';

const periodMs = { minute: minuteMs, hour: hourMs, day: dayMs, month: 31 * dayMs };
export type Period = keyof typeof periodMs;

export interface Window {
  start: Date;
  /** The first moment after the window. */
  end: Date;
}

/** The minute, the hour, the day, or the calendar month that a time is in. */
export function windowOf(period: Period, time: Date): Window {
  if (period === 'month') {
    const [year, month] = [time.getUTCFullYear(), time.getUTCMonth()];
    return { start: new Date(Date.UTC(year, month)), end: new Date(Date.UTC(year, month + 1)) };
  }
  const lengthMs = periodMs[period];
  const start = Math.floor(time.getTime() / lengthMs) * lengthMs;
  return { start: new Date(start), end: new Date(start + lengthMs) };
}

export interface CounterDeps {
  database: Database;
  now: () => Date;
}

export type Counter = ReturnType<typeof createCounter>;

/**
 * A store for express-rate-limit in the database. Each count is one statement, so it's exact for
 * parallel requests and across processes, and survives a restart. The package's own store is in memory,
 * and its timer can't hold a month.
 */
export function createCounter({ database, now }: CounterDeps, name: string, period: Period) {
  const current = (subject: string) => {
    const { start, end } = windowOf(period, now());
    return { end, row: { name, subject, window_start: start.toISOString() } };
  };

  return {
    localKeys: false,
    period,
    prefix: name,

    async increment(subject: string): Promise<IncrementResponse> {
      const { end, row } = current(subject);
      const { hits } = await database
        .insertInto('counters')
        .values({ ...row, window_end: end.toISOString(), hits: 1 })
        .onConflict((conflict) =>
          conflict
            .columns(['name', 'subject', 'window_start'])
            .doUpdateSet({ hits: sql<number>`counters.hits + 1` }),
        )
        .returning('hits')
        .executeTakeFirstOrThrow();
      // The package computes headers with the machine's clock; `now` may be a test's.
      const resetTime = new Date(Date.now() + end.getTime() - now().getTime());
      return { totalHits: hits, resetTime };
    },

    /** What was counted so far in this window. */
    async hits(subject: string): Promise<number> {
      const row = await database
        .selectFrom('counters')
        .select('hits')
        .where((and) => and.and(current(subject).row))
        .executeTakeFirst();
      return row?.hits ?? 0;
    },

    async decrement(subject: string): Promise<void> {
      await database
        .updateTable('counters')
        .set({ hits: sql<number>`hits - 1` })
        .where((and) => and.and(current(subject).row))
        .where('hits', '>', 0)
        .execute();
    },

    async resetKey(subject: string): Promise<void> {
      await database
        .deleteFrom('counters')
        .where((and) => and.and(current(subject).row))
        .execute();
    },
  } satisfies Store & { period: Period; hits: unknown };
}

export async function deleteOldCounters(database: Database, now: Date): Promise<void> {
  await database.deleteFrom('counters').where('window_end', '<=', now.toISOString()).execute();
}

/** express-rate-limit, over our counters and with our errors. */
export function createLimiter(options: {
  counter: Counter;
  limit: number;
  /** A request without a subject isn't counted. */
  subject: (request: Request, response: Response) => string | undefined;
  message: string;
  onRefused?: (response: Response) => Promise<void>;
}): RequestHandler {
  const { counter, limit, subject } = options;
  return rateLimit({
    store: counter,
    limit,
    windowMs: periodMs[counter.period],
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier: counter.prefix,
    skip: (request, response) => subject(request, response) === undefined,
    keyGenerator: (request, response) => subject(request, response) ?? '',
    // `trust proxy` is our setting, checked at start; a stray X-Forwarded-For is no mistake of ours.
    validate: { xForwardedForHeader: false, forwardedHeader: false, keyGeneratorIpFallback: false },
    handler: async (_request, response, next) => {
      await options.onRefused?.(response);
      const retryAfter = Number(response.getHeader('Retry-After'));
      next(new DocentError('rate_limited', options.message, { retryAfter }));
    },
  });
}
