/** Notices a model that turns in circles: it makes calls that it has made before, and nothing changes. */
import type { ToolOutcome } from './tools/tools.ts';

/** Steps without anything new before the model is told, and before the run is ended. */
const maxIdleSteps = { told: 3, ended: 6 };

export function createProgress() {
  /** Calls with what came back, since something last changed. */
  let seen = new Set<string>();
  let idleSteps = 0;

  return {
    /** What is to be done after this step. */
    after(outcomes: readonly ToolOutcome[]): 'go-on' | 'tell' | 'end' {
      const isNew = (outcome: ToolOutcome) => !outcome.isError && !seen.has(sign(outcome));
      const hasChanged = outcomes.some((outcome) => outcome.hasChanged && isNew(outcome));
      // A mistake is a chance to learn, but not for ever.
      idleSteps = outcomes.some(isNew) ? 0 : idleSteps + 1;
      if (hasChanged) seen = new Set();
      for (const outcome of outcomes) seen.add(sign(outcome));
      if (idleSteps >= maxIdleSteps.ended) return 'end';
      return idleSteps === maxIdleSteps.told ? 'tell' : 'go-on';
    },
  };
}

function sign({ call, output }: ToolOutcome): string {
  return JSON.stringify([call.name, call.input, output]);
}
