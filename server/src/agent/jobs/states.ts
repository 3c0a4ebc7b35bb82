/**
 * The states of an agent job and what moves it from one to another: all of it, in one table. Spec: only
 * `active`, `completed` and `failed` are shown, and the way from the first to the others; the states
 * within `active`, the way back and the archive are ours.
 */
import type { AgentJobTable } from '../../platform/store/agent-tables.ts';
import { DocentError } from '../../platform/errors.ts';
import type { Database } from '../../platform/store/database.ts';
import type { JobRow } from './job.ts';

export type JobState =
  /** Waits for a process. */
  | 'queued'
  /** A process has it, or had it and died: then the next one takes it over. */
  | 'running'
  /** As `running`, and its owner wants it to end. */
  | 'cancelling'
  /** As `running`, and its pull request is being written: too late to cancel it. */
  | 'publishing'
  | 'completed'
  | 'failed'
  /** Completed or failed once, and closed for good. */
  | 'archived';

export type JobEvent =
  /** An instruction comes. */
  | 'message'
  /** A process takes it, or takes it over. */
  | 'claim'
  /** The process stops, and gives it back. */
  | 'release'
  | 'cancel'
  /** The change is good; from here on the pull request is written. */
  | 'publish'
  /** The run has come out well, and there is more to do: an instruction came meanwhile. */
  | 'resume'
  | 'complete'
  | 'fail'
  | 'archive';

/** State × event → state. What stands nowhere is refused. */
const table: Record<JobState, Partial<Record<JobEvent, JobState>>> = {
  queued: {
    message: 'queued',
    claim: 'running',
    // Nobody works on it, so nobody has to be waited for.
    cancel: 'failed',
    fail: 'failed',
  },
  running: {
    message: 'running',
    claim: 'running',
    release: 'queued',
    cancel: 'cancelling',
    publish: 'publishing',
    // Nothing was to be published.
    resume: 'running',
    complete: 'completed',
    fail: 'failed',
  },
  // Without `publish` and `complete`: after a cancel there is no pull request.
  cancelling: {
    claim: 'cancelling',
    cancel: 'cancelling',
    fail: 'failed',
  },
  publishing: {
    message: 'publishing',
    claim: 'publishing',
    resume: 'running',
    complete: 'completed',
    fail: 'failed',
  },
  completed: { message: 'queued', archive: 'archived' },
  failed: { message: 'queued', archive: 'archived' },
  archived: {},
};

/** `undefined`: in this state, that cannot happen. */
export function next(state: JobState, event: JobEvent): JobState | undefined {
  return table[state][event];
}

export const jobStates = Object.keys(table) as JobState[];
export const jobEvents: readonly JobEvent[] = [
  'message',
  'claim',
  'release',
  'cancel',
  'publish',
  'resume',
  'complete',
  'fail',
  'archive',
];

type StateColumns = Pick<
  AgentJobTable,
  'status' | 'phase' | 'stage' | 'cancel_requested_at' | 'archived_at'
>;

/** The state that a row is in. */
export function stateOf(row: StateColumns): JobState {
  if (row.archived_at !== null) return 'archived';
  if (row.status !== 'active') return row.status;
  if (row.phase === 'queued') return 'queued';
  if (row.cancel_requested_at !== null) return 'cancelling';
  return row.stage === 'publish' ? 'publishing' : 'running';
}

/** What the row gets when its job enters a state. An archived one keeps how it ended. */
export function columnsOf(state: JobState, at: string): Partial<StateColumns> {
  switch (state) {
    case 'queued':
      return { status: 'active', phase: 'queued', cancel_requested_at: null };
    case 'running':
      return { status: 'active', phase: 'running' };
    case 'cancelling':
      return { status: 'active', phase: 'running', cancel_requested_at: at };
    case 'publishing':
      return { status: 'active', phase: 'running', stage: 'publish' };
    case 'completed':
    case 'failed':
      return { status: state, phase: 'ended' };
    case 'archived':
      return { archived_at: at };
  }
}

/** The row, which nobody else changes until the transaction ends. */
export function lockJob(tx: Database, id: string): Promise<JobRow | undefined> {
  return tx
    .selectFrom('agent_jobs')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/**
 * The only writer of a job's status. Rejects with `conflict` where the table of states knows no such
 * step; `change` are further columns of the same update.
 */
export async function changeState(
  tx: Database,
  row: JobRow,
  event: JobEvent,
  at: string,
  change: Partial<JobRow> = {},
): Promise<JobRow> {
  const columns = changedColumns(row, event, at);
  if (columns === undefined) throw new DocentError('conflict', refusal(stateOf(row), event));
  const all = { ...columns, ...change };
  if (Object.keys(all).length === 0) return row;
  return tx
    .updateTable('agent_jobs')
    .set(all)
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** All that an event changes in a row by itself; `undefined` where it cannot happen. */
export function changedColumns(
  row: JobRow,
  event: JobEvent,
  at: string,
): Partial<JobRow> | undefined {
  const state = stateOf(row);
  const to = next(state, event);
  if (to === undefined) return undefined;
  // What stays where it is changes nothing: the first cancel's time stands.
  if (to === state && event !== 'resume') return {};
  return { ...effectsOf(row, event, to, at), ...columnsOf(to, at) };
}

/** What entering a state means besides its own columns. */
function effectsOf(row: JobRow, event: JobEvent, to: JobState, at: string): Partial<JobRow> {
  const free = { owner: null, lease_until: null };
  // The same process goes on, with the instructions that came meanwhile.
  if (event === 'resume') return { ...newRun(row), source_commit: null, started_at: at };
  switch (to) {
    case 'queued':
      // Given back, it keeps its place and what it has done.
      if (row.status === 'active') return free;
      return {
        ...newRun(row),
        ...free,
        queued_at: at,
        // What failed before it was published is not lost: the next run goes on with those edits.
        ...(row.status === 'completed' && { source_commit: null }),
      };
    case 'completed':
    case 'failed':
      return { ...free, finished_at: at };
    case 'running':
    case 'cancelling':
    case 'publishing':
    case 'archived':
      return {};
  }
}

/** An ended job begins anew: in the same conversation, with nothing used up yet. */
function newRun(row: JobRow): Partial<JobRow> {
  return {
    run_number: row.run_number + 1,
    stage: 'prepare',
    failure: null,
    message: null,
    summary: null,
    steps: 0,
    input_tokens: 0,
    output_tokens: 0,
    micro_dollars: 0,
    run_ms: 0,
    feedbacks: 0,
    notice: null,
    crashes: 0,
    started_at: null,
    finished_at: null,
  };
}

function refusal(state: JobState, event: JobEvent): string {
  if (event === 'message') {
    return state === 'archived'
      ? 'This job is archived; create a new one.'
      : 'This job is being cancelled; send the message again once its status is `failed`.';
  }
  if (event === 'cancel') {
    return state === 'publishing'
      ? 'It is too late to cancel this job: its pull request is being written.'
      : `This job has ended already; its status is \`${state}\`.`;
  }
  if (event === 'archive') {
    return state === 'archived'
      ? 'This job is archived already.'
      : 'This job is still active; cancel it, or wait for its end.';
  }
  return `A job that is ${state} cannot ${event}.`;
}
