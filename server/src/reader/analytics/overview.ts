/** Figures of one site or of several together. */
import type { SummaryResponse } from '@docent/shared/analytics';
import {
  type OverviewReply,
  overviewPeriods,
  type OverviewQuery,
  type Totals,
  type UsageReply,
  type Loop,
} from '@docent/shared/overview';
import { type ExpressionBuilder, sql } from 'kysely';
import { toDollars } from '../../budgets/cost.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Tables } from '../../platform/store/tables.ts';
import { dayMs } from '../../platform/time.ts';
import { countRatings, countReaders, feedbackByPage, type Period, turnsOf } from './summary.ts';

type Hour = OverviewReply['hours'][number];

export interface Scope {
  organization: string;
  /** Sites of the organization. */
  domains: readonly string[];
}

/** The period that ends now, and as much of the period before. */
export function periodsOf(
  { period, from }: Pick<OverviewQuery, 'period' | 'from'>,
  now: Date,
): { current: Period; previous: Period } {
  const lengthMs = overviewPeriods[period] * dayMs;
  const end = now.getTime();
  // A day may have 25 hours.
  const earliest = from === undefined ? end - lengthMs : end - lengthMs - dayMs / 24;
  const start = Math.min(end, Math.max(earliest, from === undefined ? 0 : Date.parse(from)));
  const between = (fromMs: number, toMs: number): Period => ({
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
  });
  return {
    current: between(start, end),
    previous: between(start - lengthMs, end - lengthMs),
  };
}

const sums = ({ fn }: ExpressionBuilder<Tables, 'turns'>) => [
  fn.countAll().as('questions'),
  fn.sum('input_tokens').as('input'),
  fn.sum('output_tokens').as('output'),
  fn.sum('micro_dollars').as('micro'),
];

export async function totalsOf(
  database: Database,
  domains: readonly string[],
  period: Period,
): Promise<Totals> {
  const [outcomes, who, ratings, firstTextMs] = await Promise.all([
    turnsOf(database, domains, period).select('outcome').select(sums).groupBy('outcome').execute(),
    countReaders(database, domains, period),
    countRatings(database, domains, period),
    latencyOf(database, domains, period),
  ]);
  const of = (outcome: (typeof outcomes)[number]['outcome']) =>
    Number(outcomes.find((each) => each.outcome === outcome)?.questions ?? 0);
  const sum = (name: 'questions' | 'input' | 'output' | 'micro') =>
    outcomes.reduce((total, each) => total + Number(each[name] ?? 0), 0);
  return {
    questions: sum('questions'),
    readers: who.readers,
    answered: of('answered'),
    unanswered: of('unanswered'),
    refused: of('refused'),
    incomplete: of(null),
    thumbsUp: ratings.up,
    thumbsDown: ratings.down,
    deflected: ratings.deflected,
    inputTokens: sum('input'),
    outputTokens: sum('output'),
    costUsd: toDollars(sum('micro')),
    firstTextMs,
  };
}

const topPageCount = 20;

/** The figures of a site's answers in a period, with each day in UTC. */
export async function summarize(
  database: Database,
  domain: string,
  period: Period,
): Promise<SummaryResponse> {
  const [{ firstTextMs: _, ...totals }, { threads }, hours, pages] = await Promise.all([
    totalsOf(database, [domain], period),
    countReaders(database, [domain], period),
    hoursOf(database, [domain], period),
    feedbackByPage(database, domain, period),
  ]);
  const byDate = Map.groupBy(hours, ({ time }) => time.slice(0, 10));
  return {
    dateFrom: period.from,
    dateTo: period.to,
    ...totals,
    threads,
    days: [...byDate].map(([date, own]) => {
      const sum = (pick: (hour: Hour) => number) =>
        own.reduce((total, hour) => total + pick(hour), 0);
      return {
        date,
        questions: sum((hour) => hour.answered + hour.unanswered + hour.refused + hour.incomplete),
        answered: sum((hour) => hour.answered),
        // Without the dust of binary fractions.
        costUsd: Number(sum((hour) => hour.costUsd).toFixed(6)),
      };
    }),
    topPages: pages.toSorted((a, b) => b.cited - a.cited).slice(0, topPageCount),
  };
}

/** The database counts by tens of milliseconds, so that a busy month isn't read row by row. */
async function latencyOf(database: Database, domains: readonly string[], period: Period) {
  const rows = await turnsOf(database, domains, period)
    .select(({ fn }) => [
      sql<number>`first_text_ms / 10`.as('tens'),
      fn.countAll<number>().as('count'),
    ])
    .where('first_text_ms', 'is not', null)
    .groupBy('tens')
    .orderBy('tens')
    .execute();
  const all = rows.reduce((total, { count }) => total + Number(count), 0);
  if (all === 0) return null;
  const quantile = (share: number) => {
    let seen = 0;
    const found = rows.find(({ count }) => (seen += Number(count)) >= share * all);
    return Number(found?.tens ?? 0) * 10;
  };
  return { p50: quantile(0.5), p95: quantile(0.95) };
}

/** Hours in UTC, which clients put together to days of their own time zone. */
export async function hoursOf(
  database: Database,
  domains: readonly string[],
  period: Period,
): Promise<Hour[]> {
  const rows = await turnsOf(database, domains, period)
    // Times are ISO text: the first 13 characters are the hour.
    .select(['outcome', sql<string>`substr(created_at, 1, 13)`.as('hour')])
    .select(sums)
    .groupBy(['hour', 'outcome'])
    .orderBy('hour')
    .execute();
  const hours = new Map<string, Hour>();
  for (const { hour, outcome, questions, input, output, micro } of rows) {
    const time = `${hour}:00:00.000Z`;
    const none = { answered: 0, unanswered: 0, refused: 0, incomplete: 0, tokens: 0, costUsd: 0 };
    const sum = hours.get(time) ?? { time, ...none };
    sum[outcome ?? 'incomplete'] += Number(questions);
    sum.tokens += Number(input ?? 0) + Number(output ?? 0);
    sum.costUsd += toDollars(Number(micro ?? 0));
    hours.set(time, sum);
  }
  return [...hours.values()];
}

/** What answers cost by site and by model, and what keys and people spent, jobs included. */
export async function spentBy(
  database: Database,
  { organization, domains }: Scope,
  period: Period,
): Promise<Pick<UsageReply, 'sites' | 'models' | 'keys'>> {
  const rows = await turnsOf(database, domains, period)
    .select(['domain', 'model'])
    .select(sums)
    .groupBy(['domain', 'model'])
    .execute();
  const by = <Name extends 'domain' | 'model'>(name: Name) =>
    [...Map.groupBy(rows, (row) => row[name])].map(([value, own]) => {
      const sum = (pick: (row: (typeof rows)[number]) => unknown) =>
        own.reduce((total, row) => total + Number(pick(row) ?? 0), 0);
      return {
        value,
        questions: sum((row) => row.questions),
        tokens: sum((row) => row.input) + sum((row) => row.output),
        costUsd: toDollars(sum((row) => row.micro)),
      };
    });
  const keys = await database
    .selectFrom('spend')
    .leftJoin('keys', 'keys.id', 'spend.payer')
    .leftJoin('people', 'people.id', 'spend.payer')
    .select(({ fn }) => [
      'spend.payer as id',
      fn.coalesce('keys.name', 'people.name').as('name'),
      fn.sum('spend.tokens').as('tokens'),
      fn.sum('spend.micro_dollars').as('micro'),
    ])
    .where('payer_kind', '=', 'key')
    .where('period', '=', 'day')
    .where('window_end', '>', period.from)
    .where('spend.organization', '=', organization)
    .groupBy(['spend.payer', 'keys.name', 'people.name'])
    .execute();
  return {
    sites: by('domain').map(({ value, ...spent }) => ({ domain: value, ...spent })),
    models: by('model').map(({ value, ...spent }) => ({ model: value, ...spent })),
    keys: keys.map(({ id, name, tokens, micro }) => ({
      id,
      name: name ?? id,
      tokens: Number(tokens),
      costUsd: toDollars(Number(micro)),
    })),
  };
}

/** How many gaps were closed, and how many answers a change of the documentation lost. */
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
    .select(sql<string>`substr(answered_at, 1, 13)`.as('hour'))
    .where('domain', 'in', domains)
    .where('answered_at', '>=', from)
    .where('answered_at', '<', to)
    .select(({ fn }) => fn.countAll().as('count'))
    .groupBy('hour')
    .execute();
  const lost = await database
    .selectFrom('gap_asks')
    .select(sql<string>`substr(finished_at, 1, 13)`.as('hour'))
    .where('domain', 'in', domains)
    .where('finished_at', '>=', from)
    .where('finished_at', '<', to)
    .where('is_lost', '=', 1)
    .select(({ fn }) => fn.countAll().as('count'))
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
