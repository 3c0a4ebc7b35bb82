/** Figures of a whole organization. Not in the service document. */
import { z } from 'zod';

export const overviewPeriods = { '24h': 1, '7d': 7, '30d': 30 } as const;
export type OverviewPeriod = keyof typeof overviewPeriods;

export const OverviewQuery = z.strictObject({
  period: z.enum(['24h', '7d', '30d']).default('7d'),
  /** Where the period begins, such as a midnight where the reader is; at most the period ago, which is the default. */
  from: z.iso.datetime().optional(),
  /** One site instead of all. */
  site: z.string().max(200).optional(),
});
export type OverviewQuery = z.output<typeof OverviewQuery>;

const count = z.number();

const Totals = z.object({
  questions: count,
  readers: count,
  answered: count,
  unanswered: count,
  refused: count,
  /** Stopped, failed, or interrupted. */
  incomplete: count,
  thumbsUp: count,
  thumbsDown: count,
  /** Answers that spared a message to people, as their readers said. */
  deflected: count,
  inputTokens: count,
  outputTokens: count,
  costUsd: count,
  /** From the question to the first word, exact to 10 ms: the median, and the slowest 5 %. */
  firstTextMs: z.object({ p50: count, p95: count }).nullable(),
});
export type Totals = z.output<typeof Totals>;

/** What a new owner does next. */
export const overviewSteps = ['index', 'ask', 'install', 'model', 'people'] as const;

/** What became of gaps: those whose questions all have an answer now, and answers that a change of the documentation lost. */
const Loop = z.object({ closed: count, lost: count });
export type Loop = z.output<typeof Loop>;

export const OverviewReply = z.object({
  from: z.string(),
  to: z.string(),
  current: Totals,
  /** The same time before. */
  previous: Totals,
  loop: z.object({
    current: Loop,
    previous: Loop,
    /** Gaps that were closed since the beginning of this month (UTC). */
    closedThisMonth: count,
    /** Hours in which something happened. */
    hours: z.array(Loop.extend({ time: z.string() })),
  }),
  /** Hours with questions; `time` is the hour's beginning. */
  hours: z.array(
    z.object({
      time: z.string(),
      answered: count,
      unanswered: count,
      refused: count,
      incomplete: count,
      tokens: count,
      costUsd: count,
    }),
  ),
  steps: z.array(z.object({ id: z.enum(overviewSteps), isDone: z.boolean() })),
});
export type OverviewReply = z.output<typeof OverviewReply>;

const Spent = z.object({ questions: count, tokens: count, costUsd: count });

export const UsageReply = z.object({
  from: z.string(),
  to: z.string(),
  hours: OverviewReply.shape.hours,
  sites: z.array(Spent.extend({ domain: z.string() })),
  models: z.array(Spent.extend({ model: z.string() })),
  /** Keys and people, whose questions and jobs cost something. Days count as a whole. */
  keys: z.array(z.object({ id: z.string(), name: z.string(), tokens: count, costUsd: count })),
  /** What is left of the budgets in the configuration, in their current periods. */
  budgets: z.array(
    z.object({
      of: z.enum(['key', 'organization', 'site']),
      name: z.string(),
      period: z.enum(['day', 'month']),
      unit: z.enum(['tokens', 'dollars']),
      limit: count,
      spent: count,
      reserved: count,
      endsAt: z.string(),
      /** The highest alert of this period in percent: 50, 80, or 100. */
      alerted: count.nullable(),
    }),
  ),
});
export type UsageReply = z.output<typeof UsageReply>;
