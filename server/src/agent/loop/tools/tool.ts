import type { Todo } from '@docent/shared/agent-todos';
import type { z } from 'zod';
import type { DocsCheck } from '../../checks/docs-check.ts';
import type { FileSet } from '../../workspace/file-set.ts';
import type { LoopEnd } from '../loop.ts';

/** What a call of a tool works on. */
export interface ToolContext {
  files: FileSet;
  /** `undefined`: the tool `check` is not there. */
  docsCheck?: DocsCheck | undefined;
  todos: Todo[];
  /** Set by `finish`. */
  end: LoopEnd | undefined;
}

export interface Tool {
  /** For the model: what it does, when to use it, what comes back. */
  description: string;
  input: z.ZodType;
  /** Whether it changes something, so that the work comes on. */
  changes: boolean;
  /** Gives the text for the model; an error's message goes to the model as well. */
  run(input: unknown, context: ToolContext): Promise<string>;
}

/** A call that the model has to make differently. */
export class ToolMistake extends Error {
  override readonly name = 'ToolMistake';
}

/** Keeps the type of the input between its schema and its function. */
export function defineTool<Schema extends z.ZodType>(tool: {
  description: string;
  input: Schema;
  changes?: true;
  run(input: z.output<Schema>, context: ToolContext): Promise<string> | string;
}): Tool {
  return {
    description: tool.description,
    input: tool.input,
    changes: tool.changes ?? false,
    // The caller has parsed it with that schema.
    run: async (input, context) => tool.run(input as z.output<Schema>, context),
  };
}
