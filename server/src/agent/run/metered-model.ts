/** The model with a meter: each call is counted, reserved and settled in the budgets, and aborted when the model falls silent. */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { AgentModel } from '../../platform/models/agent-models.ts';
import {
  estimateTokens,
  type Usage,
  costOf,
  toDollars,
  toMicroDollars,
} from '../../budgets/cost.ts';
import type { Reservation } from '../../budgets/spend.ts';
import type { RunContext } from './run-context.ts';
import type { Price } from '../../platform/config/model-config.ts';
import type { ProjectConfig } from '../../platform/config/project-config.ts';
import { JobError } from '../../platform/errors.ts';
import type { Used } from '../jobs/job.ts';

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
    return stream.pipeThrough(
      new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
        transform(part, controller) {
          observe(call, part);
          controller.enqueue(part);
        },
        flush: () => end(call),
        // It failed, or nobody reads on.
        cancel: () => end(call),
      }),
    );
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

/** Timers accept no more. */
const maxTimerMs = 2 ** 31 - 1;

export type Budgets = ReturnType<typeof createBudgets>;

/**
 * What one run of a job may cost, over all processes that work on it. Usage is counted at the model and time by
 * timers, so no limit depends on the loop. A used-up limit ends the run through `abort`.
 */
export function createBudgets(options: {
  limits: ProjectConfig['limits'];
  used: Used;
  /** Ends the run; only the first reason counts. */
  abort: (reason: JobError) => void;
}) {
  const { limits, abort } = options;
  const { steps, inputTokens, outputTokens, microDollars, runMs: before } = options.used;
  const used = { steps, inputTokens, outputTokens, microDollars };
  const startedAt = performance.now();
  const maxMicroDollars = toMicroDollars(limits.dollars);
  const runMs = () => before + Math.round(performance.now() - startedAt);
  const wall = setTimeout(
    () => abort(new JobError('budget_time', `The job has run for ${minutes(limits.minutes)}.`)),
    Math.min(Math.max(0, limits.minutes * 60_000 - before), maxTimerMs),
  );

  return {
    used: (): Used => ({ ...used, runMs: runMs() }),

    /** Counts the next step, or returns the limit that it would exceed. */
    step(inputTokens: number, price: Price | undefined): JobError | undefined {
      const { tokens } = costOf(used, price);
      const next = costOf({ ...used, inputTokens: used.inputTokens + inputTokens }, price);
      if (used.steps >= limits.steps) {
        return new JobError('budget_steps', `The job asked the model ${limits.steps} times.`);
      }
      if (next.tokens > limits.tokens) {
        return new JobError(
          'budget_tokens',
          `The job used ${tokens} of ${limits.tokens} tokens, and the next step needs about ${inputTokens} more.`,
        );
      }
      if (next.microDollars > maxMicroDollars) {
        return new JobError(
          'budget_money',
          `The job cost ${dollars(used.microDollars)} of ${dollars(maxMicroDollars)} so far, and the next step would exceed the limit.`,
        );
      }
      used.steps += 1;
      return undefined;
    },

    spend(usage: Usage, price: Price | undefined): void {
      used.inputTokens += usage.inputTokens;
      used.outputTokens += usage.outputTokens;
      used.microDollars = costOf(used, price).microDollars;
    },

    /** Runs while the model is silent; each sign of life restarts it. */
    startIdle(): { restart(): void; stop(): void } {
      const { idleSeconds } = limits;
      const message = `The model didn’t respond for ${idleSeconds} seconds.`;
      const timer = setTimeout(
        () => abort(new JobError('budget_idle', message)),
        Math.min(idleSeconds * 1000, maxTimerMs),
      );
      return { restart: () => void timer.refresh(), stop: () => clearTimeout(timer) };
    },

    close: () => clearTimeout(wall),
  };
}

const dollars = (micro: number) => `$${toDollars(micro).toFixed(2)}`;

const minutes = (count: number) => (count === 1 ? 'a minute' : `${count} minutes`);
