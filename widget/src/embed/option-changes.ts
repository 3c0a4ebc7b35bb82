import type { DocentUpdate } from './options.ts';
import { isObject } from '../loader/settings.ts';

/** By value, because applications create lists and objects anew each time. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other ||
  (Array.isArray(one) && Array.isArray(other) && JSON.stringify(one) === JSON.stringify(other));

/**
 * The update that leads from one set of options to another. Missing options return to their
 * defaults, and an update merges objects, so removed entries are named.
 */
export function changesOf(before: object, after: object): DocentUpdate {
  const [old, now] = [before as Record<string, unknown>, after as Record<string, unknown>];
  const changes: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    const [was, is] = [old[name] ?? null, now[name] ?? null];
    if (!isObject(was) || !isObject(is)) {
      if (!isSame(was, is)) changes[name] = is;
      continue;
    }
    const inside = changesOf(was, is);
    if (Object.keys(inside).length) changes[name] = inside;
  }
  return changes;
}
