import { DocentError } from '../../platform/errors.ts';
import type { Database } from '../../platform/store/database.ts';
import type { JobRow } from './job.ts';
import { columnsOf, type JobEvent, type JobState, next, stateOf } from './states.ts';

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
  if (event === 'resume') return { ...newRound(row), source_commit: null, started_at: at };
  switch (to) {
    case 'queued':
      // Given back, it keeps its place and what it has done.
      if (row.status === 'active') return free;
      return {
        ...newRound(row),
        ...free,
        queued_at: at,
        // What failed before it was published is not lost: the next round goes on with those edits.
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
function newRound(row: JobRow): Partial<JobRow> {
  return {
    round: row.round + 1,
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
    losses: 0,
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
