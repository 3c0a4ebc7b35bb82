/**
 * One job from its claim to its end: prepare, work, review, publish, complete. The row says where the run
 * is, and each step may be repeated: whoever takes the job over after a crash begins at that step.
 */
import { untilAborted } from '../../platform/abort.ts';
import { DatabaseUnavailable, DocentError, JobError } from '../../platform/errors.ts';
import { type JobRow, toFailure } from '../jobs/job.ts';
import { LeaseLost } from './leases.ts';
import { prepare } from './prepare.ts';
import { publishChange } from './publish-change.ts';
import { checksEvent, reviewRun, type ReviewResult } from './review.ts';
import {
  assertRunning,
  closeRun,
  openRun,
  type RunContext,
  type RunControl,
  type RunDeps,
  Stopping,
} from './run-context.ts';
import { reviewCorrections } from './second-review.ts';
import { work } from './work.ts';

/** How often a change goes back to the model with its problems. */
const maxFeedbacks = 2;

/** Works on a job until it has ended or was given back. A message that came meanwhile begins the next run. */
export async function runJob(deps: RunDeps, claimed: JobRow, control: RunControl): Promise<void> {
  let row: JobRow | undefined = claimed;
  while (row) {
    const run = openRun(deps, row, control);
    try {
      row = await untilAborted(() => carryOut(run), control.signal);
      await closeRun(run);
      deps.metrics.jobEnded(run.row.project, 'completed');
    } catch (error) {
      row = undefined;
      await closeRun(run);
      await endWith(run, control.signal.aborted ? control.signal.reason : error);
    }
  }
}

/** Returns the row of the next run, if there is one. */
async function carryOut(opened: RunContext): Promise<JobRow | undefined> {
  const { deps, control } = opened;
  const { lease } = control;
  const run = await prepare(opened);
  for (;;) {
    if (run.row.stage === 'work') await work(run);
    assertRunning(run);
    if (run.isDrift && run.row.state !== 'publishing') await reviewCorrections(run);
    const changes = await run.files.changes();
    if (changes.length === 0) return deps.checkpoints.completed(lease, run.budgets.used());
    // After a crash while it was published, the review only supplies the description and the draft flag.
    const review = await reviewRun(run, changes);
    if (run.row.state !== 'publishing' && review.problems.length > 0) {
      const events = [checksEvent(review)];
      const isCommand = run.instructions.at(-1)?.command !== undefined;
      if (!isCommand && run.row.feedbacks < maxFeedbacks) {
        run.row = await deps.checkpoints.givenBack(lease, noticeOf(review), events);
        continue;
      }
      if (review.failure) {
        await deps.checkpoints.events(lease, events);
        throw review.failure;
      }
    }
    const publication = await publishChange(run, changes, review);
    return deps.checkpoints.completed(lease, run.budgets.used(), publication);
  }
}

/** However a run ends, it ends here. */
async function endWith(run: RunContext, reason: unknown): Promise<void> {
  const { deps, control, row, live, budgets, files, seen } = run;
  const { checkpoints, leases, log, metrics } = deps;
  const { lease } = control;
  if (reason instanceof LeaseLost) {
    log.warn({ job: row.id }, 'another process took over a job');
    return;
  }
  if (reason instanceof DatabaseUnavailable) {
    // As after a crash: the claim ends by itself, and a process that reaches the database continues.
    log.warn({ err: reason, job: row.id }, 'a job waits for the database');
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
  const failure = await live.inOrder((events) =>
    checkpoints.failed(lease, {
      failure: toFailure(code, message),
      used: budgets?.used(),
      edits: files?.save(),
      seen,
      events,
    }),
  );
  metrics.jobEnded(row.project, 'failed', failure.code);
}

function toJobError(reason: unknown): JobError {
  if (reason instanceof JobError) return reason;
  if (reason instanceof DocentError && reason.code === 'budget_exceeded') {
    return new JobError('budget_money', reason.message, { cause: reason });
  }
  const message = 'Something went wrong in the service; its log says what.';
  return new JobError('internal', message, { cause: reason });
}

function noticeOf({ problems }: ReviewResult): string {
  return [
    'Your change is not proposed yet. These problems came in with it:',
    ...problems.map((problem) => `- ${problem}`),
    'Put them right, and finish again.',
  ].join('\n');
}
