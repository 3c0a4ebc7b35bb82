/** Calls back once the events that have come in together are worked off. */
export type Soon = (wake: () => void) => void;

/**
 * One call for all answers of a process. Tokens that arrive in one packet become one write to their
 * reader, which costs a fraction of a write for each.
 */
export function createSoon(): Soon {
  let waiting: (() => void)[] = [];
  const wakeAll = () => {
    const now = waiting;
    waiting = [];
    for (const wake of now) wake();
  };
  return (wake) => {
    if (waiting.push(wake) === 1) setImmediate(wakeAll);
  };
}
