import type { Todo } from '@docent/shared/agent-todos';
import type { z } from 'zod';
import type { ChecksInput } from '../../checks/check-docs.ts';
import type { CodeContext } from '../../code/code.ts';
import type { FileSet } from '../../workspace/file-set.ts';
import type { Drift, LoopEnd } from '../agent-loop.ts';

export interface ToolContext extends ChecksInput {
  files: FileSet;
  /** Undefined: the project has no code repositories. */
  code?: CodeContext | undefined;
  /** Undefined: any page may be changed as the task needs it. */
  drift?: Drift | undefined;
  todos: Todo[];
  /** Set by `finish`. */
  end: LoopEnd | undefined;
}

export interface Tool {
  /** For the model: what the tool does, when to use it, what it returns. */
  description: string;
  input: z.ZodType;
  /** Whether a call is progress. */
  changes: boolean;
  /** Returns the text for the model. The message of an error goes to the model too. */
  run(input: unknown, context: ToolContext): Promise<string>;
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
