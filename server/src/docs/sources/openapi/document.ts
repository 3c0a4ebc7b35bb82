/** Reads an OpenAPI document, JSON or YAML, and follows references inside it. */
import { parse } from 'yaml';
import { decodePercent } from '../../generators/paths.ts';
import { DocentError } from '../../../platform/errors.ts';

export type Json = Record<string, unknown>;

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

export interface Operation {
  method: string;
  /** With its placeholders: `/users/{id}`. */
  route: string;
  operation: Json;
  /** Parameters of the path come first. */
  parameters: Json[];
  /** The name of the tag, used in links. `''`: the operation has no tag. */
  tag: string;
}

export interface OpenApiDocument {
  info: Json;
  servers: string[];
  tags: Map<string, string>;
  operations: Operation[];
  resolve: (value: unknown) => Json;
}

export function parseOpenApi(text: string, from: string): OpenApiDocument {
  let root: unknown;
  try {
    root = text.trimStart().startsWith('{')
      ? JSON.parse(text)
      : parse(text, { logLevel: 'error', maxAliasCount: 1000, stringKeys: true });
  } catch (cause) {
    throw new DocentError('bad_request', `${from} is neither JSON nor YAML.`, { cause });
  }
  const document = record(root);
  const version = textOf(document['openapi']);
  if (!/^3\.\d/.test(version)) {
    const found = version || textOf(document['swagger']);
    throw new DocentError(
      'bad_request',
      `${from} is not an OpenAPI 3 document${found ? `, but version ${found}` : ''}.`,
    );
  }

  /** Follows `$ref` inside the document. Other files are not opened. */
  function resolve(value: unknown): Json {
    let current = record(value);
    for (let hops = 0; hops < 20; hops += 1) {
      const reference = current['$ref'];
      if (typeof reference !== 'string') return current;
      if (!reference.startsWith('#/')) return {};
      const { $ref: _, ...beside } = current;
      const target = reference
        .slice(2)
        .split('/')
        .map((part) => decodePart(part))
        .reduce<unknown>((at, part) => record(at)[part], document);
      // The same object each time, so that a schema that contains itself is recognized.
      current =
        Object.keys(beside).length === 0 ? record(target) : { ...record(target), ...beside };
    }
    return {};
  }

  const operations = Object.entries(record(document['paths'])).flatMap(([route, item]) => {
    const path = resolve(item);
    return methods.flatMap((method): Operation[] => {
      if (!(method in path)) return [];
      const operation = resolve(path[method]);
      if (operation['x-internal'] === true || operation['x-hidden'] === true) return [];
      const all = [...list(path['parameters']), ...list(operation['parameters'])].map(resolve);
      // A parameter of the operation replaces that of the path with the same name and `in`.
      const byName = new Map(
        all.map((one) => [`${textOf(one['in'])} ${textOf(one['name'])}`, one]),
      );
      const tag = textOf(list(operation['tags'])[0]);
      return [{ method, route, operation, parameters: [...byName.values()], tag }];
    });
  });
  return {
    info: record(document['info']),
    servers: list(document['servers'])
      .map((one) => textOf(record(one)['url']))
      .filter(Boolean),
    tags: new Map(
      list(document['tags']).map((one) => [
        textOf(record(one)['name']),
        textOf(record(one)['description']),
      ]),
    ),
    operations,
    resolve,
  };
}

export function record(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}

function decodePart(part: string): string {
  return decodePercent(part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
