import type { Environment } from '../platform/config/environment.ts';
import type { Audit } from '../notify/audit/audit.ts';
import type { Config } from '../platform/config/schema.ts';
import type { Deliveries } from '../notify/webhooks/deliveries.ts';
import { createForges } from './forge/create-forges.ts';
import type { LocalPull } from './forge/local/pulls.ts';
import { dayMs } from '../platform/time.ts';
import type { Logger } from '../platform/log.ts';
import { createAgentModels } from '../platform/models/agent-models.ts';
import { type LinkTo, pagePath } from './shares/page-shares.ts';
import type { AffectedQuestions, Projects, ReaderFindings } from '../platform/tenants/projects.ts';
import type { Sites } from '../platform/tenants/sites.ts';
import type { Spend } from '../budgets/spend.ts';
import type { Store } from '../platform/store/database.ts';
import type { Processes } from '../platform/store/processes.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import { createJobFromReaders, createJobOutcomes } from './api/job-view.ts';
import { deleteEndedBefore } from './jobs/forget.ts';
import { createJobViews } from './api/job-view.ts';
import { createPullStates, type PullStatesDeps } from './pulls/pull-states.ts';
import { createPullViews } from './pulls/pull-view.ts';
import { createAutomations } from './automations/automations.ts';
import { createOpenCode } from './code/code.ts';
import { createJobs } from './jobs/jobs.ts';
import { createTalks } from './talk/talk.ts';
import { createEventRecorder } from './api/record-events.ts';
import { createCheckpoints } from './run/checkpoints.ts';
import { createLeases } from './run/leases.ts';
import type { RunDeps } from './run/run-context.ts';
import { createRunner } from './run/runner.ts';

export interface AgentDeps {
  config: Pick<Config, 'agent' | 'models' | 'server'>;
  sites: Pick<Sites, 'find' | 'builtFrom'>;
  environment: Environment;
  store: Store;
  processes: Processes;
  projects: Projects;
  spend: Spend;
  metrics: Pick<Metrics, 'jobEnded'>;
  audit: Audit;
  deliveries: Deliveries;
  now: () => Date;
  log: Logger;
  /** The address of the dashboard; known once it listens. */
  baseUrl: () => string;
  /** Requests index runs of sites. */
  index: (domains: readonly string[]) => Promise<void>;
  /** Called after a merge on one of our pages. */
  onMerged?: ((project: string, pull: LocalPull) => void) | undefined;
  /** Called in the transaction that notes a merge, wherever it happened. */
  onMergeNoted?: PullStatesDeps['onMerged'];
  affectedQuestions?: AffectedQuestions;
  readers: ReaderFindings;
}

/** The agent's half of the service: jobs and their runner. */
export function createAgent(deps: AgentDeps) {
  const { config, environment, store, processes, projects, spend, metrics, now, log } = deps;
  const { audit } = deps;
  const { database, bus } = store;
  const { concurrency, perProject, maxQueueMinutes, archiveAfterDays, deleteAfterDays } =
    config.agent;
  const daysAgo = (days: number) => new Date(now().getTime() - days * dayMs);
  const linkTo: LinkTo = (page) => `${deps.baseUrl()}/dashboard${pagePath(page)}`;
  const onEvents = createEventRecorder(deps);
  const jobs = createJobs({ ...store, now, onEvents, models: config.models });
  const forges = createForges({
    config,
    projects,
    database,
    now,
    pullUrl: (project, number) => linkTo({ kind: 'pull', project, number }),
    onMerged: deps.onMerged,
  });
  const leases = createLeases({ store, processes, jobs, now, perProject, maxQueueMinutes });

  const openCode = createOpenCode(deps);
  const runDeps: RunDeps = {
    database,
    checkpoints: createCheckpoints({ jobs, now }),
    leases,
    projects,
    forges,
    models: createAgentModels(config, environment),
    spend,
    linkTo,
    affectedQuestions: deps.affectedQuestions,
    openCode,
    sites: deps.sites,
    metrics,
    log,
  };
  const pullStates = createPullStates({
    database,
    forges,
    projects,
    now,
    log,
    onMerged: deps.onMergeNoted,
  });
  const talks = createTalks({ ...deps, jobs, forges, pullStates });
  const automations = createAutomations({
    ...deps,
    jobs,
    forges,
    openCode,
    models: config.models,
  });
  const runner = createRunner({ leases, deps: runDeps, bus, log, concurrency });

  return {
    jobs,
    jobFromReaders: createJobFromReaders(jobs),
    jobOutcomes: createJobOutcomes(database),
    pullStates,
    talks,
    automations,
    forges,
    linkTo,
    jobViews: createJobViews({ database, forges, projects, jobs, linkTo }),
    pullViews: createPullViews({ database, forges }),

    /** Starts to work on queued jobs, and on those that dead processes left. */
    async start(): Promise<void> {
      runner.start();
      pullStates.start();
      talks.start();
      automations.start();
      await processes.whenOthersDie(() => runner.wake());
    },

    /** Archives jobs that ended long ago; returns how many. Called from time to time. */
    archiveOld: () => jobs.archiveEndedBefore(daysAgo(archiveAfterDays)),

    /** Deletes archived jobs whose retention has ended; returns how many. Called from time to time. */
    deleteOld: async () =>
      deleteAfterDays === 'never'
        ? 0
        : deleteEndedBefore({ database, audit }, daysAgo(deleteAfterDays)),

    /** Ends the streams of followers because the service stops. */
    closeStreams: () => jobs.events.close(),

    /** Lets jobs finish their step within the grace period and gives them back. */
    async stop(graceMs: number): Promise<void> {
      await Promise.all([
        runner.stop(graceMs),
        pullStates.stop(),
        talks.stop(),
        automations.stop(),
      ]);
    },
  };
}
