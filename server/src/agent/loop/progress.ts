/** Detects a model that repeats itself: it makes the same calls again, and nothing changes. */
import type { ToolOutcome } from './tools/tools.ts';

/** Steps without anything new before the model gets a notice, and before the run ends. */
const maxIdleSteps = { notice: 3, end: 6 };

export function createProgress() {
  /** Calls with their results since the last change. */
  let seen = new Set<string>();
  let idleSteps = 0;

  return {
    /** What to do after this step. */
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
