import type { Database } from '../../../platform/store/database.ts';

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
