import { forgetWords } from './forget-words.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { toAgentJob } from './show-job.ts';
import type { Project } from '../../platform/tenants/projects.ts';
import type { AgentJob } from '@docent/shared/agent';

/** What other features may do with jobs; they see them as the API shows them. */
export function createDoor(jobs: Jobs) {
  return {
    async create(job: {
      project: Project;
      origin: 'feedback' | 'gap';
      keyId?: string | undefined;
      prompt: string;
      paths?: readonly string[] | undefined;
      isDraft?: boolean | undefined;
      idempotencyKey?: string | undefined;
    }): Promise<{ job: AgentJob; isReplay: boolean }> {
      const { prompt, ...rest } = job;
      const made = await jobs.create({ ...rest, messages: [{ role: 'user', content: prompt }] });
      return { job: toAgentJob(made.job), isReplay: made.isReplay };
    },

    async find(project: string, id: string): Promise<AgentJob | undefined> {
      const job = await jobs.find(project, id);
      return job && toAgentJob(job);
    },

    async addPrompt(project: string, id: string, prompt: string): Promise<void> {
      await jobs.addPrompt(project, id, { prompt });
    },

    forgetWords,
  };
}
