import type { PageFeedback, PeriodQuery } from '@docent/shared/analytics';
import { dayMs } from '../../platform/time.ts';
import { askBackModel } from '../ask/ask-back.ts';
import { importedModel } from '../gaps/import-questions.ts';
import { normalizePath } from '../../retrieval/page-path.ts';
import type { Database } from '../../platform/store/database.ts';
import { DocentError } from '../../platform/errors.ts';
import { createPauses } from '../../platform/pauses.ts';

/** The turns of a period that weren't replaced, without imported ones and questions back. */
export function turnsOf(database: Database, domains: readonly string[], { from, to }: Period) {
  return database
    .selectFrom('turns')
    .where('turns.domain', 'in', domains)
    .where('turns.created_at', '>=', from)
    .where('turns.created_at', '<', to)
    .where('turns.replaced_by', 'is', null)
    .where('turns.status', '<>', 'running')
    .where('turns.model', 'not in', [importedModel, askBackModel]);
}

export async function countReaders(database: Database, domains: readonly string[], period: Period) {
  const row = await turnsOf(database, domains, period)
    .innerJoin('threads', 'threads.id', 'turns.thread_id')
    .select(({ fn }) => [
      fn.count('threads.id').distinct().as('threads'),
      fn.count('threads.fp').distinct().as('readers'),
    ])
    .executeTakeFirstOrThrow();
  return { threads: Number(row.threads), readers: Number(row.readers) };
}

export async function countRatings(
  database: Database,
  domains: readonly string[],
  { from, to }: Period,
) {
  const rows = await database
    .selectFrom('feedback')
    .select(({ fn, eb }) => [
      'rating',
      fn.countAll().as('count'),
      fn.sum(eb.case().when('reasons', 'like', '%"no_ticket"%').then(1).else(0).end()).as('solved'),
    ])
    .where('domain', 'in', domains)
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .groupBy('rating')
    .execute();
  const count = (rating: 'up' | 'down') =>
    Number(rows.find((row) => row.rating === rating)?.count ?? 0);
  const deflected = rows.reduce((sum, { solved }) => sum + Number(solved), 0);
  return { up: count('up'), down: count('down'), deflected };
}

/** Each page that was cited or rated, the worst ratings first. */
export async function feedbackByPage(
  database: Database,
  domain: string,
  period: Period,
): Promise<PageFeedback[]> {
  const pages = new Map<string, PageFeedback>();
  const pageOf = (path: string) => {
    const none = { path, thumbsUp: 0, thumbsDown: 0, answersUp: 0, answersDown: 0, cited: 0 };
    const page = pages.get(path) ?? none;
    pages.set(path, page);
    return page;
  };
  const answers = await turnsOf(database, [domain], period)
    .leftJoin('feedback', 'feedback.turn_id', 'turns.id')
    .select(['turns.sources', 'feedback.rating'])
    .where('turns.sources', '<>', '[]')
    .execute();
  const pause = createPauses();
  for (const { sources, rating } of answers) {
    // oxlint-disable-next-line no-await-in-loop -- others work between the slices
    await pause();
    const cited = JSON.parse(sources) as { url: string }[];
    for (const path of new Set(cited.map(({ url }) => normalizePath(url)))) {
      const page = pageOf(path);
      page.cited += 1;
      if (rating === 'up') page.answersUp += 1;
      if (rating === 'down') page.answersDown += 1;
    }
  }
  const ratings = await database
    .selectFrom('feedback')
    .select(({ fn }) => ['path', 'rating', fn.countAll().as('count')])
    .where('domain', '=', domain)
    .where('path', 'is not', null)
    .where('created_at', '>=', period.from)
    .where('created_at', '<', period.to)
    .groupBy(['path', 'rating'])
    .execute();
  for (const { path, rating, count } of ratings) {
    pageOf(path ?? '')[rating === 'up' ? 'thumbsUp' : 'thumbsDown'] += Number(count);
  }
  const bad = (page: PageFeedback) => page.thumbsDown + page.answersDown;
  return [...pages.values()].toSorted(
    (a, b) => bad(b) - bad(a) || b.cited - a.cited || a.path.localeCompare(b.path),
  );
}

const defaultDays = 30;

/** From `from`, inclusive, to `to`, exclusive. ISO 8601 in UTC, as in the rows. */
export interface Period {
  from: string;
  to: string;
}

/** Reads a period. A day as its end is included. */
export function toPeriod({ dateFrom, dateTo }: PeriodQuery, now: Date): Period {
  const to = dateTo === undefined ? now.getTime() + 1 : endOf(dateTo);
  const from = dateFrom === undefined ? to - defaultDays * dayMs : Date.parse(dateFrom);
  if (from >= to) {
    throw new DocentError('bad_request', 'The period is empty: `dateFrom` is after `dateTo`.');
  }
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

function endOf(date: string): number {
  const time = Date.parse(date);
  return date.includes('T') ? time : time + dayMs;
}
