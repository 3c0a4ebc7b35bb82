/** A job as the API, people, and the readers' half of the service see it. */
import type { AgentJob } from '@docent/shared/agent';
import type { Gap } from '@docent/shared/analytics';
import type { FileDiff, JobView } from '@docent/shared/job-pages';
import { toDollars } from '../../budgets/cost.ts';
import { createOncePerKey } from '../../platform/lru.ts';
import { chunksOf, type Database } from '../../platform/store/database.ts';
import type { CreateJob, Project, Projects } from '../../platform/tenants/projects.ts';
import type { Forges } from '../forge/create-forges.ts';
import { titleOf, toInstruction, userInstructions } from '../jobs/instructions.ts';
import { type Job, toJob } from '../jobs/job.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { JobInQueue } from '../jobs/read-jobs.ts';
import { loadEdits } from '../run/checkpoints.ts';
import type { LinkTo } from '../shares/page-shares.ts';
import { diffInWorker } from '../workspace/diff.ts';
import { createOverlay } from '../workspace/overlay.ts';
import type { FileChange } from '../workspace/tree.ts';

export type JobViews = ReturnType<typeof createJobViews>;

export function createJobViews(deps: {
  database: Database;
  forges: Forges;
  projects: Pick<Projects, 'byId'>;
  jobs: Pick<Jobs, 'read'>;
  linkTo: LinkTo;
}) {
  const { database, forges, projects, jobs, linkTo } = deps;
  const diffs = createOncePerKey<FileDiff[]>(20);
  /** Every change of a job's files has an event. */
  const filesOf = (job: Job) =>
    diffs(`${job.id} ${job.events}`, async () => diffInWorker(await changesOf(job)));

  /**
   * The unpublished changes of a job on top of its commit, even if the job failed. Empty before the job begins
   * and once its edits are published.
   */
  async function changesOf(job: Job, signal?: AbortSignal): Promise<FileChange[]> {
    const project = projects.byId(job.project);
    if (!project || job.sourceCommit === null) return [];
    const edits = await loadEdits(database, job.id);
    if (edits.length === 0) return [];
    const tree = await forges.forProject(project).openTree(job.sourceCommit, signal);
    return createOverlay(tree, edits, signal).changes();
  }

  return {
    changesOf,

    async read(project: Project, id: string): Promise<JobView> {
      const job = await jobs.read(project.id, id);
      const [instructions, pull, files] = await Promise.all([
        userInstructions(database, [job.id], 'first'),
        job.pull ? forges.localForge(project)?.pull(job.pull.number) : undefined,
        // The rest is still of use if the repository can't be reached.
        job.status === 'completed' ? [] : filesOf(job).catch(() => []),
      ]);
      return {
        job: {
          ...toAgentJob(job, linkTo({ kind: 'job', project: project.id, job: job.id })),
          project: project.id,
          baseBranch: job.baseBranch,
          isCancelRequested: job.state === 'cancelling',
          takesWords: job.model !== null,
        },
        title: titleOf(job, instructions.get(job.id)),
        pullState: pull?.state ?? null,
        files,
      };
    },
  };
}

/** A job as version 2 shows it. `pageUrl` is for people, who need a session there. */
export function toAgentJob(job: JobInQueue, pageUrl?: string): AgentJob {
  return {
    id: job.id,
    status: job.status,
    source: { repository: job.repository, ref: job.branch },
    model: job.modelId ?? job.model ?? 'none',
    // As in the document: null while the job is active, even if an earlier run made one.
    prLink: job.status === 'active' ? null : (job.pull?.url ?? null),
    createdAt: job.createdAt,
    archivedAt: job.archivedAt,
    ...(pageUrl !== undefined && { pageUrl }),
    title: job.title,
    message: job.message,
    failure: job.failure,
    todos: job.todos,
    position: job.position,
    pullRequest: job.pull,
    formerPullRequests: job.formerPulls,
    corrections: job.corrections,
    round: job.round,
    usage: {
      steps: job.steps,
      inputTokens: job.inputTokens,
      outputTokens: job.outputTokens,
      costUsd: toDollars(job.microDollars),
    },
    startedAt: job.startedAt,
    finishedAt: job.finishedAt,
  };
}

/** The reader's half of the service asks the agent's for a job from what readers said, or for the job that works on it already. */
export function createJobFromReaders(jobs: Jobs): CreateJob {
  return async function jobFromReaders(request) {
    const { prompt, command, existing, onMade, ...rest } = request;
    const known = existing && (await jobs.find(rest.project.id, existing));
    if (known) return { job: toAgentJob(known), isReplay: true };
    const instructions = [toInstruction({ prompt, command })];
    const made = await jobs.create({ ...rest, instructions }, onMade);
    return { job: toAgentJob(made.job), isReplay: made.isReplay };
  };
}

/** It also asks what became of such jobs. Those that were deleted have no entry. */
export function createJobOutcomes(database: Database) {
  return async function outcomesOf(
    project: Project,
    ids: readonly string[],
  ): Promise<Map<string, NonNullable<Gap['job']>>> {
    const found = new Map<string, NonNullable<Gap['job']>>();
    for (const some of chunksOf(ids)) {
      const rows = await database
        .selectFrom('agent_jobs')
        .selectAll()
        .where('project', '=', project.id)
        .where('id', 'in', some)
        .execute();
      for (const { id, status, state, pull, pullState, pullEndedAt, ...job } of rows.map(toJob)) {
        const { createdAt, finishedAt } = job;
        const pullRequest = pull && { ...pull, state: pullState, endedAt: pullEndedAt };
        const stands = { status, isQueued: state === 'queued', createdAt, finishedAt };
        found.set(id, { id, project: project.id, ...stands, pullRequest });
      }
    }
    return found;
  };
}
