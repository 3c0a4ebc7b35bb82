/** The model as the loop gets it: every time that it is asked is counted, paid for, and cut when it falls silent. */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { estimateTokens } from '../../platform/budgets/estimate.ts';
import type { Usage } from '../../platform/budgets/price.ts';
import type { Expense } from '../../platform/budgets/spend.ts';
import type { Budgets } from './budgets.ts';

/** What the administrator lets models cost, over all jobs and answers. */
export interface Purse {
  /** Rejects where nothing is left. */
  open(expected: Usage): Promise<Expense>;
  record(expense: Expense): Promise<void>;
}

/** Held for what the model says, before it is known. */
const usualOutputTokens = 1_000;

interface Call {
  /** What the provider says; estimated where it never gets to say it. */
  usage?: Usage;
  expected: number;
  saidLength: number;
  expense: Expense;
  idle: { alive(): void; stop(): void };
}

export function watchModel(
  model: LanguageModelV4,
  parts: {
    budgets: Budgets;
    purse: Purse;
    signal: AbortSignal;
    abort: (reason: unknown) => void;
    /** It is no language model: there are no tokens, and nothing is to be estimated. */
    isBuiltIn: boolean;
  },
) {
  const { budgets, purse, signal, abort, isBuiltIn } = parts;
  const open = new Set<Call>();
  const recording = new Set<Promise<void>>();

  async function begin({ prompt, tools }: LanguageModelV4CallOptions): Promise<Call> {
    signal.throwIfAborted();
    const expected = isBuiltIn ? 0 : estimateTokens(JSON.stringify([prompt, tools]));
    const refusal = budgets.step(expected);
    // The loop may take an error for the model's: the end of the round does not hang on that.
    if (refusal) {
      abort(refusal);
      throw refusal;
    }
    const usage = { inputTokens: expected, outputTokens: isBuiltIn ? 0 : usualOutputTokens };
    const expense = await purse.open(usage).catch((error: unknown) => {
      abort(error);
      throw error;
    });
    const call = { expected, saidLength: 0, expense, idle: budgets.startIdle() };
    open.add(call);
    return call;
  }

  /** Once for each call, whichever way it ends. */
  function end(call: Call): void {
    if (!open.delete(call)) return;
    call.idle.stop();
    const usage = call.usage ?? {
      inputTokens: call.expected,
      outputTokens: Math.ceil(call.saidLength / 4),
    };
    budgets.spend(usage);
    call.expense.add(usage);
    const recorded = purse.record(call.expense).finally(() => recording.delete(recorded));
    // Who closes waits for it, and hears of it.
    recorded.catch(() => {});
    recording.add(recorded);
  }

  function hear(call: Call, part: LanguageModelV4StreamPart): void {
    call.idle.alive();
    if ('delta' in part) call.saidLength += part.delta.length;
    if (part.type !== 'finish') return;
    // Reckoned before the loop hears of it, as it stores the step then.
    call.usage = toUsage(part.usage, call);
    end(call);
  }

  function listen(call: Call, stream: ReadableStream<LanguageModelV4StreamPart>) {
    const reader = stream.getReader();
    return new ReadableStream<LanguageModelV4StreamPart>({
      async pull(controller) {
        let goesOn = false;
        try {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          hear(call, value);
          controller.enqueue(value);
          goesOn = true;
        } finally {
          if (!goesOn) end(call);
        }
      },
      cancel(reason) {
        end(call);
        return reader.cancel(reason);
      },
    });
  }

  const watched: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,

    async doGenerate(options) {
      const call = await begin(options);
      try {
        const result = await model.doGenerate(options);
        call.usage = toUsage(result.usage, call);
        return result;
      } finally {
        end(call);
      }
    },

    async doStream(options) {
      const call = await begin(options);
      let isOpen = false;
      try {
        const { stream, ...rest } = await model.doStream(options);
        isOpen = true;
        return { ...rest, stream: listen(call, stream) };
      } finally {
        if (!isOpen) end(call);
      }
    },
  };

  return {
    model: watched,
    /** What was under way is reckoned as far as it came; settles when all is written down. */
    async close(): Promise<void> {
      for (const call of open) end(call);
      await Promise.all(recording);
    },
  };
}

function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage, call: Call): Usage {
  return {
    inputTokens: inputTokens.total ?? call.expected,
    outputTokens: outputTokens.total ?? Math.ceil(call.saidLength / 4),
  };
}
