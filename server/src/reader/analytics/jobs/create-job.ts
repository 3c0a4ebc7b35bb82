import type { AgentJob } from '@docent/shared/agent';
import type { Project } from '../../../platform/tenants/projects.ts';

/** All that the reader's half of the service knows of the agent's: `agent/api/job-from-readers.ts` does it. */
export type CreateJob = (request: {
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
}) => Promise<{ job: AgentJob; isReplay: boolean }>;
