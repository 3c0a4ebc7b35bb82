/**
 * From what a reader says to a job for the site's project, if its owner allows it. The reader learns
 * which of the two became of it, and not which job. One job does for all who report the same page.
 */
import type { AgentJob } from '@docent/shared/agent';
import type { Gap, GapJobRequest } from '@docent/shared/analytics';
import type { FeedbackResponse } from '@docent/shared/feedback';
import { type Audit, system } from '../../../notify/audit/audit.ts';
import { DocentError } from '../../../platform/errors.ts';
import { createCounter } from '../../../platform/limits/counters.ts';
import type { Logger } from '../../../platform/log.ts';
import type {
  CreateJob,
  Project,
  Projects,
  ReaderFindings,
} from '../../../platform/tenants/projects.ts';
import { anonymous } from '../../../platform/redaction/redact.ts';
import type { Site, Sites } from '../../../platform/tenants/sites.ts';
import type { Database } from '../../../platform/store/database.ts';
import { findPage } from '../../../retrieval/page-path.ts';
import type { Retriever } from '../../../retrieval/retriever.ts';
import { dayMs } from '../../../platform/time.ts';
import { findGaps, nearest } from '../../gaps/gaps.ts';
import {
  feedbackPrompt,
  gapPrompt,
  isTelling,
  pathsOfFile,
  pathsOfPage,
  reportsPrompt,
  type SourceFiles,
  toAskedOn,
} from './prompts.ts';
import { claimPage, jobOfPage, readReport, type Report } from './reports.ts';
import { type Actor } from '../../../platform/auth/caller.ts';

/** What automations hear of: nothing that's older, and the newest ratings. */
const findingsMs = 90 * dayMs;
const maxRatings = 200;
/** Wordings of one gap that a job of an automation gets. */
const maxWordings = 10;

export interface Made {
  job: AgentJob;
  isReplay: boolean;
}

/** By their IDs. */
type JobOutcomes = Map<string, NonNullable<Gap['job']>>;

/** What a job is told, and what is written in the transaction that tells it. */
interface ReaderTask {
  prompt: string;
  onMade: (tx: Database, jobId: string, by: Actor) => Promise<void>;
}

export type ReaderJobs = ReturnType<typeof createReaderJobs>;

export function createReaderJobs(deps: {
  database: Database;
  now: () => Date;
  log: Pick<Logger, 'warn'>;
  sites: Pick<Sites, 'find'>;
  retriever: Pick<Retriever, 'page'>;
  projects: Pick<Projects, 'forSite'>;
  audit: Pick<Audit, 'record'>;
  createJob: CreateJob;
  /** `agent/api/job-view.ts`, too. */
  outcomesOf: (project: Project, jobIds: readonly string[]) => Promise<JobOutcomes>;
}) {
  const { database, now, log, sites, retriever, projects, audit, createJob } = deps;
  const perReader = createCounter(deps, 'report-reader-day', 'day');
  const perSite = createCounter(deps, 'report-site-day', 'day');
  const sinceFindings = () => new Date(now().getTime() - findingsMs).toISOString();

  return {
    projectOf: (domain: string): Project | undefined => projects.forSite(domain),

    outcomesOf,

    /** Called after feedback is stored. Never rejects, because the feedback is valid without a job. */
    async consider(
      domain: string,
      feedbackId: string,
      address: string,
    ): Promise<FeedbackResponse['report']> {
      const site = sites.find(domain);
      if (!site || site.feedback.createJobs === 'never') return undefined;
      try {
        await considerOf(site, feedbackId, address);
      } catch (err) {
        log.warn({ err, feedback: feedbackId }, 'a report of a reader did not become a job');
      }
      return stateOf(feedbackId);
    },

    /** Creates a job for a report on an admin's request, whatever the settings say. A second request finds the same job. */
    async startFor(domain: string, feedbackId: string, by: Actor): Promise<Made> {
      const project = workable(domain);
      const site = sites.find(domain);
      const report = site && (await readReport(database, site, feedbackId));
      if (!report) throw new DocentError('not_found', 'There is no such feedback on this site.');
      if (report.pages.length === 0 || report.note === '') {
        throw new DocentError(
          'conflict',
          "This feedback has no note or no page, so a job can't work on it.",
        );
      }
      await suggest(report);
      const job = await begin(report, project, by);
      return { job, isReplay: job.id === report.jobId };
    },

    /** Creates a job that documents the answers to these questions. */
    async startForGap(
      domain: string,
      request: GapJobRequest,
      { by, idempotencyKey }: { by: Actor; idempotencyKey: string | undefined },
    ): Promise<Made> {
      const project = workable(domain, request.command !== undefined);
      const task = await gapTask(project, domain, request);
      return createJob({
        project,
        origin: 'gap',
        by,
        prompt: task.prompt,
        command: request.command,
        isDraft: request.asDraft,
        idempotencyKey,
        onMade: (tx, jobId) => task.onMade(tx, jobId, by),
      });
    },

    filesOf,

    /** What readers tell automations: gaps and bad ratings that nothing has come of yet. */
    findings: {
      find: ({ site: domain = '' }, about) =>
        about === 'gaps' ? findOpenGaps(domain) : findBadRatings(domain),

      async toTask(project, about, keys, words) {
        const { site: domain = '' } = project;
        const instruction = words === '' ? undefined : words;
        const task =
          about === 'gaps'
            ? await gapTask(project, domain, {
                messageIds: await askedIn(domain, keys),
                instruction,
              })
            : await reportTask(project, siteOf(domain), { ids: keys, instruction });
        return { prompt: task.prompt, onMade: (tx, jobId) => task.onMade(tx, jobId, system) };
      },
    } satisfies ReaderFindings as ReaderFindings,
  };

  function siteOf(domain: string): Site {
    const site = sites.find(domain);
    if (!site) throw new DocentError('conflict', `There is no site ${domain}.`);
    return site;
  }

  async function openGaps(domain: string) {
    const period = { from: sinceFindings(), to: now().toISOString() };
    const { gaps } = await findGaps(database, domain, period, { outcomesOf });
    return gaps.filter(({ state }) => state === 'open');
  }

  async function findOpenGaps(domain: string) {
    const gaps = await openGaps(domain);
    return gaps.map(({ id, count, readers }) => ({
      key: id,
      text: `A gap that ${readers === 1 ? 'one reader' : `${readers} readers`} asked about, ${count === 1 ? 'once' : `${count} times`}`,
    }));
  }

  /** The questions of some gaps. */
  async function askedIn(domain: string, gapIds: readonly string[]): Promise<string[]> {
    const gaps = (await openGaps(domain)).filter(({ id }) => gapIds.includes(id));
    return gaps.flatMap(({ examples }) =>
      examples.slice(0, maxWordings).flatMap((one) => one.messageIds.slice(0, maxWordings)),
    );
  }

  async function findBadRatings(domain: string) {
    const rows = await database
      .selectFrom('feedback')
      .leftJoin('reader_jobs', 'reader_jobs.feedback_id', 'feedback.id')
      .select(['feedback.id', 'feedback.path', 'feedback.reasons'])
      .where('feedback.domain', '=', domain)
      .where('feedback.rating', '=', 'down')
      .where('feedback.state', '=', 'open')
      .where('feedback.created_at', '>=', sinceFindings())
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
  }

  /** What became of jobs, without those that are no longer there. */
  async function outcomesOf(domain: string, jobIds: readonly string[]): Promise<JobOutcomes> {
    const project = projects.forSite(domain);
    return project ? deps.outcomesOf(project, jobIds) : new Map();
  }

  /** Without the index, a job looks for the files itself. */
  async function filesOf(
    site: Parameters<typeof findPage>[1] | undefined,
    pages: readonly string[],
  ): Promise<SourceFiles> {
    const found = new Map<string, { path: string; file: string }>();
    for (const page of site ? pages : []) {
      const held = site && (await findPage(retriever, site, page).catch(() => undefined));
      if (held?.source !== undefined) found.set(page, { path: held.path, file: held.source });
    }
    return found;
  }

  /** What a job is told about questions, and what is written with it. */
  async function gapTask(
    project: Project,
    domain: string,
    { messageIds, instruction }: Pick<GapJobRequest, 'messageIds' | 'instruction'>,
  ): Promise<ReaderTask> {
    const ids = [...new Set(messageIds)];
    const turns = await database
      .selectFrom('turns')
      .innerJoin('threads', 'threads.id', 'turns.thread_id')
      .select(['turns.id', 'turns.question', 'turns.asked_on', 'turns.passages'])
      .where('threads.domain', '=', domain)
      .where('turns.id', 'in', ids)
      .orderBy('turns.id')
      .execute();
    if (turns.length < ids.length) {
      const missing = ids.find((id) => !turns.some((turn) => turn.id === id));
      throw new DocentError('not_found', `There is no question ${missing} on this site.`);
    }
    const pages = new Set(turns.flatMap(({ asked_on: page }) => page ?? []));
    const askedOn = toAskedOn([...pages].slice(0, 10));
    const near = nearest(turns).map(({ url }) => url);
    const prompt = gapPrompt({
      questions: [...new Set(turns.map(({ question }) => question))],
      askedOn,
      instruction,
      files: await filesOf(sites.find(domain), near),
    });
    return {
      prompt,
      async onMade(tx, jobId, by) {
        // The pages of all readers are one line, which goes with the first of them.
        const links = turns.map(({ id: turn, question, asked_on: page }) => ({
          id: `${jobId} ${turn}`,
          domain,
          turn_id: turn,
          job_id: jobId,
          quoted: JSON.stringify(page === null ? [question] : [question, askedOn]),
          created_at: now().toISOString(),
        }));
        await tx
          .insertInto('reader_jobs')
          .values(links)
          // A further instruction of the same job.
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute();
        await record(tx, project, jobId, by, 'gap.job_created', {
          questions: turns.map(({ id }) => id),
        });
      },
    };
  }

  /** The same about reports with a bad rating. Those that were deleted meanwhile are left out. */
  async function reportTask(
    project: Project,
    site: Site,
    { ids, instruction }: { ids: readonly string[]; instruction: string | undefined },
  ): Promise<ReaderTask> {
    const found = await Promise.all(ids.map((id) => readReport(database, site, id)));
    const reports = found.flatMap((one) => one ?? []);
    for (const report of reports) await suggest(report);
    const pages = reports.flatMap((report) => report.pages);
    return {
      prompt: reportsPrompt(reports, instruction, await filesOf(site, pages)),
      async onMade(tx, jobId, by) {
        for (const report of reports) {
          await link(tx, report, jobId, [report.note, report.question ?? '']);
        }
        const data = { feedback: reports.map(({ id }) => id) };
        await record(tx, project, jobId, by, 'feedback.job_created', data);
      },
    };
  }

  async function considerOf(site: Site, feedbackId: string, address: string): Promise<void> {
    const { createJobs, minNoteCharacters, perReaderAndDay, perDay } = site.feedback;
    const project = projects.forSite(site.domain);
    const report = await readReport(database, site, feedbackId);
    if (!project || !report || report.rating !== 'down' || report.pages.length === 0) return;
    if (!isTelling(report.note, minNoteCharacters)) return;
    // A reader who changes their feedback reports only once.
    if (!(await suggest(report)) || createJobs === 'after-review') return;
    const readers = [`${site.domain} ${address}`];
    if (report.fp !== anonymous) readers.push(`${site.domain} ${report.fp}`);
    for (const reader of readers) {
      const { totalHits } = await perReader.increment(reader);
      if (totalHits > perReaderAndDay) return;
    }
    if ((await perSite.increment(site.domain)).totalHits > perDay) return;
    await begin(report, project, { kind: 'reader' });
  }

  /** The current state, which may come from an earlier report. */
  async function stateOf(feedbackId: string): Promise<FeedbackResponse['report']> {
    const row = await database
      .selectFrom('reader_jobs')
      .select('job_id')
      .where('feedback_id', '=', feedbackId)
      .executeTakeFirst();
    if (!row) return undefined;
    return row.job_id === null ? 'review' : 'started';
  }

  /** Lists the report as a suggestion; `false` if it was listed before. */
  async function suggest({ id, site }: Report): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await database
      .insertInto('reader_jobs')
      .values({
        id,
        domain: site.domain,
        feedback_id: id,
        created_at: now().toISOString(),
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirst();
    return (numInsertedOrUpdatedRows ?? 0n) > 0n;
  }

  /** Creates the job, unless the report has one. Without a key, the report can join the job of its page. */
  async function begin(report: Report, project: Project, by: Actor): Promise<AgentJob> {
    const { domain, docs } = report.site;
    const page = { domain, page: report.pages[0] ?? '' };
    const own = report.jobId ?? undefined;
    const isFirst = own === undefined && (await claimPage(deps, page, by.kind !== 'reader'));
    const existing = isFirst ? undefined : (own ?? (await jobOfPage(deps, page)));
    const files = await filesOf(report.site, report.pages);
    const paths = report.pages.flatMap((path) => {
      const file = files.get(path)?.file;
      return file === undefined
        ? pathsOfPage(path, { ...docs, ...project })
        : pathsOfFile(file, project);
    });
    const { job } = await createJob({
      project,
      origin: 'feedback',
      by,
      prompt: feedbackPrompt(report, files),
      isDraft: true,
      paths: [...new Set(paths)],
      idempotencyKey: `feedback ${report.id}`,
      existing,
      async onMade(tx, jobId) {
        await link(tx, report, jobId, [report.note, report.question ?? '']);
        await tx
          .updateTable('reported_pages')
          .set({ job_id: jobId })
          .where((and) => and.and(page))
          .execute();
        const data = { feedback: report.id, page: page.page };
        await record(tx, project, jobId, by, 'feedback.job_created', data);
      },
    });
    // Another reader's report has led to this job.
    if (job.id === existing && own === undefined) await link(database, report, job.id);
    return job;
  }

  async function link(
    tx: Database,
    { id }: Report,
    jobId: string,
    quoted?: readonly string[],
  ): Promise<void> {
    const { numUpdatedRows } = await tx
      .updateTable('reader_jobs')
      .set({ job_id: jobId, ...(quoted && { quoted: JSON.stringify(quoted) }) })
      .where('id', '=', id)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new DocentError('not_found', 'This feedback was deleted.');
  }

  /** The project of a site, if it can work on what readers write. */
  function workable(domain: string, isCommand = false): Project {
    const project = projects.forSite(domain);
    if (!project) {
      throw new DocentError(
        'conflict',
        'The site has no project; add one to `projects` with this site as its `site`.',
      );
    }
    if (project.model === undefined && !isCommand) {
      throw new DocentError(
        'conflict',
        `The project ${project.id} has no language model, and without one nothing can act on what readers write. Set its \`model\`.`,
      );
    }
    return project;
  }

  function record(
    tx: Database,
    { organization, id: project }: Project,
    job: string,
    actor: Actor,
    type: string,
    data: Record<string, unknown>,
  ): Promise<void> {
    return audit.record(tx, { organization, project, job, actor, type, data });
  }
}
