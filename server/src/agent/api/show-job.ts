/** A job as the API shows it. */
import { toDollars } from '../../budgets/cost.ts';
import type { AgentJob } from '@docent/shared/agent';
import type { JobInQueue } from '../jobs/read-jobs.ts';
import type { Gap } from '@docent/shared/analytics';
import type { CreateJob, Project } from '../../platform/tenants/projects.ts';
import { chunksOf, type Database } from '../../platform/store/database.ts';
import { toInstruction } from '../jobs/instructions.ts';
import { toJob } from '../jobs/job.ts';
import type { Jobs } from '../jobs/jobs.ts';

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
