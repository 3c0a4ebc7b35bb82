/** One object that a run works with, from its claim to its end. */
import type { Config } from '../../platform/config/schema.ts';
import type { ParsedPages } from '../checks/docs-state.ts';
import type { CodeContext } from '../code/code-context.ts';
import type { OpenCode } from '../code/code-repository.ts';
import type { FileSet } from '../workspace/file-set.ts';
import type { Forges } from '../forge/create-forges.ts';
import type { Forge } from '../forge/forge.ts';
import type { Logger } from '../../platform/log.ts';
import type { AgentModels } from '../../platform/models/agent-models.ts';
import type { LinkTo } from '../shares/page-links.ts';
import type { AffectedQuestions, Project, Projects } from '../../platform/tenants/projects.ts';
import type { Spend } from '../../budgets/spend.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { StoredInstruction } from '../jobs/instructions.ts';
import { type Job, type JobRow, toJob } from '../jobs/job.ts';
import type { Budgets } from './budgets.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { Lease, Leases } from './leases.ts';
import { createLiveEvents, type LiveEvents } from './live-events.ts';
import { type MeteredModel, meterModel } from './metered-model.ts';

/** What every run of this process shares. */
export interface RunDeps {
  database: Database;
  checkpoints: Checkpoints;
  leases: Pick<Leases, 'release'>;
  projects: Pick<Projects, 'find'>;
  forges: Pick<Forges, 'forProject'>;
  models: AgentModels;
  spend: Pick<Spend, 'reserve' | 'settle'>;
  linkTo: LinkTo;
  affectedQuestions?: AffectedQuestions | undefined;
  openCode: OpenCode;
  sites: Config['sites'];
  metrics: Pick<Metrics, 'jobEnded'>;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** How the runner ends a run and learns how long it has taken. */
export interface RunControl {
  lease: Lease;
  /** Its reason says why the run ends now: a `JobError`, `LeaseLost` or `Stopping`. */
  signal: AbortSignal;
  /** Ends the run; only the first reason counts. */
  abort: (reason: unknown) => void;
  /** Whether the run gives the job back at its next step. */
  isStopping: () => boolean;
  /** How long the job has run, over all processes. */
  runMs: () => number;
}

export interface RunContext {
  deps: RunDeps;
  control: RunControl;
  /** The row as last stored. Its `state` and its `stage` are the progress of the run. */
  row: JobRow;
  readonly job: Job;
  /** Ids of the instructions that this run has seen. A failed job is queued again only for newer ones. */
  seen: Set<string>;
  live: LiveEvents;
  /** Known once the run is prepared; what they hold is saved however the run ends. */
  budgets?: Budgets;
  model?: MeteredModel;
  files?: FileSet;
}

/** A run after `prepare`. */
export interface PreparedRun extends RunContext {
  project: Project;
  forge: Forge;
  budgets: Budgets;
  files: FileSet;
  /** Undefined: the project has no code repositories. */
  code: CodeContext | undefined;
  /** It changes only what code contradicts. */
  isDrift: boolean;
  /** Pages that the checks of this run have parsed. */
  parsed: ParsedPages;
  /** What the users asked for, as far as the work has taken it up; read at each review. */
  instructions: readonly StoredInstruction[];
  /** How many refusals of the file set are in the job's log. */
  denialsStored: number;
}

/** The service stops: the job goes back to the queue, for another process or the next start. */
export class Stopping extends Error {
  override readonly name = 'Stopping';

  constructor() {
    super('The service is stopping.');
  }
}

export function openRun(deps: RunDeps, row: JobRow, control: RunControl): RunContext {
  const { lease, abort } = control;
  return {
    deps,
    control,
    row,
    get job() {
      return toJob(this.row);
    },
    seen: new Set(),
    live: createLiveEvents({
      save: (events) => deps.checkpoints.events(lease, events),
      onError: abort,
    }),
  };
}

/** Stops the timers and settles the cost of the model. */
export async function closeRun({ live, budgets, model }: RunContext): Promise<void> {
  live.close();
  budgets?.close();
  await model?.close();
}

/** Called between two steps; throws if the run has to end. */
export function assertRunning({ control }: RunContext): void {
  if (control.isStopping()) control.abort(new Stopping());
  control.signal.throwIfAborted();
}

/** Connected when it's needed: commands don't need it. */
export async function modelOf(run: PreparedRun): Promise<MeteredModel> {
  return (run.model ??= meterModel(await run.deps.models.forName(run.row.model), run, run.budgets));
}

/** The address of the published documentation. */
export function siteUrlOf({ deps, project }: PreparedRun): string | undefined {
  return deps.sites.find(({ domain }) => domain === project.site)?.docs.baseUrl;
}
