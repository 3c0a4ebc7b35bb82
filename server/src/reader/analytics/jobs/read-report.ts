import { pathsOnSite } from '../../../retrieval/page-path.ts';
import type { Site } from '../../../platform/tenants/sites.ts';
import type { Database } from '../../../platform/store/database.ts';
import type { ReaderReport } from './prompts.ts';

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
