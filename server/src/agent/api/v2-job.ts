import type { AgentJob } from '@docent/shared/agent';
import type { JobInQueue } from '../jobs/read-jobs.ts';

/** A job as version 2 shows it. */
export function toAgentJob(job: JobInQueue, pageUrl?: string): AgentJob {
  return {
    id: job.id,
    status: job.status,
    source: { repository: job.repository, ref: job.branch },
    model: job.model,
    // The document's word: null while it is active, also where an earlier round made one.
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
    round: job.round,
    usage: {
      steps: job.steps,
      inputTokens: job.inputTokens,
      outputTokens: job.outputTokens,
      costUsd: job.microDollars / 1e6,
    },
    startedAt: job.startedAt,
    finishedAt: job.finishedAt,
  };
}
