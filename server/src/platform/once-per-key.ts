/**
 * Makes values that are asked for often once per key, also while the first one is still being made. The least
 * recently asked for are dropped, and what failed is made again.
 */
export function createOncePerKey<Value>(max: number) {
  const kept = new Map<string, Promise<Value>>();
  return function oncePerKey(key: string, make: () => Promise<Value>): Promise<Value> {
    const value = kept.get(key) ?? make();
    kept.delete(key);
    kept.set(key, value);
    value.catch(() => kept.get(key) === value && kept.delete(key));
    const [oldest] = kept.keys();
    if (kept.size > max && oldest !== undefined) kept.delete(oldest);
    return value;
  };
}
