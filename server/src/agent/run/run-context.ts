/** One object that a run works with, from its claim to its end. */
import type { Sites } from '../../platform/tenants/sites.ts';
import type { ParsedPages } from '../checks/docs-state.ts';
import type { CodeContext } from '../code/code.ts';
import type { OpenCode } from '../code/code.ts';
import type { FileSet } from '../workspace/file-set.ts';
import type { Forges } from '../forge/create-forges.ts';
import type { Forge } from '../forge/forge.ts';
import type { Logger } from '../../platform/log.ts';
import type { AgentModels } from '../../platform/models/agent-models.ts';
import type { LinkTo } from '../shares/page-shares.ts';
import type { AffectedQuestions, Project, Projects } from '../../platform/tenants/projects.ts';
import type { Spend } from '../../budgets/spend.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { StoredInstruction } from '../jobs/instructions.ts';
import { type Job, type JobRow, toJob } from '../jobs/job.ts';
import { otherOnBranch } from '../jobs/read-jobs.ts';
import { type Budgets, type MeteredModel, meterModel } from './metered-model.ts';
import type { Checkpoint, Checkpoints } from './checkpoints.ts';
import type { Lease, Leases } from './leases.ts';
import type { AgentEvent } from '@docent/shared/agent-events';

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
  sites: Pick<Sites, 'find'>;
  metrics: Pick<Metrics, 'jobEnded'>;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** How the runner ends a run. */
export interface RunControl {
  lease: Lease;
  /** Its reason says why the run ends now: a `JobError`, `LeaseLost` or `Stopping`. */
  signal: AbortSignal;
  /** Ends the run; only the first reason counts. */
  abort: (reason: unknown) => void;
  /** Whether the run gives the job back at its next step. */
  isStopping: () => boolean;
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
  parsed: ParsedPages;
  /** What the users asked for, as far as the work has taken it up; read at each review. */
  instructions: readonly StoredInstruction[];
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
      save: (events) => deps.checkpoints.save(lease, { events }),
      onError: abort,
    }),
  };
}

export async function closeRun({ live, budgets, model }: RunContext): Promise<void> {
  live.close();
  budgets?.close();
  await model?.close();
}

export async function isBranchBusy({ deps, row }: RunContext, branch: string): Promise<boolean> {
  const { id, project } = row;
  return (await otherOnBranch(deps.database, { id, project, branch })) !== undefined;
}

/** Called between two steps; throws if the run has to end. */
export function assertRunning({ control }: RunContext): void {
  if (control.isStopping()) control.abort(new Stopping());
  control.signal.throwIfAborted();
}

/** Stores how far the run is, after all that happened before: what it has used, its edits, and its events too. */
export async function save(run: PreparedRun, checkpoint: Checkpoint): Promise<void> {
  const { deps, control, live, budgets, files } = run;
  run.row = await live.inOrder((waiting) => {
    const denied = files.denied.slice(run.denialsStored);
    run.denialsStored = files.denied.length;
    const denials = denied.map((denial) => ({ type: 'denied' as const, ...denial }));
    return deps.checkpoints.save(control.lease, {
      used: budgets.used(),
      edits: files.save(),
      ...checkpoint,
      events: [...waiting, ...denials, ...(checkpoint.events ?? [])],
    });
  });
}

/** Connected when it's needed: commands don't need it. */
export async function modelOf(run: PreparedRun): Promise<MeteredModel> {
  return (run.model ??= meterModel(await run.deps.models.forName(run.row.model), run, run.budgets));
}

export function siteUrlOf({ deps, project }: PreparedRun): string | undefined {
  return deps.sites.find(project.site ?? '')?.docs.baseUrl;
}

/** The model's words are stored a few times a second, not one by one. */
const everyMs = 200;

type LiveEvents = ReturnType<typeof createLiveEvents>;

/** Collects the events of a running loop and stores them in the job's log: in order, in batches, within 200 ms. */
function createLiveEvents(deps: {
  save: (events: readonly AgentEvent[]) => Promise<unknown>;
  onError: (error: unknown) => void;
}) {
  let waiting: AgentEvent[] = [];
  let timer: NodeJS.Timeout | undefined;
  let saving: Promise<void> = Promise.resolve();
  let isClosed = false;

  function save(): void {
    saving = saving
      .then(async () => {
        const events = take();
        if (events.length > 0) await deps.save(events);
      })
      .catch(deps.onError);
  }

  function take(): AgentEvent[] {
    clearTimeout(timer);
    timer = undefined;
    const events = waiting;
    waiting = [];
    return events;
  }

  return {
    add(event: AgentEvent): void {
      if (isClosed) return;
      const last = waiting.at(-1);
      if (event.type === 'text' && last?.type === 'text') last.text += event.text;
      else waiting.push({ ...event });
      timer ??= setTimeout(save, everyMs);
    },

    /** Runs another write together with the events that aren't stored yet, after everything before it. */
    inOrder<Result>(write: (events: AgentEvent[]) => Promise<Result>): Promise<Result> {
      const written = saving.then(() => write(take()));
      saving = written.then(
        () => undefined,
        () => undefined,
      );
      return written;
    },

    close(): void {
      isClosed = true;
    },
  };
}
