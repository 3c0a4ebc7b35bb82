/** The model with a meter: each call is counted, reserved and settled in the budgets, and aborted when the model falls silent. */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { AgentModel } from '../../platform/models/agent-models.ts';
import { estimateTokens, type Usage } from '../../budgets/cost.ts';
import type { Reservation } from '../../budgets/spend.ts';
import type { Budgets } from './budgets.ts';
import type { RunContext } from './run-context.ts';

/** Reserved for an answer until its length is known. */
const expectedOutputTokens = 1_000;

interface Call {
  /** As the provider reports it; estimated if the answer breaks off. */
  usage?: Usage;
  expected: number;
  textLength: number;
  reservation: Reservation;
  idle: { restart(): void; stop(): void };
}

export type MeteredModel = AgentModel & {
  /** Settles the calls that are still open by what they used so far, and waits until all are recorded. */
  close(): Promise<void>;
};

export function meterModel(
  agentModel: AgentModel,
  { deps, control, job }: Pick<RunContext, 'deps' | 'control' | 'job'>,
  budgets: Budgets,
): MeteredModel {
  const { spend, log } = deps;
  const { signal, abort } = control;
  const { name, model, price } = agentModel;
  const open = new Set<Call>();
  const recording = new Set<Promise<unknown>>();

  async function begin({ prompt, tools }: LanguageModelV4CallOptions): Promise<Call> {
    signal.throwIfAborted();
    const expected = estimateTokens(JSON.stringify([prompt, tools]));
    const refusal = budgets.step(expected, price);
    // The loop may treat this as an error of the model, but the run ends all the same.
    if (refusal) {
      abort(refusal);
      throw refusal;
    }
    const usage = { inputTokens: expected, outputTokens: expectedOutputTokens };
    // Jobs count towards the budgets of key and organization; a site's budget is for its readers.
    const payer = { callerId: job.callerId ?? undefined, organization: job.organization };
    const reservation = await spend
      .reserve({ ...payer, model: name, expected: usage })
      .catch((error: unknown) => {
        abort(error);
        throw error;
      });
    const call = { expected, textLength: 0, reservation, idle: budgets.startIdle() };
    open.add(call);
    return call;
  }

  /** Runs once for each call, however it ends. */
  function end(call: Call): void {
    if (!open.delete(call)) return;
    call.idle.stop();
    const usage = call.usage ?? {
      inputTokens: call.expected,
      outputTokens: Math.ceil(call.textLength / 4),
    };
    budgets.spend(usage, price);
    call.reservation.add(usage);
    const recorded = spend
      .settle(call.reservation)
      .catch((err: unknown) => log.error({ err }, 'the cost of a job was not recorded'))
      .finally(() => recording.delete(recorded));
    recording.add(recorded);
  }

  function observe(call: Call, part: LanguageModelV4StreamPart): void {
    call.idle.restart();
    if ('delta' in part) call.textLength += part.delta.length;
    if (part.type !== 'finish') return;
    // Count before the loop sees this part, because it stores the step next.
    call.usage = toUsage(part.usage, call);
    end(call);
  }

  function observeStream(call: Call, stream: ReadableStream<LanguageModelV4StreamPart>) {
    const reader = stream.getReader();
    return new ReadableStream<LanguageModelV4StreamPart>({
      async pull(controller) {
        let isOpen = false;
        try {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          observe(call, value);
          controller.enqueue(value);
          isOpen = true;
        } finally {
          if (!isOpen) end(call);
        }
      },
      cancel(reason) {
        end(call);
        return reader.cancel(reason);
      },
    });
  }

  const metered: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,

    doGenerate: () => Promise.reject(new Error('The loop streams every answer')),

    async doStream(options) {
      const call = await begin(options);
      let isOpen = false;
      try {
        const { stream, ...rest } = await model.doStream(options);
        isOpen = true;
        return { ...rest, stream: observeStream(call, stream) };
      } finally {
        if (!isOpen) end(call);
      }
    },
  };

  return {
    ...agentModel,
    model: metered,
    async close(): Promise<void> {
      for (const call of open) end(call);
      await Promise.all(recording);
    },
  };
}

function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage, call: Call): Usage {
  return {
    inputTokens: inputTokens.total ?? call.expected,
    outputTokens: outputTokens.total ?? Math.ceil(call.textLength / 4),
  };
}
