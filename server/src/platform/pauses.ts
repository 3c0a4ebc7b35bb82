/** Lets others work between the steps of a long task. */
import { setImmediate as yieldToOthers } from 'node:timers/promises';

/** How long a task may keep the process to itself. An answer waits for dozens of such slices before its first word. */
const maxBlockMs = 3;

/** Returns what to await after each step. It's `undefined` until the time is up, because a promise costs more than many steps. */
export function createPauses(): () => Promise<void> | undefined {
  let pausedAt = performance.now();
  return () => {
    if (performance.now() - pausedAt < maxBlockMs) return undefined;
    return yieldToOthers().then(() => void (pausedAt = performance.now()));
  };
}
