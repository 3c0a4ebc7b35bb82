import type { Audit } from '../audit/audit.ts';
import type { Config } from '../config/schema.ts';
import type { NewId } from '../ids.ts';
import type { Bus } from '../store/bus.ts';
import type { Database } from '../store/database.ts';
import { dayMs } from '../limits/windows.ts';
import type { Deliveries } from '../webhooks/deliveries.ts';
import { createJobs } from './jobs/jobs.ts';
import { branchName } from './proposal/branch-name.ts';
import { createEventRecorder } from './record-events.ts';

export interface AgentParts {
  config: Pick<Config, 'agent'>;
  database: Database;
  bus: Bus;
  now: () => Date;
  newId: NewId;
  audit: Audit;
  deliveries: Deliveries;
}

/** The agent's half of the service: jobs, and what works on them. */
export function createAgent(parts: AgentParts) {
  const jobs = createJobs({ ...parts, branchName, onEvents: createEventRecorder(parts) });
  const { now, config } = parts;
  return {
    jobs,

    /** From time to time: jobs that ended long ago are archived; gives back how many. */
    archiveOld: () =>
      jobs.archiveEndedBefore(new Date(now().getTime() - config.agent.archiveAfterDays * dayMs)),

    /** The service stops: who follows a job comes to the end of the stream. */
    closeStreams: () => jobs.events.close(),
  };
}
