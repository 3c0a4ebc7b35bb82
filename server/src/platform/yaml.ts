/** Reads YAML that strangers wrote. */
import { isScalar, parseDocument, visit, YAMLParseError } from 'yaml';

/**
 * Keys are texts: turning others into text takes time that grows with the fourth power of their depth. Looking
 * for equal keys, and showing errors, take quadratic time.
 */
export const yamlOptions = {
  logLevel: 'silent',
  prettyErrors: false,
  uniqueKeys: false,
  stringKeys: true,
} as const;

/** Throws the first error, which says where it is. */
export function parseYaml(text: string, { mayRepeatKeys }: { mayRepeatKeys: boolean }): unknown {
  const document = parseDocument(text, yamlOptions);
  const [error] = document.errors;
  if (error) throw error;
  if (!mayRepeatKeys) visit(document, { Map: (_, { items }) => assertUnique(items) });
  return document.toJS();
}

function assertUnique(items: readonly { key: unknown }[]): void {
  const seen = new Set<unknown>();
  for (const { key } of items) {
    if (!isScalar(key)) continue;
    if (seen.has(key.value)) {
      const [start = 0, end = start] = key.range ?? [];
      throw new YAMLParseError([start, end], 'DUPLICATE_KEY', 'Map keys must be unique');
    }
    seen.add(key.value);
  }
}
