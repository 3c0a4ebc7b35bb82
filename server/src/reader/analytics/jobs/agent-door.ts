import type { AgentJob } from '@docent/shared/agent';
import type { Project } from '../../../platform/tenants/projects.ts';
import type { Database } from '../../../platform/store/database.ts';

/** What this feature needs of agent jobs; `agent/door.ts` has it. */
export interface AgentDoor {
  create(job: {
    project: Project;
    origin: 'feedback' | 'gap';
    keyId?: string | undefined;
    prompt: string;
    /** Beginnings of paths: it may write nothing else. */
    paths?: readonly string[] | undefined;
    isDraft?: boolean | undefined;
    idempotencyKey?: string | undefined;
  }): Promise<{ job: AgentJob; isReplay: boolean }>;
  find(project: string, id: string): Promise<AgentJob | undefined>;
  addPrompt(project: string, id: string, prompt: string): Promise<void>;
  /** Takes texts out of what is stored of a job. */
  forgetWords(tx: Database, jobId: string, texts: readonly string[]): Promise<void>;
}
