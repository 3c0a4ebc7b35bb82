/**
 * The states of a job and its transitions, in one table. Spec: only `active`, `completed` and `failed` are
 * shown, and the transition from the first to the others. We chose the states within `active`, the way back,
 * and the archive.
 */
import type { AgentJob } from '@docent/shared/agent';
import type { JobState as StoredState } from '../tables.ts';
import { DocentError } from '../../platform/errors.ts';
import type { Database } from '../../platform/store/database.ts';
import type { JobRow } from './job.ts';

/** An archived job has ended and is closed for good; its row keeps the state of its end. */
export type JobState = StoredState | 'archived';

/** A process works on the job, or died and another one takes it over. */
export const claimedStates = ['running', 'cancelling', 'publishing'] as const;
export const activeStates = ['queued', ...claimedStates] as const;

/** As the API shows it. */
export const statusOf = (state: StoredState): AgentJob['status'] =>
  state === 'completed' || state === 'failed' ? state : 'active';

export type JobEvent =
  | 'message'
  /** The process stops and gives the job back. */
  | 'release'
  | 'cancel'
  /** The change has passed its review; the pull request is written next. */
  | 'publish'
  /** The run succeeded, and an instruction arrived in the meantime. */
  | 'resume'
  | 'complete'
  | 'fail'
  | 'archive';

/**
 * State × event → state. Everything else is refused. A claim (`run/leases.ts`) makes a queued job run and
 * keeps every other state.
 */
export const transitions: Record<JobState, Partial<Record<JobEvent, JobState>>> = {
  queued: {
    message: 'queued',
    // No process works on the job, so it fails at once.
    cancel: 'failed',
    fail: 'failed',
  },
  running: {
    message: 'running',
    release: 'queued',
    cancel: 'cancelling',
    publish: 'publishing',
    // There was nothing to publish.
    resume: 'running',
    complete: 'completed',
    fail: 'failed',
  },
  // Without `publish` and `complete`: after a cancel there is no pull request.
  cancelling: {
    cancel: 'cancelling',
    fail: 'failed',
  },
  publishing: {
    message: 'publishing',
    resume: 'running',
    complete: 'completed',
    fail: 'failed',
  },
  completed: { message: 'queued', archive: 'archived' },
  failed: { message: 'queued', archive: 'archived' },
  archived: {},
};

export const stateOf = ({ state, archived_at }: Pick<JobRow, 'state' | 'archived_at'>): JobState =>
  archived_at === null ? state : 'archived';

export function lockJob(tx: Database, id: string): Promise<JobRow | undefined> {
  return tx
    .selectFrom('agent_jobs')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/**
 * The only function that writes a job's state, besides a claim. Rejects with `conflict` if the table doesn't have the
 * transition. `change` are further columns of the same update.
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

/** The columns that an event changes; `undefined` if it can't happen. */
export function changedColumns(
  row: JobRow,
  event: JobEvent,
  at: string,
): Partial<JobRow> | undefined {
  const state = stateOf(row);
  const to = transitions[state][event];
  if (to === undefined) return undefined;
  if (to === state && event !== 'resume') return {};
  if (to === 'archived') return { archived_at: at };
  return { ...effectsOf(row, event, to, at), state: to };
}

function effectsOf(row: JobRow, event: JobEvent, to: StoredState, at: string): Partial<JobRow> {
  const free = { owner: null, lease_until: null };
  // The same process continues with the instructions that arrived in the meantime.
  if (event === 'resume') return { ...newRun(row), source_commit: null, started_at: at };
  if (to === 'completed' || to === 'failed') return { ...free, finished_at: at };
  if (to !== 'queued') return {};
  // A job that is given back keeps its position and its work.
  if (event === 'release') return free;
  return {
    ...newRun(row),
    queued_at: at,
    // Edits that weren't published aren't lost: the next run continues with them.
    ...(row.state === 'completed' && { source_commit: null }),
  };
}

/** What a run begins with: all limits unused. */
export const begin = {
  stage: 'prepare',
  steps: 0,
  input_tokens: 0,
  output_tokens: 0,
  micro_dollars: 0,
  run_ms: 0,
  feedbacks: 0,
  crashes: 0,
} as const;

/** The next run of an ended job, in the same conversation. */
function newRun(row: JobRow): Partial<JobRow> {
  return {
    ...begin,
    round: row.round + 1,
    failure: null,
    message: null,
    summary: null,
    code_commits: null,
    notice: null,
    started_at: null,
    finished_at: null,
  };
}

function refusal(state: JobState, event: JobEvent): string {
  if (event === 'message') {
    return state === 'archived'
      ? 'This job is archived; create a new one.'
      : 'This job is being canceled; send the message again once its status is `failed`.';
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
