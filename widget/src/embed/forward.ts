import type { DocentWidget } from './api.ts';

/** A widget whose calls go to `run`. */
export function forward(run: (verb: string, values: unknown[]) => void): DocentWidget {
  const verbs = ['open', 'close', 'toggle', 'ask', 'update', 'reset', 'destroy', 'on', 'off'];
  return Object.fromEntries(
    verbs.map((verb) => [verb, (...values: unknown[]) => run(verb, values)]),
  ) as unknown as DocentWidget;
}
