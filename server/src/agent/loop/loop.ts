/** The input and the output of the agent loop. */
import type { Correction } from '@docent/shared/agent-corrections';
import type { AgentEvent } from '@docent/shared/agent-events';
import type { Todo } from '@docent/shared/agent-todos';
import type { ModelMessage } from 'ai';
import type { ChecksInput } from '../checks/check-docs.ts';
import type { StoredInstruction } from '../jobs/instructions.ts';
import type { CodeContext } from '../code/code-context.ts';
import type { FileSet } from '../workspace/file-set.ts';
import type { Usage } from '../../budgets/cost.ts';
import type { AgentModel } from '../../platform/models/agent-models.ts';
import type { RetryPolicy } from '../../platform/network/retry.ts';

export interface LoopInput {
  model: AgentModel;
  systemPrompt: string;
  /** The stored conversation. Empty at the start of a job. */
  messages: readonly ModelMessage[];
  /** A notice for the model, such as the problems that the review found. Stored with the first step. */
  notice?: string;
  files: FileSet;
  code?: CodeContext | undefined;
  /** The run changes only what code contradicts. */
  drift?: Drift | undefined;
  /** For the tool `check`, as in `ChecksInput`. */
  project: ChecksInput['project'];
  parsed?: ChecksInput['parsed'];
  todos: readonly Todo[];
  /** Ends the loop at any moment; its reason is a `JobError`. */
  signal: AbortSignal;
  /**
   * Instructions that no step has taken up yet, oldest first. Called before every step and before the end.
   * An instruction waits until a stored step names it in `taken`, so none is lost if the process dies.
   */
  waitingInstructions(): Promise<readonly WaitingInstruction[]>;
  /** Stores the step before the next one begins; rejects if the claim is lost. */
  onStep(step: StepRecord): Promise<void>;
  /** Called in order. If an answer breaks off and is asked for again, its words come again too. */
  onEvent(event: LoopEvent): void;
  /** Tests shorten it. */
  retry?: RetryPolicy;
}

export interface Drift {
  /** The number of the run, and what it and earlier ones of the job correct. */
  round: number;
  corrections: Correction[];
}

export type WaitingInstruction = Pick<StoredInstruction, 'id' | 'role' | 'content'>;

/** One call of the model with everything that followed from it. */
export interface StepRecord {
  /** To be added to the stored conversation. */
  messages: ModelMessage[];
  /** `messages` replace the whole conversation. */
  replacesEarlier: boolean;
  taken: string[];
  todos: Todo[];
  corrections?: Correction[] | undefined;
  usage: Usage;
}

export type LoopEvent =
  | Extract<AgentEvent, { type: 'text' | 'tool-result' | 'todos' | 'compacted' }>
  | (Omit<Extract<AgentEvent, { type: 'tool-call' }>, 'input'> & { input: unknown });

/** From the tool `finish`, or from the last words of a model that stops without it. */
export interface LoopEnd {
  title: string;
  message: string;
  /** What was changed and why, for the pull request. */
  summary?: string;
}
