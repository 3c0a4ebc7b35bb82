import { toolTextMaxLength } from '@docent/shared/agent-events';
import type { ToolSet } from 'ai';
import { prettifyError, ZodError } from 'zod';
import { hideOwnSecrets } from '../../../platform/redaction/own-secrets.ts';
import { FileError } from '../../workspace/paths.ts';
import type { LoopInput } from '../agent-loop.ts';
import { codeTools, correct, deleteFile, edit, list, move, read, search, write } from './files.ts';
import { check, finish, todo } from './task.ts';
import type { Tool, ToolContext } from './tool.ts';

const tools = new Map<string, Tool>(
  Object.entries({
    list,
    search,
    read,
    edit,
    write,
    move,
    delete: deleteFile,
    check,
    todo,
    finish,
  }),
);

const withCode = new Map<string, Tool>([...tools, ...Object.entries(codeTools)]);

const withEvidence = new Map<string, Tool>(
  Object.entries({ list, search, read, correct, check, todo, finish, ...codeTools }),
);

const toolsOf = ({ code, drift }: Pick<ToolContext, 'code' | 'drift'>) =>
  drift ? withEvidence : code ? withCode : tools;

const maxCalls = 40;

export interface ToolCall {
  id: string;
  name: string;
  input: unknown;
  /** The arguments aren't JSON. */
  isBroken: boolean;
}

export interface ToolOutcome {
  call: ToolCall;
  isError: boolean;
  output: string;
  /** The call changed a file, the to-do list, or the end. */
  hasChanged: boolean;
}

/** The tools as the AI SDK describes them to a model. `runCalls` runs them, not the SDK. */
export function describeTools(context: Pick<ToolContext, 'code' | 'drift'>): ToolSet {
  return Object.fromEntries(
    [...toolsOf(context)].map(([name, { description, input }]) => [
      name,
      { description, inputSchema: input },
    ]),
  );
}

/** Runs the calls in order: a call may depend on the one before it. */
export async function runCalls(
  calls: readonly ToolCall[],
  context: ToolContext,
  {
    wasCut,
    signal,
    onEvent,
  }: { wasCut: boolean; signal: AbortSignal; onEvent: LoopInput['onEvent'] },
): Promise<ToolOutcome[]> {
  const outcomes: ToolOutcome[] = [];
  for (const [index, call] of calls.entries()) {
    signal.throwIfAborted();
    const { id, name, input } = call;
    onEvent({
      type: 'tool-call',
      id,
      name,
      input: shown(typeof input === 'string' ? input : JSON.stringify(input)),
    });
    const failed = outcomes.filter(({ isError }) => isError).length;
    const outcome =
      index >= maxCalls
        ? mistake(call, `At most ${maxCalls} calls are done in one answer. Make this one again.`)
        : call.name === 'finish' && failed > 0
          ? mistake(call, 'Not finished: another call of this answer failed. See to it first.')
          : await runCall(call, context, wasCut);
    signal.throwIfAborted();
    outcomes.push(outcome);
    const { isError, output } = outcome;
    onEvent({ type: 'tool-result', id, isError, output: shown(output) });
  }
  return outcomes;
}

async function runCall(
  call: ToolCall,
  context: ToolContext,
  wasCut: boolean,
): Promise<ToolOutcome> {
  const known = toolsOf(context);
  const tool = known.get(call.name);
  if (!tool) {
    const names = [...known.keys()].join(', ');
    return mistake(call, `There is no tool ${JSON.stringify(call.name)}. The tools are: ${names}.`);
  }
  if (call.isBroken) {
    return mistake(
      call,
      wasCut
        ? 'Your answer was cut off at its greatest length, so the arguments are not whole. Do it in smaller pieces: several edits, or a file that is written in parts.'
        : 'The arguments are not valid JSON. Make the call again, with quotes and line breaks in texts written as \\" and \\n.',
    );
  }
  try {
    const input = tool.input.parse(call.input);
    const output = await tool.run(input, context);
    return { call, isError: false, output, hasChanged: tool.changes || context.end !== undefined };
  } catch (error) {
    if (error instanceof ZodError) {
      const what = prettifyError(error);
      return mistake(call, `The input of ${call.name} is not right:\n${what}`);
    }
    if (error instanceof FileError) return mistake(call, error.message);
    throw error;
  }
}

/** For the log of the job. A secret that is cut off would no longer be recognized. */
function shown(said: string): string {
  const text = hideOwnSecrets(said);
  return text.length > toolTextMaxLength ? `${text.slice(0, toolTextMaxLength - 1)}…` : text;
}

function mistake(call: ToolCall, output: string): ToolOutcome {
  return { call, isError: true, output, hasChanged: false };
}
