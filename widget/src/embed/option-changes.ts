/** Computes the update that leads from one set of options to another. */
import type { DocentOptions, DocentUpdate } from './options.ts';
import { isObject } from '../loader/settings.ts';

type Values = Readonly<Record<string, unknown>>;

/** By what they hold: applications write lists and objects anew each time. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other ||
  (isPlain(one) && isPlain(other) && JSON.stringify(one) === JSON.stringify(other));
const isPlain = (value: unknown) => Array.isArray(value) || isObject(value);

/** Options are told apart by name; what is not mentioned any more returns to its default. */
export function changesOf(before: DocentOptions, after: DocentOptions): DocentUpdate {
  return differences(before as unknown as Values, after as unknown as Values, [
    'url',
    'site',
    'key',
    'name',
  ]);
}

function differences(before: Values, after: Values, fixed: readonly string[] = []): Values {
  const changes: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [before[name], after[name] ?? null];
    if (fixed.includes(name) || isSame(old ?? null, now)) continue;
    // An update adds to an object, so what is to go has to be said.
    changes[name] =
      isObject(old) && isObject(now) ? differences(old as Values, now as Values) : now;
  }
  return changes;
}
