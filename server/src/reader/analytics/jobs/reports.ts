import { dayMs } from '../../../platform/time.ts';
import { chunksOf, type Database } from '../../../platform/store/database.ts';
import { pathsOnSite } from '../../../retrieval/page-path.ts';
import type { Site } from '../../../platform/tenants/sites.ts';
import { type ReaderReport, toQuotable } from './prompts.ts';
import type { ForgetWords } from '../../../platform/tenants/projects.ts';

/** After its job, a page gets no other automatic job for this long. */
const sameForMs = 7 * dayMs;
/** After this long, the process that was to create the job must have died. */
const unmadeMs = 60_000;

interface PageDeps {
  database: Database;
  now: () => Date;
}

interface ReportedPage {
  domain: string;
  page: string;
}

/** Returns true for one of several simultaneous reports of a page: that one creates the job. */
export async function claimPage(
  { database, now }: PageDeps,
  page: ReportedPage,
  isForced: boolean,
): Promise<boolean> {
  const time = now();
  const before = (ms: number) => new Date(time.getTime() - ms).toISOString();
  const opened = { job_id: null, opened_at: time.toISOString() };
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

export async function jobOfPage(
  { database }: Pick<PageDeps, 'database'>,
  page: ReportedPage,
): Promise<string | undefined> {
  const row = await database
    .selectFrom('reported_pages')
    .select('job_id')
    .where((and) => and.and(page))
    .executeTakeFirst();
  return row?.job_id ?? undefined;
}

/** Maximum pages of one answer. */
const maxPages = 3;

export interface Report extends ReaderReport {
  id: string;
  site: Site;
  fp: string;
  rating: 'up' | 'down';
  jobId: string | null;
}

/** A reader's feedback with the pages and the question that it's about. */
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

/**
 * Removes what readers wrote from the jobs that quote it, before it's deleted itself. The agent's changes in
 * the repository belong to its owner.
 */
export async function forgetQuoted(
  tx: Database,
  forgetWords: ForgetWords,
  { feedback = [], turns = [] }: { feedback?: readonly string[]; turns?: readonly string[] },
): Promise<void> {
  const columns = [
    ['feedback_id', feedback],
    ['turn_id', turns],
  ] as const;
  for (const [column, ids] of columns) {
    for (const some of chunksOf(ids)) {
      const rows = await tx
        .selectFrom('reader_jobs')
        .select(['job_id', 'quoted'])
        .where(column, 'in', some)
        // Waits for jobs that are being created from them.
        .forUpdate()
        .execute();
      for (const { job_id: jobId, quoted } of rows) {
        if (jobId === null || quoted === null) continue;
        const texts = [...new Set((JSON.parse(quoted) as string[]).map(toQuotable))];
        const long = texts.filter((text) => text.length >= 4);
        await forgetWords(tx, jobId, long);
      }
    }
  }
}
