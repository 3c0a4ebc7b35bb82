/** Describes each operation of an OpenAPI document as a page: what it does, its parameters, and an example. */
import { slug } from 'github-slugger';
import {
  type Json,
  type OpenApiDocument,
  type Operation,
  parseOpenApi,
  record,
  textOf,
} from './document.ts';
import { exampleOf, fieldText, oneLine, schemaLines } from './schema-text.ts';
import { DocentError } from '../../../platform/errors.ts';
import { joinPath } from '../../generators/paths.ts';
import { type Globs, isWanted } from '../page-source.ts';

export function operationTitle({ operation, method, route }: Operation): string {
  return oneLine(textOf(operation['summary'])) || `${method.toUpperCase()} ${route}`;
}

export function operationMarkdown(one: Operation, document: OpenApiDocument): string {
  const { operation, method, route, parameters, tag } = one;
  const { resolve } = document;
  const call = `${method.toUpperCase()} ${route}`;
  const sections = [
    `# ${operationTitle(one)}`,
    `\`\`\`http\n${call}\n\`\`\``,
    operation['deprecated'] === true && 'This operation is deprecated.',
    textOf(operation['description']),
    tag &&
      `Part of ${tag}${document.tags.get(tag) ? `: ${oneLine(document.tags.get(tag) ?? '')}` : '.'}`,
    parametersText(parameters, resolve),
    bodyText(operation, resolve),
    responsesText(operation, resolve),
    exampleText(one, document),
  ];
  return sections.filter(Boolean).join('\n\n');
}

const parameterKinds = {
  path: 'Path parameters',
  query: 'Query parameters',
  header: 'Headers',
  cookie: 'Cookies',
};

function parametersText(parameters: Json[], resolve: OpenApiDocument['resolve']): string {
  return Object.entries(parameterKinds)
    .flatMap(([kind, title]) => {
      const here = parameters.filter((one) => one['in'] === kind);
      if (here.length === 0) return [];
      const lines = here.map((one) => {
        const schema = {
          ...resolve(one['schema']),
          ...(one['description'] !== undefined && { description: one['description'] }),
        };
        return `- ${fieldText(textOf(one['name']), schema, one['required'] === true, resolve)}`;
      });
      return [`## ${title}\n\n${lines.join('\n')}`];
    })
    .join('\n\n');
}

function bodyText(operation: Json, resolve: OpenApiDocument['resolve']): string {
  if (operation['requestBody'] === undefined) return '';
  const body = resolve(operation['requestBody']);
  const [type, media] = firstMedia(body);
  if (!type) return '';
  const required = body['required'] === true ? ', required' : '';
  return [
    '## Request body',
    `\`${type}\`${required}`,
    textOf(body['description']),
    schemaLines(media['schema'], resolve).join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function responsesText(operation: Json, resolve: OpenApiDocument['resolve']): string {
  const responses = Object.entries(record(operation['responses'])).map(([status, value]) => {
    const response = resolve(value);
    const [, media] = firstMedia(response);
    const lines = schemaLines(media['schema'], resolve);
    const about = oneLine(textOf(response['description']));
    return [`### ${status}`, about, lines.join('\n')].filter(Boolean).join('\n\n');
  });
  return responses.length > 0 ? `## Responses\n\n${responses.join('\n\n')}` : '';
}

function exampleText(
  { operation, method, route, parameters }: Operation,
  document: OpenApiDocument,
): string {
  const { resolve } = document;
  const path = route.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const parameter = parameters.find((one) => one['name'] === name && one['in'] === 'path');
    const value = parameter && (parameter['example'] ?? exampleOf(parameter['schema'], resolve));
    return typeof value === 'number' || (typeof value === 'string' && value !== 'string')
      ? String(value)
      : whole;
  });
  const server = document.servers[0]?.replace(/\/$/, '') ?? '';
  const [type, media] = firstMedia(resolve(operation['requestBody']));
  const body = mediaExample(media, resolve);
  const lines = [`curl -X ${method.toUpperCase()} '${server}${path}'`];
  if (type) lines.push(`  -H 'Content-Type: ${type}'`);
  if (type && /json/.test(type) && body !== undefined) {
    lines.push(`  -d '${JSON.stringify(body, null, 2).slice(0, 2000)}'`);
  }
  const given = Object.entries(record(operation['responses'])).find(([status]) =>
    status.startsWith('2'),
  );
  const [responseType, responseMedia] = given ? firstMedia(resolve(given[1])) : ['', {}];
  const answer = mediaExample(responseMedia, resolve);
  const answered =
    /json/.test(responseType) && answer !== undefined
      ? `\n\n\`\`\`json\n${JSON.stringify(answer, null, 2).slice(0, 3000)}\n\`\`\``
      : '';
  return `## Example\n\n\`\`\`bash\n${lines.join(' \\\n')}\n\`\`\`${answered}`;
}

function mediaExample(media: Json, resolve: OpenApiDocument['resolve']): unknown {
  if (media['example'] !== undefined) return media['example'];
  const [first] = Object.values(record(media['examples'])).map((one) => resolve(one)['value']);
  if (first !== undefined) return first;
  return media['schema'] === undefined ? undefined : exampleOf(media['schema'], resolve);
}

/** Prefers JSON. */
function firstMedia(holder: Json): [string, Json] {
  const all = Object.entries(record(holder['content']));
  const found = all.find(([type]) => /json/.test(type)) ?? all[0];
  return found ? [found[0], record(found[1])] : ['', {}];
}

/**
 * `pages`: a page for each operation, `/{tag}/{summary}`, as in Mintlify, Fern, and Docusaurus. The
 * others show all operations on one page, with different anchors. A pattern may contain the placeholders
 * {tag}, {operationId}, {method}, {route}, and {summary}.
 */
const layouts: Record<string, string> = {
  pages: '/{tag-slug}/{summary-slug}',
  redoc: '#tag/{tag-dashed}/operation/{operationId}',
  'swagger-ui': '#/{tag}/{operationId}',
  scalar: '#tag/{tag-slug}/{METHOD}{route}',
  stoplight: '#/operations/{operationId}',
};

export interface OperationAddress {
  path: string;
  /** Relative to the base path. Starts with `/` or `#`. */
  link: string;
}

export function createOperationAddresses(layout: string) {
  const template = layouts[layout] ?? layout;
  const used = new Map<string, number>();
  return (one: Operation): OperationAddress => {
    const { tag, method, route, operation } = one;
    const summary = operationTitle(one);
    const id = textOf(operation['operationId']) || slug(`${method} ${route}`);
    const group = tag === '' ? 'default' : tag;
    const values: Record<string, string> = {
      tag: encodeURIComponent(group),
      'tag-dashed': encodeURIComponent(group.replaceAll(' ', '-')),
      'tag-slug': slug(group),
      operationId: encodeURIComponent(id),
      'operationId-slug': slug(id),
      method,
      METHOD: method.toUpperCase(),
      route,
      summary: encodeURIComponent(summary),
      'summary-slug': slug(summary),
    };
    const link = template.replaceAll(
      /\{([A-Za-z-]+)\}/g,
      (whole, name: string) => values[name] ?? whole,
    );
    const name = `/${slug(group)}/${slug(summary)}`;
    const count = used.get(name) ?? 0;
    used.set(name, count + 1);
    return { path: count === 0 ? name : `${name}-${count}`, link };
  };
}

interface OpenApiText extends Globs {
  text: string;
  from: string;
  basePath: string;
  baseUrl?: string | undefined;
  layout: string;
}

export interface OperationText {
  path: string;
  url: string;
  name: string;
  title: string;
  /** Without it, `fault` says why. */
  text?: string;
  fault?: unknown;
}

/** Of all operations together. */
const maxLength = 64_000_000;

export function readOperations(input: OpenApiText): OperationText[] {
  const { basePath, baseUrl = '' } = input;
  const document = parseOpenApi(input.text, input.from);
  const addressOf = createOperationAddresses(input.layout);
  let length = 0;
  return document.operations
    .filter(({ route }) => isWanted(route.slice(1), input))
    .map((one) => {
      const { path: below, link } = addressOf(one);
      // An operation with a page of its own has its address; one among others has only its anchor.
      const address = link.startsWith('#') ? joinPath(basePath) + link : joinPath(basePath, link);
      const operation = {
        path: joinPath(basePath, below),
        url: baseUrl + address,
        name: `${one.method.toUpperCase()} ${one.route}`,
        title: operationTitle(one),
      };
      if (length > maxLength) {
        const message = `${input.from} repeats so much text that its operations have more than ${maxLength / 1e6} million characters.`;
        throw new DocentError('too_large', message);
      }
      try {
        const text = operationMarkdown(one, document);
        length += text.length;
        return { ...operation, text };
      } catch (fault) {
        return { ...operation, fault };
      }
    });
}
