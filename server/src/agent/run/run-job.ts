/**
 * One job, from its claim to its end, round by round. However a round ends, it ends here: the only place
 * of the agent that catches.
 */
import { DocentError, JobError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { type Job, type JobRow, toFailure, toJob } from '../jobs/job.ts';
import type { Checkpoints } from './checkpoints.ts';
import { LeaseLost, type Leases } from './leases.ts';
import { createLiveEvents } from './live-events.ts';
import type { Round, RunRound } from './round.ts';
import { type RunControl, type RunJob, Stopping } from './runner.ts';
import { untilAborted } from '../../platform/abort.ts';

export interface RunJobParts {
  runRound: RunRound;
  checkpoints: Checkpoints;
  leases: Pick<Leases, 'release'>;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Told once a round has ended. */
  onEnded: (job: Job, outcome: 'completed' | 'failed', code?: string) => void;
}

export function createRunJob(parts: RunJobParts): RunJob {
  const { runRound, checkpoints, leases, log, onEnded } = parts;

  return async function runJob(first, control) {
    let row: JobRow | undefined = first;
    while (row) {
      const round = openRound(row, control);
      try {
        row = await untilAborted(() => runRound(round), control.signal);
        await close(round);
        onEnded(toJob(round.row), 'completed');
      } catch (error) {
        row = undefined;
        await close(round);
        await endRound(round, control.signal.aborted ? control.signal.reason : error);
      }
    }
  };

  function openRound(row: JobRow, control: RunControl): Round {
    const { lease, abort } = control;
    const live = createLiveEvents({
      save: (events) => checkpoints.events(lease, events),
      onError: abort,
    });
    return { row, control, seen: new Set(), live, closing: [] };
  }

  /** What the model was doing is reckoned, and nothing more is heard of it. */
  async function close({ live, budgets, closing }: Round): Promise<void> {
    live.close();
    budgets?.close();
    for (const each of closing) await each();
  }

  async function endRound(round: Round, reason: unknown): Promise<void> {
    const { control, row, live, budgets, work, seen } = round;
    const { lease } = control;
    if (reason instanceof LeaseLost) {
      log.warn({ job: row.id }, 'a job was taken over by another process');
      return;
    }
    if (reason instanceof Stopping) {
      await live.inOrder((events) => checkpoints.events(lease, events));
      await leases.release(lease, control.runMs());
      return;
    }
    const { code, message } = toJobError(reason);
    const fields = { job: row.id, project: row.project, code };
    if (code === 'internal') log.error({ ...fields, err: reason }, 'a job failed');
    else log.info({ ...fields, err: (reason as Error).cause }, 'a job failed');
    const edits = work && { rows: work.rows, edits: work.files.save() };
    const failure = await live.inOrder((events) =>
      checkpoints.failed(lease, {
        failure: toFailure(code, message),
        used: budgets?.used(),
        edits,
        seen,
        events,
      }),
    );
    onEnded(toJob(row), 'failed', failure.code);
  }
}

function toJobError(reason: unknown): JobError {
  if (reason instanceof JobError) return reason;
  if (reason instanceof DocentError && reason.code === 'budget_exceeded') {
    const message = 'The budget that the service has for language models is used up.';
    return new JobError('budget_money', message, { cause: reason });
  }
  const message = 'Something went wrong in the service; its log says what.';
  return new JobError('internal', message, { cause: reason });
}
