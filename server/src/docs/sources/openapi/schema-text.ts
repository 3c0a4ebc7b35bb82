/** Describes a JSON Schema for readers: names, types, required fields, and descriptions. */
import { type Json, list, record, type OpenApiDocument, textOf } from './document.ts';

type Resolve = OpenApiDocument['resolve'];

const deepest = 4;
const maxLines = 200;
/** Schemas that refer to each other have no end, and more variants than anyone reads. */
const maxNodes = 5_000;
/** How deep lists of lists, choices of choices, and `allOf` of `allOf` are followed. */
const maxNesting = 16;

/** Follows references up to a number of schemas. From then on, every schema is empty. */
function counted(resolve: Resolve): Resolve {
  let left = maxNodes;
  return (value) => (left-- > 0 ? resolve(value) : {});
}

/** Returns the fields of a schema as a nested list. */
export function schemaLines(schema: unknown, follow: Resolve): string[] {
  const lines: string[] = [];
  const resolve = counted(follow);
  describe(resolve(schema), 0, []);
  return lines.slice(0, maxLines);

  function describe(one: Json, depth: number, above: readonly Json[]): void {
    // A schema that contains itself is only named.
    if (depth > deepest || above.length > maxNesting || above.includes(one)) return;
    const inner = [...above, one];
    const merged = withAllOf(one, resolve);
    const required = new Set(list(merged['required']).map(textOf));
    for (const [name, value] of Object.entries(record(merged['properties']))) {
      if (lines.length >= maxLines) return;
      const field = withAllOf(resolve(value), resolve);
      lines.push(`${'  '.repeat(depth)}- ${fieldText(name, field, required.has(name), resolve)}`);
      describe(itemOf(field, resolve), depth + 1, inner);
    }
    const choices = [...list(merged['oneOf']), ...list(merged['anyOf'])];
    for (const choice of choices.length > 1 ? choices : []) {
      if (lines.length >= maxLines) return;
      const resolved = resolve(choice);
      const title = textOf(resolved['title']) || typeText(resolved, resolve);
      lines.push(`${'  '.repeat(depth)}- one of: ${title}`);
      describe(resolved, depth + 1, inner);
    }
    if (!('properties' in merged) && merged['items'] !== undefined) {
      describe(resolve(merged['items']), depth, inner);
    }
  }
}

export function fieldText(
  name: string,
  schema: Json,
  isRequired: boolean,
  resolve: Resolve,
): string {
  const facts = [
    typeText(schema, resolve),
    isRequired && 'required',
    schema['deprecated'] === true && 'deprecated',
    schema['default'] !== undefined && `default \`${JSON.stringify(schema['default'])}\``,
  ].filter(Boolean);
  const values = list(schema['enum']).map((value) => `\`${String(value)}\``);
  const about = [
    oneLine(textOf(schema['description'])),
    values.length > 0 && `One of ${values.join(', ')}.`,
  ]
    .filter(Boolean)
    .join(' ');
  return `\`${name}\` (${facts.join(', ')})${about ? `: ${about}` : ''}`;
}

function typeText(given: Json, resolve: Resolve, nesting = 0): string {
  if (nesting > maxNesting) return '';
  const schema = withAllOf(given, resolve);
  const types = [schema['type'] ?? []].flat().map(textOf);
  if (types.includes('array') || schema['items'] !== undefined) {
    return `array of ${typeText(resolve(schema['items']), resolve, nesting + 1) || 'values'}`;
  }
  const format = textOf(schema['format']);
  const type = types.join(' or ') || ('properties' in schema ? 'object' : '');
  const choices = [...list(schema['oneOf']), ...list(schema['anyOf'])];
  if (type === '' && choices.length > 0) {
    return [...new Set(choices.map((one) => typeText(resolve(one), resolve, nesting + 1)))]
      .filter(Boolean)
      .join(' or ');
  }
  return `${type || 'any'}${format ? `, ${format}` : ''}${schema['nullable'] === true ? ' or null' : ''}`;
}

/** Returns an example from the document, or one made from the schema. */
export function exampleOf(schema: unknown, resolve: Resolve): unknown {
  return exampleBelow(schema, counted(resolve), []);
}

function exampleBelow(schema: unknown, resolve: Resolve, above: readonly Json[]): unknown {
  const own = resolve(schema);
  const one = withAllOf(own, resolve);
  if (one['example'] !== undefined) return one['example'];
  const [given] = list(one['examples']);
  if (given !== undefined) return given;
  if (one['const'] !== undefined) return one['const'];
  if (one['default'] !== undefined) return one['default'];
  const [choice] = list(one['enum']);
  if (choice !== undefined) return choice;
  // A schema that contains itself is left out.
  if (above.length > deepest || above.includes(own)) return undefined;
  const inner = [...above, own];
  const [either] = [...list(one['oneOf']), ...list(one['anyOf'])];
  if (either !== undefined) return exampleBelow(either, resolve, inner);
  const type = [one['type'] ?? []].flat().map(textOf)[0];
  if (type === 'array' || one['items'] !== undefined) {
    const item = exampleBelow(one['items'], resolve, inner);
    return item === undefined ? [] : [item];
  }
  if (type === 'object' || 'properties' in one) {
    const fields = Object.entries(record(one['properties']));
    return Object.fromEntries(
      fields
        .filter(([, field]) => resolve(field)['readOnly'] !== true)
        .map(([name, field]) => [name, exampleBelow(field, resolve, inner)])
        .filter(([, value]) => value !== undefined),
    );
  }
  if (type === 'integer' || type === 'number') return 0;
  if (type === 'boolean') return true;
  return type === 'string' ? 'string' : undefined;
}

function withAllOf(schema: Json, resolve: Resolve, nesting = 0): Json {
  if (nesting > maxNesting) return {};
  const parts = list(schema['allOf']).map((part) => withAllOf(resolve(part), resolve, nesting + 1));
  if (parts.length === 0) return schema;
  const all = [...parts, schema];
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map((part) => record(part['properties']))) as Json,
    required: all.flatMap((part) => list(part['required'])),
  };
}

function itemOf(field: Json, resolve: Resolve): Json {
  let item = field;
  for (let nesting = 0; item['items'] !== undefined; nesting += 1) {
    if (nesting > maxNesting) return {};
    item = resolve(item['items']);
  }
  return item;
}

/** Any number of operations may share a description, so only its beginning counts. */
const maxLine = 2_000;

export function oneLine(text: string): string {
  const line = text
    .slice(0, 2 * maxLine)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > maxLine ? `${line.slice(0, maxLine)}…` : line;
}
