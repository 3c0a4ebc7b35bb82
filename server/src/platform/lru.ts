/**
 * Keeps what was used last, up to a limit of its weight: by default, so many entries. The least recently used
 * go first, and what weighs more than everything together isn't kept.
 */
export function createLru<Key, Value>(
  maxWeight: number,
  weightOf: (value: Value) => number = () => 1,
) {
  const kept = new Map<Key, Value>();
  let weight = 0;

  function remove(key: Key): void {
    const value = kept.get(key);
    if (value === undefined || !kept.delete(key)) return;
    weight -= weightOf(value);
  }

  return {
    get(key: Key): Value | undefined {
      const value = kept.get(key);
      if (value === undefined) return undefined;
      kept.delete(key);
      kept.set(key, value);
      return value;
    },
    set(key: Key, value: Value): void {
      remove(key);
      kept.set(key, value);
      weight += weightOf(value);
      for (const oldest of kept.keys()) {
        if (weight <= maxWeight) break;
        remove(oldest);
      }
    },
    remove,
  };
}

export type Lru<Key, Value> = ReturnType<typeof createLru<Key, Value>>;

/** Makes values that are asked for often once per key, also while the first one is still being made. What failed is made again. */
export function createOncePerKey<Value>(max: number) {
  const kept = createLru<string, Promise<Value>>(max);
  return function oncePerKey(key: string, make: () => Promise<Value>): Promise<Value> {
    const known = kept.get(key);
    if (known) return known;
    const value = make();
    kept.set(key, value);
    value.catch(() => kept.get(key) === value && kept.remove(key));
    return value;
  };
}
