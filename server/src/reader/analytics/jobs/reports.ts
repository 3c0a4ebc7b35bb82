import type { Database } from '../../../platform/store/database.ts';
import { pathsOnSite } from '../../../retrieval/page-path.ts';
import type { Site } from '../../../platform/tenants/sites.ts';
import type { ReaderReport } from './prompts.ts';

/** For so long a page that has had its job gets no other one by itself. */
const sameForMs = 7 * 86_400_000;
/** A process that died between noting a page and making its job. */
const unmadeMs = 60_000;
/** Reports that one job hears of. */
const maxReports = 4;

interface PageDeps {
  database: Database;
  now: () => Date;
}

interface ReportedPage {
  domain: string;
  page: string;
}

/** Of all who report a page at the same moment, one makes the job. */
export async function claimPage(
  { database, now }: PageDeps,
  page: ReportedPage,
  isForced: boolean,
): Promise<boolean> {
  const time = now();
  const before = (ms: number) => new Date(time.getTime() - ms).toISOString();
  const opened = { job_id: null, reports: 1, opened_at: time.toISOString() };
  const row = await database
    .insertInto('reported_pages')
    .values({ ...page, ...opened })
    .onConflict((conflict) => {
      const update = conflict.columns(['domain', 'page']).doUpdateSet(opened);
      return update.where((where) =>
        where.or([
          where.lit(isForced),
          where('reported_pages.opened_at', '<', before(sameForMs)),
          where.and([
            where('reported_pages.job_id', 'is', null),
            where('reported_pages.opened_at', '<', before(unmadeMs)),
          ]),
        ]),
      );
    })
    .returning('page')
    .executeTakeFirst();
  return row !== undefined;
}

/** The job that the page has, and whether it may hear of a further report. */
export async function jobOfPage(
  { database }: Pick<PageDeps, 'database'>,
  page: ReportedPage,
): Promise<{ id: string; hearsMore: boolean } | undefined> {
  const row = await database
    .selectFrom('reported_pages')
    .selectAll()
    .where((and) => and.and(page))
    .executeTakeFirst();
  if (!row?.job_id) return undefined;
  return { id: row.job_id, hearsMore: row.reports < maxReports };
}

export async function countReport(
  { database }: Pick<PageDeps, 'database'>,
  page: ReportedPage,
): Promise<void> {
  await database
    .updateTable('reported_pages')
    .set((all) => ({ reports: all('reports', '+', 1) }))
    .where((and) => and.and(page))
    .execute();
}

/** Of an answer that cites many pages, these many are looked at. */
const maxPages = 3;

export interface Report extends ReaderReport {
  id: string;
  site: Site;
  fp: string;
  rating: 'up' | 'down';
  jobId: string | null;
}

/** What a reader has said, with what it is about. */
export async function readReport(
  database: Database,
  site: Site,
  id: string,
): Promise<Report | undefined> {
  const row = await database
    .selectFrom('feedback')
    .leftJoin('turns', 'turns.id', 'feedback.turn_id')
    .leftJoin('reader_jobs', 'reader_jobs.feedback_id', 'feedback.id')
    .selectAll('feedback')
    .select(['turns.sources', 'turns.question', 'reader_jobs.job_id'])
    .where('feedback.domain', '=', site.domain)
    .where('feedback.id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  const cited = row.sources === null ? [] : (JSON.parse(row.sources) as { url: string }[]);
  const pages = cited.flatMap(({ url }) => pathsOnSite(site.docs.baseUrl, url)[0] ?? []);
  return {
    id,
    site,
    fp: row.fp,
    rating: row.rating,
    jobId: row.job_id,
    pages: row.path === null ? [...new Set(pages)].slice(0, maxPages) : [row.path],
    note: row.note ?? '',
    reasons: JSON.parse(row.reasons) as string[],
    question: row.question ?? undefined,
  };
}
