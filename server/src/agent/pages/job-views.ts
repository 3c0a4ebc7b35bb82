import type { ServerResponse } from 'node:http';
import type { AgentLogEntry } from '@docent/shared/agent-events';
import type { Job } from '../jobs/job.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { readInstructions, titleOf, userInstructions } from '../jobs/instructions.ts';
import { wholeLog } from '../jobs/read-jobs.ts';
import { streamLog } from '../api/event-stream.ts';
import { lastEventId } from '../api/read-request.ts';
import type { Audit } from '../../notify/audit/audit.ts';
import { DocentError } from '../../platform/errors.ts';
import { createOncePerKey } from '../../platform/once-per-key.ts';
import type { FileDiff } from '../workspace/diff.ts';
import { diffInWorker } from '../workspace/diffs.ts';
import type { FileChange } from '../workspace/tree.ts';
import type { Forges } from '../forge/create-forges.ts';
import type { LinkTo } from '../shares/page-links.ts';
import type { Projects } from '../../platform/tenants/projects.ts';
import type { Sites } from '../../platform/tenants/sites.ts';
import type { Database } from '../../platform/store/database.ts';
import type { SignedIn, Visit } from './access.ts';
import { readInstruction, readOnce } from './instruction-forms.ts';
import { logPiece } from './job-log.ts';
import { fillMarkdown } from './markdown.ts';
import { statusOf, writeJob } from './job-page.ts';
import type { Page } from './layout.ts';
import { withNotice, writeNotice } from './notices.ts';
import { type Actor } from '../../platform/auth/caller.ts';

/** What the pages read, and what their forms change. */
export interface ViewDeps {
  database: Database;
  projects: Pick<Projects, 'byId'>;
  sites: Pick<Sites, 'builtFrom'>;
  forges: Pick<Forges, 'localForge'>;
  jobs: Jobs;
  /** Changes of a job that are not published. */
  changesOf: (job: Job, signal?: AbortSignal) => Promise<FileChange[]>;
  /** Links between pages: the path alone. */
  linkTo: LinkTo;
  audit: Audit;
  now: () => Date;
}

/** A link to a job or a pull request doesn't open the project. */
export const projectCrumb = ({ linkTo }: ViewDeps, project: string, by: Actor | undefined) => ({
  name: project,
  link: by && linkTo({ kind: 'project', project }),
});

export function createJobViews(deps: ViewDeps) {
  const { database, projects, forges, jobs, changesOf, linkTo, now } = deps;

  const diffs = createOncePerKey<FileDiff[]>(20);
  /** Every change of a job's files has an event. */
  const filesOf = (job: Job) =>
    diffs(`${job.id} ${job.events}`, async () => diffInWorker(await changesOf(job)));

  const localForge = (job: Job) => {
    const project = projects.byId(job.project);
    return project && forges.localForge(project);
  };
  const pullLink = (job: Job, number: number) =>
    linkTo({ kind: 'pull', project: job.project, number });

  /** For a repository on this machine, the link is made anew: our address may have changed. */
  async function pullOf(job: Job) {
    if (!job.pull) return undefined;
    const { number, url } = job.pull;
    const forge = localForge(job);
    if (!forge) return { link: url, state: undefined };
    return { link: pullLink(job, number), state: (await forge.pull(number))?.state };
  }

  /** An entry of the log whose link is made anew, too. */
  function linked(job: Job, entry: AgentLogEntry): AgentLogEntry {
    if (entry.type !== 'pull-request' || !localForge(job)) return entry;
    return { ...entry, url: pullLink(job, entry.number) };
  }

  async function* follow(job: Job, after: number, gone: AbortSignal) {
    for await (const entry of jobs.events.follow(job.id, after, gone)) yield linked(job, entry);
  }

  return {
    async show({ page, by, mayAct }: Visit<'job'>, said: unknown): Promise<Page> {
      const job = await jobs.read(page.project, page.job);
      const [entries, instructions, pull, files] = await Promise.all([
        wholeLog(jobs.events, job.id),
        userInstructions(database, [job.id], 'first'),
        pullOf(job),
        // The rest of the page still works if the repository can't be reached.
        job.status === 'completed' ? [] : filesOf(job).catch(() => []),
      ]);
      const title = titleOf(job, instructions.get(job.id));
      return {
        title: job.status === 'failed' ? `${statusOf(job).name}: ${title}` : title,
        trail: [projectCrumb(deps, page.project, by), { name: 'Job' }],
        script: true,
        body: writeJob({
          job,
          now: now(),
          path: linkTo(page),
          mayAct,
          title,
          entries: entries.map((entry) => linked(job, entry)),
          pullLink: pull?.link,
          pullState: pull?.state,
          diff: files.length > 0 ? { files } : undefined,
          notice: writeNotice(said),
        }),
      };
    },

    /** The log as server-sent events with HTML for the page. */
    async follow(
      { page }: Visit<'job'>,
      { lastId, response, gone }: { lastId: string; response: ServerResponse; gone: AbortSignal },
    ): Promise<void> {
      const job = await jobs.read(page.project, page.job);
      const after = lastEventId(lastId);
      if (job.status !== 'active' && after >= job.events) {
        response.writeHead(204).end();
        return;
      }
      const encode = async (entry: AgentLogEntry) => {
        const piece = logPiece(entry);
        const html = piece && (await fillMarkdown(piece.html));
        return `data: ${JSON.stringify({ type: entry.type, ...piece, ...(html !== undefined && { html }) })}`;
      };
      await streamLog(response, follow(job, after, gone), encode);
    },

    async message({ page, by }: SignedIn<'job'>, body: unknown): Promise<string> {
      await jobs.instruct(page.project, page.job, {
        ...readInstruction(body),
        by,
      });
      return withNotice(linkTo(page), 'sent');
    },

    /**
     * Words are said again in the same conversation, where earlier edits are kept. A command would find its
     * own edits there, so it gets a new job.
     */
    async retry({ page, by }: SignedIn<'job'>, body: unknown): Promise<string> {
      const idempotencyKey = readOnce(body);
      const job = await jobs.read(page.project, page.job);
      // Somebody was faster.
      if (job.status !== 'failed') return linkTo(page);
      const project = projects.byId(page.project);
      const instructions = await readInstructions(database, job.id);
      const last = instructions.findLast(({ role }) => role === 'user');
      if (!project || !last) throw new DocentError('not_found', 'This project no longer exists.');
      const again = { by, idempotencyKey };
      if (!last.command) {
        await jobs.instruct(page.project, page.job, { prompt: last.content, ...again });
        return withNotice(linkTo(page), 'sent');
      }
      const { origin, isDraft, allowLarge } = job;
      const paths = job.paths ?? undefined;
      const options = { project, origin, isDraft, allowLarge, paths, instructions: [last] };
      const made = await jobs.create({ ...options, ...again });
      return linkTo({ ...page, job: made.job.id });
    },

    async cancel({ page, by }: SignedIn<'job'>): Promise<string> {
      const isLate = await jobs.cancel(page.project, page.job, by).then(
        () => false,
        (error: unknown) => {
          if (error instanceof DocentError && error.code === 'conflict') return true;
          throw error;
        },
      );
      return withNotice(linkTo(page), isLate ? 'ended' : 'cancelling');
    },
  };
}
