/** Reads settings that are data. */
import { parse as parseToml } from 'smol-toml';
import { parseYaml } from '../../platform/yaml.ts';

const objectOf = (read: () => unknown): Record<string, unknown> | undefined => {
  try {
    const value = read();
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

export const readJson = (text: string) => objectOf(() => JSON.parse(text));

/** Python's own tags, such as `!!python/name`, are fine, and the last of equal keys counts. */
export const yamlObject = (text: string) =>
  objectOf(() => parseYaml(text, { mayRepeatKeys: true }));

export const tomlObject = (text: string) => objectOf(() => parseToml(text));

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

export function findAll(value: unknown, key: string): unknown[] {
  if (!isObject(value)) return [];
  if (Array.isArray(value)) return value.flatMap((one) => findAll(one, key));
  return Object.entries(value).flatMap(([name, inner]) =>
    name === key ? [inner] : findAll(inner, key),
  );
}
