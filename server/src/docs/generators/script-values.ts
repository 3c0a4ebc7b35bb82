/** Values of settings, and how to reach them: from scripts, and from YAML, TOML, and JSON. */

/** A value that only a run would tell. `text`: the part of a text that is known. */
export interface Unknown {
  $unknown: number;
  text?: string;
}

/** What a function makes of its arguments, such as the `starlight({ … })` of Astro. */
export interface Call {
  $call: string;
  args: Value[];
}

export type Value =
  | string
  | number
  | boolean
  | null
  | undefined
  | Value[]
  | Unknown
  | Call
  | { [key: string]: Value };

export const isUnknown = (value: Value): value is Unknown => isObject(value) && '$unknown' in value;

export const isCall = (value: Value): value is Call => isObject(value) && '$call' in value;

export function isObject(value: Value): value is { [key: string]: Value } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object of settings: what is exported, or what a function such as `defineConfig` gets. */
export function settingsIn(value: Value): { [key: string]: Value } | undefined {
  if (isUnknown(value) || !isObject(value)) return undefined;
  if (!isCall(value)) return value;
  return value.args.map((one) => settingsIn(one)).find((one) => one !== undefined);
}

/** The calls of a function, such as `starlight`, wherever they are. */
export function callsIn(values: Value, name: string): Call[] {
  if (Array.isArray(values)) return values.flatMap((one) => callsIn(one, name));
  if (!isObject(values) || isUnknown(values)) return [];
  if (!isCall(values)) return Object.values(values).flatMap((one) => callsIn(one, name));
  return [...(values.$call === name ? [values] : []), ...callsIn(values.args, name)];
}

/** A value by its place: `at(config, 'themeConfig', 'logo')`. */
export function at(value: Value, ...path: string[]): Value {
  return path.reduce<Value>(
    (inner, key) =>
      isObject(inner) && !isUnknown(inner) && !isCall(inner) && Object.hasOwn(inner, key)
        ? inner[key]
        : undefined,
    value,
  );
}

/** Of a text that a run would end differently, the part that is known. */
export const textAt = (value: Value, ...path: string[]): string | undefined => {
  const found = at(value, ...path);
  const text = isUnknown(found) ? found.text : found;
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : undefined;
};

export const flagAt = (value: Value, ...path: string[]): boolean | undefined => {
  const found = at(value, ...path);
  return typeof found === 'boolean' ? found : undefined;
};

export const listAt = (value: Value, ...path: string[]): Value[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
};

export const entriesAt = (value: Value, ...path: string[]): [key: string, value: Value][] => {
  const found = at(value, ...path);
  return isObject(found) && !isUnknown(found) && !isCall(found) ? Object.entries(found) : [];
};

export const texts = (values: readonly unknown[]) =>
  values.filter((one): one is string => typeof one === 'string' && one !== '');
