/**
 * Old libraries such as Prototype.js add a `toJSON` to arrays, so that the service would get
 * `"[…]"` for a list.
 */

const isChanged = (): boolean => 'toJSON' in Array.prototype || 'toJSON' in Object.prototype;

function shield(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map(shield)
    : Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shield(each)]));
  return Object.defineProperty(copy, 'toJSON', { value: undefined });
}

export const toJson = (value: unknown): string =>
  JSON.stringify(isChanged() ? shield(value) : value);
