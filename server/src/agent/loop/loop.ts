/** What goes into a run of the agent's loop, and what comes out of it. */
import type { AgentCommand } from '@docent/shared/agent-commands';
import type { Todo } from '@docent/shared/agent-todos';
import type { ModelMessage } from 'ai';
import type { DocsCheck } from '../checks/docs-check.ts';
import type { FileSet } from '../workspace/file-set.ts';
import type { AgentModel } from '../../platform/models/agent-models.ts';
import type { RetryPolicy } from '../../platform/network/retry.ts';

export interface LoopInput {
  model: AgentModel;
  /** The system prompt, from `prompts.ts`. */
  instructions: string;
  /** The stored conversation: what former steps handed to `onStep`. Empty at the start of a job. */
  messages: readonly ModelMessage[];
  /** Said to the model before anything else, and stored with the first step: problems of the last run, for one. */
  notice?: string;
  files: FileSet;
  /** For the tool `check`; without it, the model has none. */
  docsCheck?: DocsCheck;
  todos: readonly Todo[];
  /** Ends the run at any moment; its reason is a `JobError`. */
  signal: AbortSignal;
  /**
   * Messages of the user that no step has taken up yet, oldest first, the very first instruction too.
   * Asked before every step and once more before the end. One stays waiting until a step names it in
   * `taken`, so nothing is lost where the process dies in between.
   */
  takePrompts(): Promise<readonly Prompt[]>;
  /** Stores the step, before the next begins; rejects on a lost lease or a used-up budget. */
  onStep(step: StepRecord): Promise<void>;
  /** Live, in order. Where the model's answer broke off and is asked for again, its words come again too. */
  onEvent(event: LoopEvent): void;
  /** How long a provider that fails is tried again; a setting of the code that calls, so that tests can shorten it. */
  retry?: RetryPolicy;
}

/** A message of the user, or one that version 1 says the assistant has written. */
export interface Prompt {
  id: string;
  role: 'user' | 'assistant';
  content: string;
  /** A command isn't for the model. */
  command?: AgentCommand | undefined;
}

/** One call of the model with everything that followed from it. */
export interface StepRecord {
  /** A summary is a call of the model that costs, but no step of the work. */
  kind: 'work' | 'summary';
  /** To be added to the stored conversation. */
  messages: ModelMessage[];
  /** `messages` are the whole conversation from now on: older ones have been compacted. */
  replacesEarlier: boolean;
  /** Ids of the prompts that it took up. */
  taken: string[];
  todos: Todo[];
  usage: StepUsage;
}

export interface StepUsage {
  inputTokens: number;
  outputTokens: number;
}

export type LoopEvent =
  /** The agent's words, a few at a time. */
  | { type: 'text'; text: string }
  | { type: 'tool-call'; id: string; name: string; input: unknown }
  | { type: 'tool-result'; id: string; isError: boolean; output: string }
  | { type: 'todos'; todos: Todo[] }
  | { type: 'compacted' };

/** By the `finish` tool, or from the last words where the model just stops. */
export interface LoopEnd {
  title: string;
  /** To the user. */
  message: string;
  /** What was changed and why, for the pull request. */
  summary?: string;
}
