import type { DocentOptions, DocentUpdate } from './options.ts';
import { isObject } from '../loader/settings.ts';

type Values = Readonly<Record<string, unknown>>;

/** By value, because applications create lists and objects anew each time. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other ||
  (isPlain(one) && isPlain(other) && JSON.stringify(one) === JSON.stringify(other));
const isPlain = (value: unknown) => Array.isArray(value) || isObject(value);

/**
 * The update that leads from one set of options to another. Missing options return to their
 * defaults.
 */
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
    // An update merges objects, so removed entries must be named.
    changes[name] =
      isObject(old) && isObject(now) ? differences(old as Values, now as Values) : now;
  }
  return changes;
}
