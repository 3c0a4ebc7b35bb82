/**
 * The states of an agent job and what moves it from one to another: all of it, in one table. Spec: only
 * `active`, `completed` and `failed` are shown, and the way from the first to the others; the states
 * within `active`, the way back and the archive are ours.
 */
import type { AgentJobTable } from '../../platform/store/agent-tables.ts';

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
  /** The round has come out well, and there is more to do: an instruction came meanwhile. */
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
