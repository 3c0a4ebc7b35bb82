/** Reads settings: data as data, and JavaScript as text. Code of a site never runs. */
import { replaceBetween } from '../../platform/text.ts';
import { parseYaml } from '../../platform/yaml.ts';

/** Removes comments, so that a setting in a comment has no effect. */
export function withoutComments(text: string): string {
  return replaceBetween(text, ['/*', '*/'], () => '').replaceAll(
    /(^|[\s,;{}[\]()])\/\/.*$/gm,
    '$1',
  );
}

/** Returns the text of the first setting of this name, such as `base: '/docs/'`. */
export function textSetting(text: string, key: string): string | undefined {
  return new RegExp(`(?<![\\w.])['"]?${key}['"]?\\s*:\\s*(['"\`])(.*?)\\1`).exec(text)?.[2];
}

/** Returns the texts of all settings of this name. */
export function textSettings(text: string, key: string): string[] {
  return [...text.matchAll(new RegExp(`\\b${key}\\s*:\\s*(['"\`])(.*?)\\1`, 'g'))].map(
    ([, , value = '']) => value,
  );
}

/** Returns the value of a setting that is `true` or `false`. */
export function flagSetting(text: string, key: string): boolean | undefined {
  const value = new RegExp(`(?<![\\w.])['"]?${key}['"]?\\s*:\\s*(true|false)\\b`).exec(text)?.[1];
  return value === undefined ? undefined : value === 'true';
}

/** Returns the object that starts at the next brace. `own` leaves out the objects inside it. */
export function objectAt(text: string, from: number): { whole: string; own: string } | undefined {
  const start = text.indexOf('{', from);
  if (start < 0) return undefined;
  let depth = 0;
  let quote = '';
  let own = '';
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (depth === 1) own += character;
    if (quote) {
      if (character === '\\') at += 1;
      else if (character === quote) quote = '';
    } else if (/['"`]/.test(character)) quote = character;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return { whole: text.slice(start, at + 1), own };
    }
  }
  return undefined;
}

export function readJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Python's own tags, such as `!!python/name`, are fine, and the last of equal keys counts. */
export function yamlObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseYaml(text, { mayRepeatKeys: true });
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Every value of this key, at any depth. */
export function findAll(value: unknown, key: string): unknown[] {
  if (!isObject(value)) return [];
  if (Array.isArray(value)) return value.flatMap((one) => findAll(one, key));
  return Object.entries(value).flatMap(([name, inner]) =>
    name === key ? [inner] : findAll(inner, key),
  );
}
