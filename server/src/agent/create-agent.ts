import type { NewId } from '../ids.ts';
import type { Bus } from '../store/bus.ts';
import type { Database } from '../store/database.ts';
import { createJobs } from './jobs/jobs.ts';

export interface AgentParts {
  database: Database;
  bus: Bus;
  now: () => Date;
  newId: NewId;
}

/** The agent's half of the service: jobs, and what works on them. */
export function createAgent(parts: AgentParts) {
  const jobs = createJobs({ ...parts, branchName });
  return { jobs };
}

function branchName(prefix: string, _prompt: string, jobId: string): string {
  return `${prefix}${jobId.toLowerCase()}`;
}
