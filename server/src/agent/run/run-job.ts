/**
 * One job from its claim to its end: prepare, work, review, publish, complete. The row says where the run
 * is, and each step may be repeated: whoever takes the job over after a crash begins at that step.
 */
import { untilAborted } from '../../platform/abort.ts';
import { DatabaseUnavailable, DocentError, JobError } from '../../platform/errors.ts';
import { type JobRow, toFailure } from '../jobs/job.ts';
import { loadConversation } from './checkpoints.ts';
import { LeaseLost } from './leases.ts';
import { isForEvidence, prepare } from './prepare.ts';
import { publishChange } from './publish-change.ts';
import { checksEvent, reviewRun, type ReviewResult } from './review.ts';
import {
  assertRunning,
  closeRun,
  modelOf,
  openRun,
  type RunContext,
  type RunControl,
  type RunDeps,
  Stopping,
  type PreparedRun,
  save,
  siteUrlOf,
} from './run-context.ts';
import type { AgentCommand } from '@docent/shared/agent-commands';
import { runCommand } from '../commands/run-command.ts';
import { runLoop } from '../loop/agent-loop.ts';
import {
  readInstructions,
  type StoredInstruction,
  waitingInstructions,
} from '../jobs/instructions.ts';
import { fromInstruction } from '../loop/conversation.ts';
import { buildSystemPrompt, readGuidance } from '../loop/system-prompt.ts';
import { reviewCorrections } from './second-review.ts';

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
        const feedbacks = run.row.feedbacks + 1;
        await save(run, {
          columns: { stage: 'work', notice: noticeOf(review), feedbacks },
          events,
        });
        continue;
      }
      if (review.failure) {
        await save(run, { events });
        throw review.failure;
      }
    }
    const publication = await publishChange(run, changes, review);
    return deps.checkpoints.completed(lease, run.budgets.used(), publication);
  }
}

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
    await live.inOrder((events) => checkpoints.save(lease, { used: budgets?.used(), events }));
    await leases.release(lease);
    return;
  }
  const { code, message } = toJobError(reason);
  const fields = { job: row.id, project: row.project, code };
  if (code === 'internal') log.error({ ...fields, err: reason }, 'a job failed');
  else log.info({ ...fields, err: (reason as Error).cause }, 'a job failed');
  const failure = await live.inOrder((events) =>
    checkpoints.failed(lease, toFailure(code, message), {
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

/** A command, or the agent loop, whose steps are stored one by one. */
async function work(run: PreparedRun): Promise<void> {
  const [next] = await waitingInstructions(run.deps.database, run.control.lease.id);
  if (next?.command) {
    await carryOutCommand(run, next, next.command);
    return;
  }
  await runAgent(run);
}

/** One command is one run. The next instruction gets a run of its own, even if this command fails. */
async function carryOutCommand(
  run: PreparedRun,
  instruction: StoredInstruction,
  command: AgentCommand,
): Promise<void> {
  const { control, files, project, parsed } = run;
  const { signal } = control;
  const taken = [instruction.id];
  run.seen = new Set(taken);
  const end = await runCommand(command, { files, project, parsed, signal }).catch(
    async (error: unknown) => {
      const isRefused = error instanceof JobError && error.code === 'command_failed';
      // So that it isn't tried again.
      if (isRefused) await save(run, { taken });
      throw error;
    },
  );
  const { title, message } = end;
  // The edits and the end together, so that a command never runs on its own edits.
  await save(run, {
    columns: { stage: 'review', title, message, summary: null, crashes: 0 },
    // A language model may get the next instruction.
    messages: [fromInstruction(instruction), { role: 'assistant', content: message }],
    taken,
  });
}

async function runAgent(run: PreparedRun): Promise<void> {
  const { deps, control, row, live, files, project, parsed } = run;
  const { lease, signal } = control;
  await runLoop({
    model: await modelOf(run),
    systemPrompt: await systemPromptFor(run),
    messages: await loadConversation(deps.database, lease.id),
    ...(row.notice !== null && { notice: row.notice }),
    files,
    code: run.code,
    drift: run.isDrift ? { round: row.round, corrections: run.job.corrections ?? [] } : undefined,
    project,
    parsed,
    todos: run.job.todos,
    signal,
    async waitingInstructions() {
      assertRunning(run);
      const waiting = await waitingInstructions(deps.database, lease.id);
      for (const { id } of waiting) run.seen.add(id);
      const firstOther = waiting.findIndex(
        (one) => one.command !== undefined || isForEvidence(row, one) !== run.isDrift,
      );
      return firstOther < 0 ? waiting : waiting.slice(0, firstOther);
    },
    onStep: ({ todos, corrections, end, usage, ...step }) =>
      save(run, {
        ...step,
        columns: {
          stage: end ? 'review' : 'work',
          ...(end && { title: end.title, message: end.message, summary: end.summary ?? null }),
          todos: JSON.stringify(todos),
          ...(corrections && { corrections: JSON.stringify(corrections) }),
          // The job made progress, so the count of lost processes starts again.
          crashes: 0,
          notice: null,
        },
        events: [{ type: 'step', step: run.budgets.used().steps, ...usage }],
      }),
    onEvent: (event) => live.add(event),
  });
}

/** The system prompt from the project, its repository and the work so far. */
async function systemPromptFor(run: PreparedRun): Promise<string> {
  const { deps, control, job, project, files } = run;
  const { docsRoot } = project;
  const siteUrl = siteUrlOf(run);
  const instructions = await readInstructions(deps.database, control.lease.id);
  return buildSystemPrompt({
    docsRoot,
    ...(siteUrl !== undefined && { siteUrl }),
    paths: job.paths,
    code: run.code?.names,
    isDrift: run.isDrift,
    guidance: await readGuidance(files.original(), docsRoot, control.signal),
    systemTexts: instructions.flatMap(({ role, content }) => (role === 'system' ? [content] : [])),
    pull: job.pull ?? undefined,
    changes: (await files.changes()).map(({ path, kind }) => ({ path, kind })),
  });
}
