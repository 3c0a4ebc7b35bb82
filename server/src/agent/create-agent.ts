import type { Environment } from '../platform/config/environment.ts';
import type { Audit } from '../platform/audit/audit.ts';
import type { Config } from '../platform/config/schema.ts';
import type { Deliveries } from '../platform/webhooks/deliveries.ts';
import { createForges } from './forge/create-forges.ts';
import type { LocalPull } from './forge/local/pulls.ts';
import type { NewId } from '../platform/ids.ts';
import { dayMs } from '../platform/limits/windows.ts';
import type { Logger } from '../platform/log.ts';
import { createAgentModels } from '../platform/models/agent-models.ts';
import { createPageLinks } from '../platform/tenants/page-links.ts';
import type { Projects } from '../platform/tenants/projects.ts';
import type { Spend } from '../platform/budgets/spend.ts';
import type { Store } from '../platform/store/database.ts';
import type { Processes } from '../platform/store/processes.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import { createJobFromReaders } from './api/job-from-readers.ts';
import { deleteEndedBefore } from './jobs/delete-old.ts';
import { createJobChanges } from './api/job-changes.ts';
import { createJobs } from './jobs/jobs.ts';
import { branchName } from './publish/branch-name.ts';
import { createEventRecorder } from './api/record-events.ts';
import { createCheckpoints } from './run/checkpoints.ts';
import { createLeases } from './run/leases.ts';
import type { RunDeps } from './run/run-context.ts';
import { createRunner } from './run/runner.ts';

export interface AgentDeps {
  config: Pick<Config, 'agent' | 'models' | 'server' | 'sites'>;
  environment: Environment;
  store: Store;
  processes: Processes;
  projects: Projects;
  spend: Spend;
  metrics: Pick<Metrics, 'jobEnded'>;
  audit: Audit;
  deliveries: Deliveries;
  now: () => Date;
  newId: NewId;
  log: Logger;
  /** Where browsers reach the service; known once it listens. */
  baseUrl: () => string;
  /** Told of a merge on a page of ours. */
  onMerged?: ((project: string, pull: LocalPull) => void) | undefined;
}

/** The agent's half of the service: jobs, and what works on them. */
export function createAgent(deps: AgentDeps) {
  const { config, environment, store, processes, projects, spend, metrics, now, newId, log } = deps;
  const { audit } = deps;
  const { database, bus } = store;
  const { concurrency, perProject, maxQueueMinutes, archiveAfterDays, deleteAfterDays } =
    config.agent;
  const daysAgo = (days: number) => new Date(now().getTime() - days * dayMs);
  const links = createPageLinks({ database, baseUrl: deps.baseUrl });
  const onEvents = createEventRecorder(deps);
  const jobs = createJobs({ ...store, now, newId, branchName, onEvents });
  const forges = createForges({
    config,
    environment,
    database,
    now,
    log,
    // It gets into rows, webhooks and the audit trail, and to keys that may only read: no page key there.
    pullUrl: (project, number) => links.plain({ kind: 'pull', project, number }),
    onMerged: deps.onMerged,
  });
  const leases = createLeases({ store, processes, jobs, now, perProject, maxQueueMinutes });

  const runDeps: RunDeps = {
    database,
    checkpoints: createCheckpoints({ database, jobs, now }),
    leases,
    projects,
    forges,
    models: createAgentModels(config, environment),
    spend,
    links,
    sites: config.sites,
    metrics,
    log,
  };
  const runner = createRunner({ leases, deps: runDeps, bus, log, concurrency });

  return {
    jobs,
    jobFromReaders: createJobFromReaders(jobs),
    forges,
    links,
    changesOf: createJobChanges({ database, forges, projects }),

    /** Begins to work on what waits, and on what a process that died has left. */
    async start(): Promise<void> {
      runner.start();
      await processes.whenOthersDie(() => runner.wake());
    },

    /** From time to time: jobs that ended long ago are archived; gives back how many. */
    archiveOld: () => jobs.archiveEndedBefore(daysAgo(archiveAfterDays)),

    /** From time to time: archived jobs whose time is over are deleted; gives back how many. */
    deleteOld: async () =>
      deleteAfterDays === 'never'
        ? 0
        : deleteEndedBefore({ database, audit }, daysAgo(deleteAfterDays)),

    /** The service stops: who follows a job comes to the end of the stream. */
    closeStreams: () => jobs.events.close(),

    /** Jobs come to the end of their step within the grace, and are given back. */
    stop: (graceMs: number) => runner.stop(graceMs),
  };
}
