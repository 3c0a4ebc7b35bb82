/** The same record in the shape of version 1; the spellings are the service document's. */
import type { AgentSession, HaultReason } from '@docent/shared/agent';
import { failureTable } from '@docent/shared/agent-failures';
import type { Job } from '../jobs/job.ts';
import { pullTitle } from '../publish/pull-text.ts';

/**
 * Where there is no text the document's type, a string, is kept: it is empty. Spec: "subdomain the
 * session belongs to"; that is the site's domain identifier, or the project's id where it has no site.
 * Spec: "generated title summarizing the job"; until the agent has given one, the instruction has it.
 */
export function toSession(job: Job, subdomain: string, instruction = ''): AgentSession {
  return {
    sessionId: job.id,
    subdomain,
    branch: job.branch,
    haulted: job.status !== 'active',
    haultReason: reasonOf(job),
    pullRequestLink: job.status === 'active' ? '' : (job.pull?.url ?? ''),
    messageToUser: messageOf(job),
    todos: job.todos,
    // Spec: "id of the user who created the session, if available". Of a key, it's the key's.
    ...(job.callerId !== null && { userId: job.callerId }),
    title: job.title ?? pullTitle(undefined, instruction),
    createdAt: job.createdAt,
  };
}

function reasonOf({ status, failure }: Job): HaultReason {
  if (status === 'active') return 'processing';
  if (failure === null) return 'completed';
  if (failure.code === 'cancelled') return 'interrupted';
  return 'isAccess' in failureTable[failure.code] ? 'github_missconfigured' : 'error';
}

function messageOf({ failure, message }: Job): string {
  return failure ? `${failure.message} ${failure.remedy}` : (message ?? '');
}
