/** The agent at work: the loop over the model, with each of its steps stored before the next begins. */
import type { AgentEvent } from '@docent/shared/agent-events';
import { createDocsCheck } from '../checks/docs-check.ts';
import { runLoop } from '../loop/agent-loop.ts';
import { buildInstructions, readGuidance } from '../loop/prompts.ts';
import type { LoopEnd } from '../loop/loop.ts';
import { assertRunning, type PreparedRun, siteUrlOf } from './run-context.ts';
import { loadConversation } from './saved-work.ts';

export async function work(run: PreparedRun): Promise<void> {
  const { deps, control, live, budgets } = run;
  const end = await runAgent(run);
  run.row = await live.inOrder((events) =>
    deps.checkpoints.finished(control.lease, end, budgets.used(), [...events, ...newDenials(run)]),
  );
}

/** The language model with its tools. */
async function runAgent(run: PreparedRun): Promise<LoopEnd> {
  const { deps, control, row, live, budgets, files, edits, project, parsed } = run;
  const { lease, signal } = control;
  const { checkpoints } = deps;
  return runLoop({
    model: run.model,
    instructions: await instructionsFor(run),
    messages: await loadConversation(deps.database, lease.id),
    ...(row.notice !== null && { notice: row.notice }),
    files,
    docsCheck: createDocsCheck({ files, project, parsed, signal }),
    todos: run.job.todos,
    signal,
    async takePrompts() {
      assertRunning(run);
      const waiting = await checkpoints.waiting(lease.id);
      for (const { id } of waiting) run.seen.add(id);
      return waiting;
    },
    onStep: (record) =>
      live.inOrder((events) =>
        checkpoints.step(lease, {
          record,
          rows: edits,
          edits: files.save(),
          used: budgets.used(),
          events: [...events, ...newDenials(run)],
        }),
      ),
    onEvent: (event) => live.add(event),
  });
}

/** The system prompt, as the project, its repository and the work so far stand. */
async function instructionsFor(run: PreparedRun): Promise<string> {
  const { deps, control, job, project, files } = run;
  const { docsRoot } = project;
  const siteUrl = siteUrlOf(run);
  return buildInstructions({
    docsRoot,
    ...(siteUrl !== undefined && { siteUrl }),
    paths: job.paths,
    guidance: await readGuidance(files.original(), docsRoot, control.signal),
    systemTexts: await deps.checkpoints.systemTexts(control.lease.id),
    pull: job.pull ?? undefined,
    changes: (await files.changes()).map(({ path, kind }) => ({ path, kind })),
  });
}

/** What the files refused since the last step was stored. */
function newDenials(run: PreparedRun): AgentEvent[] {
  const fresh = run.files.denied.slice(run.denialsStored);
  run.denialsStored = run.files.denied.length;
  return fresh.map((denial) => ({ type: 'denied', ...denial }));
}
