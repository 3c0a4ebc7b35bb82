/** A job as the API shows it. */
import { toDollars } from '../../budgets/cost.ts';
import type { AgentJob } from '@docent/shared/agent';
import type { JobInQueue } from '../jobs/read-jobs.ts';

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
