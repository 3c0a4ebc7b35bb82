/** The work of a run: a command, or the agent loop, whose steps are stored one by one. */
import type { AgentCommand } from '@docent/shared/agent-commands';
import type { AgentEvent } from '@docent/shared/agent-events';
import { JobError } from '../../platform/errors.ts';
import { runCommand } from '../commands/run-command.ts';
import type { JobRow } from '../jobs/job.ts';
import { runLoop } from '../loop/agent-loop.ts';
import {
  readInstructions,
  type StoredInstruction,
  waitingInstructions,
} from '../jobs/instructions.ts';
import type { LoopEnd } from '../loop/loop.ts';
import { buildSystemPrompt, readGuidance } from '../loop/system-prompt.ts';
import { isForEvidence } from './prepare.ts';
import { assertRunning, modelOf, type PreparedRun, siteUrlOf } from './run-context.ts';
import { loadConversation } from './saved-work.ts';

export async function work(run: PreparedRun): Promise<void> {
  const { deps, control, live, budgets } = run;
  const [next] = await waitingInstructions(deps.database, control.lease.id);
  if (next?.command) {
    run.row = await carryOutCommand(run, next, next.command);
    return;
  }
  const end = await runAgent(run);
  run.row = await live.inOrder((events) =>
    deps.checkpoints.finished(control.lease, end, budgets.used(), [...events, ...newDenials(run)]),
  );
}

/** One command is one run. The next instruction gets a run of its own, even if this command fails. */
async function carryOutCommand(
  run: PreparedRun,
  instruction: StoredInstruction,
  command: AgentCommand,
): Promise<JobRow> {
  const { deps, control, live, budgets, files, project, parsed } = run;
  const { lease, signal } = control;
  run.seen = new Set([instruction.id]);
  const end = await runCommand(command, { files, project, parsed, signal }).catch(
    async (error: unknown) => {
      const isRefused = error instanceof JobError && error.code === 'command_failed';
      if (isRefused) await deps.checkpoints.refused(lease, instruction);
      throw error;
    },
  );
  return live.inOrder((stored) => {
    const events = [...stored, ...newDenials(run)];
    const used = budgets.used();
    return deps.checkpoints.commanded(lease, {
      instruction,
      end,
      edits: files.save(),
      used,
      events,
    });
  });
}

/** The language model with its tools. */
async function runAgent(run: PreparedRun): Promise<LoopEnd> {
  const { deps, control, row, live, budgets, files, project, parsed } = run;
  const { lease, signal } = control;
  const { checkpoints } = deps;
  return runLoop({
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
    onStep: (record) =>
      live.inOrder((events) =>
        checkpoints.step(lease, {
          record,
          edits: files.save(),
          used: budgets.used(),
          events: [...events, ...newDenials(run)],
        }),
      ),
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

/** Refusals of the file set since the last stored step. */
function newDenials(run: PreparedRun): AgentEvent[] {
  const fresh = run.files.denied.slice(run.denialsStored);
  run.denialsStored = run.files.denied.length;
  return fresh.map((denial) => ({ type: 'denied', ...denial }));
}
