/** A job as the API shows it. */
import { toDollars } from '../../platform/budgets/cost.ts';
import { isPersonId } from '../../platform/ids.ts';
import type { AgentJob } from '@docent/shared/agent';
import type { JobInQueue } from '../jobs/read-jobs.ts';
import type { Caller } from '../../platform/auth/keys.ts';
import type { PageLinks } from '../../platform/tenants/page-links.ts';

/** A job as version 2 shows it. */
export function toAgentJob(job: JobInQueue, pageUrl?: string): AgentJob {
  return {
    id: job.id,
    status: job.status,
    source: { repository: job.repository, ref: job.branch },
    model: job.model ?? 'none',
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
    round: job.run,
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

/**
 * Adds the addresses of our own pages, which let anybody who has them steer and merge: a key that may write
 * gets them with their page key, and a key that may only read gets the plain ones.
 */
export async function openLinks(
  job: JobInQueue,
  { keyId, scopes }: Pick<Caller, 'keyId' | 'scopes'>,
  links: PageLinks,
): Promise<{ job: JobInQueue; pageUrl: string }> {
  const page = { kind: 'job', project: job.project, job: job.id } as const;
  // The session of a person opens the plain ones.
  const maySteer = !isPersonId(keyId) && (!scopes || scopes.includes('write'));
  if (!maySteer) return { job, pageUrl: links.plain(page) };
  const pageUrl = await links.link(page);
  // Only pull requests of repositories on this machine have a page of ours.
  if (!job.repository.startsWith('file:')) return { job, pageUrl };
  const open = async <Pull extends { number: number }>(pull: Pull) => ({
    ...pull,
    url: await links.link({ kind: 'pull', project: job.project, number: pull.number }),
  });
  const pull = job.pull && (await open(job.pull));
  const formerPulls = await Promise.all(job.formerPulls.map(open));
  return { job: { ...job, pull, formerPulls }, pageUrl };
}
