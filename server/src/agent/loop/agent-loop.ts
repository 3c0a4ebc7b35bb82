/**
 * The agent loop: asks the model, runs the tools that it calls, and stores the step before it asks again. The
 * loop knows neither budgets nor the database.
 */
import type { ModelMessage } from 'ai';
import { JobError } from '../../platform/errors.ts';
import {
  askModel,
  ConversationTooLong,
  defaultRetryPolicy,
  type ModelAnswer,
} from './ask-model.ts';
import {
  dropSteps,
  elide,
  isTooFull,
  tokensOf,
  forProvider,
  fromInstruction,
  kindOf,
  say,
  textOf,
  toResults,
} from './conversation.ts';
import { listChanges } from './system-prompt.ts';
import { toTitle } from './tools/task.ts';
import type { ToolContext } from './tools/tool.ts';
import { describeTools, runCalls, type ToolOutcome } from './tools/tools.ts';
import type { Correction } from '@docent/shared/agent-corrections';
import type { AgentEvent } from '@docent/shared/agent-events';
import type { Todo } from '@docent/shared/agent-todos';
import type { ChecksInput } from '../checks/check-docs.ts';
import type { StoredInstruction } from '../jobs/instructions.ts';
import type { CodeContext } from '../code/code.ts';
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
  onEvent(event: AgentEvent): void;
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
  /** The work is finished, unless an instruction has arrived since. */
  end?: LoopEnd | undefined;
  usage: Usage;
}

/** From the tool `finish`, or from the last words of a model that stops without it. */
export interface LoopEnd {
  title: string;
  message: string;
  /** What was changed and why, for the pull request. */
  summary?: string;
}

const maxEmpty = 3;

/** Runs until the work is finished. Rejects with the signal's reason or with a `JobError`. */
export async function runLoop(input: LoopInput): Promise<LoopEnd> {
  const { signal, model, retry = defaultRetryPolicy } = input;
  let conversation: ModelMessage[] = [...input.messages];
  /** Not stored yet. */
  let fresh: ModelMessage[] = [];
  let replacesEarlier = false;
  /** Instructions that are in the conversation but not in a stored step yet. */
  const taken = new Set<string>();
  const context: ToolContext = {
    ...input,
    drift: input.drift && { ...input.drift },
    todos: [...input.todos],
    end: undefined,
  };
  const tools = describeTools(context);
  const progress = createProgress();
  const overhead = tokensOf([say('notice', input.systemPrompt)]) + 2_500;
  const room = Math.max(model.contextTokens - (model.maxOutputTokens ?? 4_096) - overhead, 2_000);
  let emptyAnswers = 0;

  const add = (...messages: ModelMessage[]) => {
    conversation.push(...messages);
    fresh.push(...messages);
  };

  async function takeInstructions(): Promise<boolean> {
    const waiting = (await input.waitingInstructions()).filter(({ id }) => !taken.has(id));
    for (const instruction of waiting) {
      taken.add(instruction.id);
      add(fromInstruction(instruction));
    }
    return waiting.length > 0;
  }

  /** Stores a call of the model with everything that followed, in one transaction. */
  async function store(usage: StepRecord['usage']): Promise<void> {
    signal.throwIfAborted();
    await input.onStep({
      messages: replacesEarlier ? [...conversation] : fresh,
      replacesEarlier,
      taken: [...taken],
      todos: context.todos,
      corrections: context.drift?.corrections,
      end: context.end,
      usage,
    });
    fresh = [];
    replacesEarlier = false;
    taken.clear();
  }

  /** Shortens the conversation. The next step stores it. */
  async function compact(size: number): Promise<void> {
    input.onEvent({ type: 'compacted' });
    const { messages, isEnough } = elide(conversation, size);
    const changes = listChanges(await input.files.changes());
    const { todos } = context;
    conversation = isEnough ? messages : dropSteps(conversation, size, { changes, todos });
    replacesEarlier = true;
  }

  async function ask(): Promise<ModelAnswer> {
    if (isTooFull(conversation, room)) await compact(room);
    for (let size = room; ;) {
      try {
        return await askModel({
          model,
          systemPrompt: input.systemPrompt,
          messages: forProvider(conversation),
          tools,
          signal,
          retry,
          onText: (text) => input.onEvent({ type: 'text', text }),
        });
      } catch (error) {
        if (!(error instanceof ConversationTooLong)) throw error;
        // The model takes in less than configured, so shrink to below what was too long.
        size = Math.min(size, tokensOf(conversation)) * 0.6;
        const before = tokensOf(conversation);
        if (before > 3_000) await compact(size);
        if (tokensOf(conversation) > before * 0.9) {
          throw new JobError(
            'model_failed',
            `The conversation is longer than the model "${model.name}" takes in.`,
            { cause: error },
          );
        }
      }
    }
  }

  if (input.notice !== undefined) add(say('notice', input.notice));
  for (;;) {
    signal.throwIfAborted();
    await takeInstructions();
    const answer = await ask();
    signal.throwIfAborted();
    if (answer.message) add(answer.message);
    if (answer.calls.length > 0) {
      emptyAnswers = 0;
      const { todos } = context;
      const outcomes = await runCalls(answer.calls, context, {
        wasCut: answer.reason === 'length',
        signal,
        onEvent: (event) => input.onEvent(event),
      });
      if (context.todos !== todos) input.onEvent({ type: 'todos', todos: context.todos });
      add(toResults(outcomes));
      const next = progress.after(outcomes);
      if (next === 'notice' && !context.end) add(say('notice', repeatedCalls));
      await store(answer.usage);
      if (next === 'end' && !context.end) {
        throw new JobError(
          'model_failed',
          `The model "${model.name}" repeated itself without coming on.`,
        );
      }
    } else if (answer.reason === 'content-filter') {
      throw new JobError(
        'model_failed',
        `The provider of the model "${model.name}" filtered its answer.`,
      );
    } else if (answer.text.trim() === '' || answer.reason === 'length') {
      emptyAnswers += 1;
      add(say('notice', answer.reason === 'length' ? cutAnswer : emptyAnswer));
      await store(answer.usage);
      if (emptyAnswers >= maxEmpty) {
        throw new JobError('model_failed', `The model "${model.name}" returned nothing.`);
      }
    } else {
      context.end = { title: titleFrom(conversation), message: answer.text.trim() };
      await store(answer.usage);
    }
    // If an instruction arrived in the meantime, the work continues with it.
    if (context.end && !(await takeInstructions())) return context.end;
    context.end = undefined;
  }
}

const repeatedCalls =
  'You have made the same calls again, and nothing has changed. Do something else, or call finish and say what is missing.';
const emptyAnswer =
  'You said nothing and called no tool. Go on with the work, or call finish where it is done.';
const cutAnswer =
  'Your answer was cut off at its greatest length. Go on with a tool call, in small pieces.';

function titleFrom(conversation: readonly ModelMessage[]): string {
  const asked = conversation.findLast((message) => kindOf(message) === 'instruction');
  return toTitle(asked ? textOf(asked) : '') || 'Update the documentation';
}

/** Steps without anything new before the model gets a notice, and before the run ends. */
const maxIdleSteps = { notice: 3, end: 6 };

/** Detects a model that repeats itself: it makes the same calls again, and nothing changes. */
function createProgress() {
  /** Calls with their results since the last change. */
  let seen = new Set<string>();
  let idleSteps = 0;

  return {
    after(outcomes: readonly ToolOutcome[]): 'continue' | 'notice' | 'end' {
      const isNew = (outcome: ToolOutcome) => !outcome.isError && !seen.has(signatureOf(outcome));
      const hasChanged = outcomes.some((outcome) => outcome.hasChanged && isNew(outcome));
      // A mistake isn't progress, but the model gets a few chances.
      idleSteps = outcomes.some(isNew) ? 0 : idleSteps + 1;
      if (hasChanged) seen = new Set();
      for (const outcome of outcomes) seen.add(signatureOf(outcome));
      if (idleSteps >= maxIdleSteps.end) return 'end';
      return idleSteps === maxIdleSteps.notice ? 'notice' : 'continue';
    },
  };
}

function signatureOf({ call, output }: ToolOutcome): string {
  return JSON.stringify([call.name, call.input, output]);
}
