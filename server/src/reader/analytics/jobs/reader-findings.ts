/** What readers tell automations: gaps and bad ratings that nothing has come of yet. */
import { DocentError } from '../../../platform/errors.ts';
import type { Database } from '../../../platform/store/database.ts';
import type { Project, ReaderFindings } from '../../../platform/tenants/projects.ts';
import type { Sites } from '../../../platform/tenants/sites.ts';
import { dayMs } from '../../../platform/time.ts';
import { findGaps } from '../../gaps/gaps.ts';
import { system } from '../../../notify/audit/audit.ts';
import type { ReaderJobs } from './reader-jobs.ts';

/** What is older is of no interest. */
const periodMs = 90 * dayMs;
const maxRatings = 200;
/** Wordings of one gap that a job gets. */
const maxWordings = 10;

export function createReaderFindings(deps: {
  database: Database;
  sites: Pick<Sites, 'find'>;
  readerJobs: () => Pick<ReaderJobs, 'outcomesOf' | 'gapTask' | 'reportTask'>;
  now: () => Date;
}): ReaderFindings {
  const { database, sites, readerJobs, now } = deps;
  const since = () => new Date(now().getTime() - periodMs).toISOString();

  async function openGaps(domain: string) {
    const period = { from: since(), to: now().toISOString() };
    const { gaps } = await findGaps(database, domain, period, readerJobs());
    return gaps.filter(({ state }) => state === 'open');
  }

  return {
    async find({ site: domain = '' }, about) {
      if (about === 'gaps') {
        const gaps = await openGaps(domain);
        return gaps.map(({ id, count, readers }) => ({
          key: id,
          text: `A gap that ${readers === 1 ? 'one reader' : `${readers} readers`} asked about, ${count === 1 ? 'once' : `${count} times`}`,
        }));
      }
      const rows = await database
        .selectFrom('feedback')
        .leftJoin('reader_jobs', 'reader_jobs.feedback_id', 'feedback.id')
        .select(['feedback.id', 'feedback.path', 'feedback.reasons'])
        .where('feedback.domain', '=', domain)
        .where('feedback.rating', '=', 'down')
        .where('feedback.state', '=', 'open')
        .where('feedback.created_at', '>=', since())
        .where('reader_jobs.job_id', 'is', null)
        .orderBy('feedback.id', 'desc')
        .limit(maxRatings)
        .execute();
      return rows.map(({ id, path, reasons }) => ({
        key: id,
        text: [`A bad rating of ${path ?? 'an answer'}`, ...(JSON.parse(reasons) as string[])].join(
          ', ',
        ),
      }));
    },

    async toTask(project, about, keys, words) {
      const { site: domain = '' } = project;
      const instruction = words === '' ? undefined : words;
      const task =
        about === 'gaps'
          ? await gapTask(project, domain, keys, instruction)
          : await readerJobs().reportTask(project, siteOf(domain), { ids: keys, instruction });
      return {
        prompt: task.prompt,
        onMade: (tx, jobId) => task.onMade(tx, jobId, system),
      };
    },
  };

  async function gapTask(
    project: Project,
    domain: string,
    keys: readonly string[],
    instruction: string | undefined,
  ) {
    const wanted = new Set(keys);
    const gaps = (await openGaps(domain)).filter(({ id }) => wanted.has(id));
    const messageIds = gaps.flatMap(({ examples }) =>
      examples.slice(0, maxWordings).flatMap((one) => one.messageIds.slice(0, maxWordings)),
    );
    return readerJobs().gapTask(project, domain, { messageIds, instruction });
  }

  function siteOf(domain: string) {
    const site = sites.find(domain);
    if (!site) throw new DocentError('conflict', `There is no site ${domain}.`);
    return site;
  }
}
