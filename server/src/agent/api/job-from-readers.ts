import type { AgentJob } from '@docent/shared/agent';
import type { Database } from '../../platform/store/database.ts';
import type { Project } from '../../platform/tenants/projects.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { toAgentJob } from './show-job.ts';

/**
 * The one thing that the reader's half of the service asks of the agent's: a job from what readers said, or
 * the job that works on it already.
 */
export function createJobFromReaders(jobs: Jobs) {
  return async function jobFromReaders(request: {
    project: Project;
    origin: 'feedback' | 'gap';
    keyId?: string | undefined;
    prompt: string;
    /** Beginnings of paths: the job may write nothing else. */
    paths?: readonly string[] | undefined;
    isDraft?: boolean | undefined;
    idempotencyKey?: string | undefined;
    /** A job that does for this as well, as long as there is one. While it is active, it hears `prompt`. */
    existing?: { id: string; prompt?: string | undefined } | undefined;
    /** Runs in the transaction that writes the prompt. */
    onMade: (tx: Database, jobId: string) => Promise<void>;
  }): Promise<{ job: AgentJob; isReplay: boolean }> {
    const { prompt, existing, onMade, ...rest } = request;
    const known = existing && (await jobs.find(rest.project.id, existing.id));
    if (known) {
      if (existing?.prompt !== undefined && known.status === 'active') {
        await jobs.instruct(known.project, known.id, { prompt: existing.prompt }, onMade);
      }
      return { job: toAgentJob(known), isReplay: true };
    }
    const instructions = [{ role: 'user' as const, content: prompt }];
    const made = await jobs.create({ ...rest, instructions }, onMade);
    return { job: toAgentJob(made.job), isReplay: made.isReplay };
  };
}
