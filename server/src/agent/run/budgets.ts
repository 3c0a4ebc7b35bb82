/**
 * What one run of a job may cost, over all processes that work on it. Usage is counted at the model
 * (`metered-model.ts`) and time by timers here, so no limit depends on the loop. A used-up limit ends the
 * run through `abort`.
 */
import type { Price } from '../../platform/config/model-config.ts';
import type { ProjectConfig } from '../../platform/config/project-config.ts';
import { JobError } from '../../platform/errors.ts';
import type { JobRow } from '../jobs/job.ts';
import { costOf, toDollars, toMicroDollars, type Usage } from '../../budgets/cost.ts';

/** What the run has used so far. Money is in millionths of a US dollar. */
export interface Used extends Usage {
  /** Calls of the model. */
  steps: number;
  microDollars: number;
  runMs: number;
}

/** PostgreSQL's driver gives a `bigint` as text. */
export function usedOf(row: JobRow): Used {
  return {
    steps: row.steps,
    inputTokens: Number(row.input_tokens),
    outputTokens: Number(row.output_tokens),
    microDollars: Number(row.micro_dollars),
    runMs: Number(row.run_ms),
  };
}

export function usedColumns({ steps, inputTokens, outputTokens, microDollars, runMs }: Used) {
  return {
    steps,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    micro_dollars: microDollars,
    run_ms: runMs,
  };
}

/** Timers accept no more. */
const maxTimerMs = 2 ** 31 - 1;

export type Budgets = ReturnType<typeof createBudgets>;

export function createBudgets(options: {
  limits: ProjectConfig['limits'];
  /** What earlier processes used for this run. */
  used: Used;
  /** Ends the run; only the first reason counts. */
  abort: (reason: JobError) => void;
}) {
  const { limits, abort } = options;
  const used = { ...options.used };
  const startedAt = performance.now();
  const maxMicroDollars = toMicroDollars(limits.dollars);
  const runMs = () => options.used.runMs + Math.round(performance.now() - startedAt);
  const wall = setTimeout(
    () => abort(new JobError('budget_time', `The job has run for ${minutes(limits.minutes)}.`)),
    Math.min(Math.max(0, limits.minutes * 60_000 - used.runMs), maxTimerMs),
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
