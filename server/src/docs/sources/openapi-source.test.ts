/** API references: a page for each operation, at the place where the reference really shows it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Page } from '../../retrieval/retriever.ts';
import { pageUrl } from '../../platform/tenants/sites.ts';
import { indexSite } from '../indexer/index-site.ts';
import { startTestSite } from '../../../testing/test-site.ts';

const document = {
  openapi: '3.1.0',
  info: { title: 'Kestrel API', version: '1' },
  servers: [{ url: 'https://api.kestrel.example/v1/' }],
  tags: [{ name: 'Weather stations', description: 'Stations that measure.' }],
  paths: {
    '/stations/{id}': {
      parameters: [{ $ref: '#/components/parameters/Id' }],
      get: {
        operationId: 'getStation',
        tags: ['Weather stations'],
        summary: 'Get a station',
        description: 'Reads one station.',
        parameters: [
          {
            name: 'units',
            in: 'query',
            description: 'Units of measure.',
            schema: { type: 'string', enum: ['metric', 'imperial'], default: 'metric' },
          },
        ],
        responses: {
          '200': {
            description: 'The station.',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Station' } } },
          },
          '404': { description: 'There is no such station.' },
        },
      },
      delete: {
        operationId: 'deleteStation',
        tags: ['Weather stations'],
        deprecated: true,
        responses: { '204': { description: 'Gone.' } },
      },
    },
    '/stations': {
      post: {
        operationId: 'createStation',
        tags: ['Weather stations'],
        summary: 'Create a station',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Station' } } },
        },
        responses: { '201': { description: 'Created.' } },
      },
    },
    '/internal': { get: { 'x-internal': true, responses: {} } },
  },
  components: {
    parameters: {
      Id: {
        name: 'id',
        in: 'path',
        required: true,
        description: 'The station’s id.',
        schema: { type: 'string' },
        example: 'st_1',
      },
    },
    schemas: {
      Station: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', description: 'What it is called.', example: 'Roof' },
          altitude: { type: ['number', 'null'], description: 'Metres above the sea.' },
          sensors: { type: 'array', items: { $ref: '#/components/schemas/Sensor' } },
          // It holds itself.
          parent: { $ref: '#/components/schemas/Station' },
        },
      },
      Sensor: {
        allOf: [
          { type: 'object', properties: { kind: { type: 'string' } } },
          { properties: { port: { type: 'integer', format: 'int32' } } },
        ],
      },
    },
  },
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docent-openapi-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function read(
  from: string,
  more: object = {},
  allowPrivateHosts: string[] = [],
): Promise<Page[]> {
  const pages: Page[] = [];
  await indexSite({
    domain: 'site',
    docs: {
      sources: [{ type: 'openapi', document: from, layout: 'pages', ...more }],
      baseUrl: 'https://docs.kestrel.example',
      allowPrivateHosts,
    },
    retriever: {
      hashes: () => Promise.resolve(new Map()),
      apply: (_domain, { upsert }) => Promise.resolve(void pages.push(...upsert)),
    },
  });
  return pages;
}

async function write(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

test('JSON and YAML, from a file and an address, result in the same pages', async () => {
  const json = await read(await write('openapi.json', JSON.stringify(document)));
  const yaml = await read(await write('openapi.yaml', stringify(document)));
  await using site = await startTestSite({ '/openapi.json': { body: JSON.stringify(document) } });
  const web = await read(`${site.url}/openapi.json`, {}, [site.host]);
  const facts = (pages: Page[]) => pages.map(({ path, markdown, url }) => [path, markdown, url]);
  expect(json.map(({ path }) => path)).toEqual([
    '/api-reference/weather-stations/get-a-station',
    '/api-reference/weather-stations/delete-stationsid',
    '/api-reference/weather-stations/create-a-station',
  ]);
  expect(facts(yaml)).toEqual(facts(json));
  expect(facts(web)).toEqual(facts(json));
});

test('a page describes parameters and responses', async () => {
  const [get, remove, create] = await read(await write('openapi.json', JSON.stringify(document)));
  expect(get?.title).toBe('Get a station');
  expect(get?.description).toBe('GET /stations/{id}');
  for (const words of [
    'GET /stations/{id}',
    'Reads one station.',
    'Part of Weather stations: Stations that measure.',
    '- `id` (string, required): The station’s id.',
    '- `units` (string, default `"metric"`): Units of measure. One of `metric`, `imperial`.',
    '- `name` (string, required): What it is called.',
    '- `altitude` (number or null): Metres above the sea.',
    '- `sensors` (array of object)',
    '  - `port` (integer, int32)',
    'There is no such station.',
    "curl -X GET 'https://api.kestrel.example/v1/stations/st_1'",
    '"name": "Roof"',
  ]) {
    expect(get?.markdown).toContain(words);
  }
  expect(remove?.markdown).toContain('This operation is deprecated.');
  expect(create?.markdown).toContain('## Request body\n\n`application/json`, required');
  expect(get?.passages.map(({ heading }) => heading)).toContain('Query parameters');
});

test.each([
  ['pages', 'https://docs.kestrel.example/api-reference/weather-stations/get-a-station'],
  ['redoc', 'https://docs.kestrel.example/api-reference#tag/Weather-stations/operation/getStation'],
  ['swagger-ui', 'https://docs.kestrel.example/api-reference#/Weather%20stations/getStation'],
  ['scalar', 'https://docs.kestrel.example/api-reference#tag/weather-stations/GET/stations/{id}'],
  ['stoplight', 'https://docs.kestrel.example/api-reference#/operations/getStation'],
  ['/reference/{operationId}', 'https://docs.kestrel.example/api-reference/reference/getStation'],
])('layout %s leads to %s', async (layout, expected) => {
  const [page] = await read(await write('openapi.json', JSON.stringify(document)), { layout });
  for (const { anchor } of page?.passages ?? []) {
    expect(page && pageUrl({ pathStyle: 'clean' }, page, anchor)).toBe(expected);
  }
});

test.each([
  ['{', /is neither JSON nor YAML/],
  ['swagger: "2.0"', /is not an OpenAPI 3 document, but version 2\.0/],
  ['hello', /is not an OpenAPI 3 document\./],
  ['openapi: 3.0.0\npaths: {}', /There is no operation for readers/],
])('%j is refused with a sentence', async (text, words) => {
  await expect(read(await write('openapi.yaml', text))).rejects.toThrow(words);
});

/** An operation whose answer has the first of these schemas. */
const withSchemas = (schemas: Record<string, unknown>) => ({
  openapi: '3.1.0',
  info: { title: 'Hostile', version: '1' },
  paths: {
    '/a': {
      get: {
        responses: {
          '200': {
            description: 'Found.',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } },
          },
        },
      },
    },
  },
  components: { schemas },
});
const to = (number: number) => ({ $ref: `#/components/schemas/S${number}` });
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
const named = <T>(count: number, name: string, make: (index: number) => T) =>
  Object.fromEntries(times(count, (index) => [`${name}${index}`, make(index)]));

test.each<[string, Record<string, unknown>]>([
  [
    '40 properties per schema, linked to each other',
    named(40, 'S', (one) => ({
      type: 'object',
      properties: named(40, 'p', (index) => to((one + index + 1) % 40)),
    })),
  ],
  [
    'choices linked to each other',
    named(40, 'S', (one) => ({ oneOf: times(40, (index) => to((one + index + 1) % 40)) })),
  ],
  ['a choice of itself', { S0: { oneOf: [to(0), to(0)] } }],
  ['a choice of itself, described', { S0: { oneOf: [{ ...to(0), title: 'x' }, to(0)] } }],
  ['a list of itself', { S0: { items: to(0) } }],
  ['a list of itself, described', { S0: { items: { ...to(0), description: 'x' } } }],
  ['a property that is a list of itself', { S0: { properties: { a: { items: to(0) } } } }],
  ['everything of itself', { S0: { allOf: [to(0), to(0)] } }],
  [
    'everything of the next two, 60 times',
    named(60, 'S', (one) => ({ allOf: [to(one + 1), to(one + 1)], properties: { a: {} } })),
  ],
  ['a reference to itself', { S0: to(0) }],
])('schemas without end: %s', async (_, schemas) => {
  const [page] = await read(await write('a.json', JSON.stringify(withSchemas(schemas))));
  expect(page?.markdown).toContain('Found.');
  expect(page?.markdown.length).toBeLessThan(100_000);
});

test('a long text that many operations share is cut in each', async () => {
  const long = 'word '.repeat(200_000);
  const schema = { type: 'object', description: long, properties: { a: { description: long } } };
  const operation = {
    tags: ['Long'],
    parameters: [{ name: 'p', in: 'query', description: long, schema: {} }],
    responses: { '200': { description: long, content: { 'application/json': { schema } } } },
  };
  const text = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Long', version: '1' },
    tags: [{ name: 'Long', description: long }],
    paths: named(50, '/p', () => ({ $ref: '#/components/pathItems/Long' })),
    components: { pathItems: { Long: { get: operation } } },
  });
  const pages = await read(await write('long.json', text));
  expect(pages).toHaveLength(50);
  expect(pages[0]?.markdown).toContain('word word');
  for (const { markdown } of pages) expect(markdown.length).toBeLessThan(20_000);
});

test('a document that repeats more text than an index should hold is refused', async () => {
  const text = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Copies', version: '1' },
    paths: named(200, '/p', () => ({ $ref: '#/components/pathItems/Long' })),
    components: { pathItems: { Long: { get: { description: 'word '.repeat(100_000) } } } },
  });
  const reading = read(await write('copies.json', text));
  await expect(reading).rejects.toThrow(/more than 64 million characters/);
});

test('an operation that cannot be read does not stop the others', async () => {
  const hostile = structuredClone(document);
  const example = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const text = JSON.stringify(hostile).replace('"Roof"', example);
  expect((await read(await write('deep.json', text))).map(({ path }) => path)).toEqual([
    '/api-reference/weather-stations/delete-stationsid',
  ]);
});

test('YAML whose aliases expand without limit is refused', async () => {
  const levels = times(12, (index) => `x${index}: &x${index} [${`*x${index - 1},`.repeat(9)}]`);
  const text = `openapi: 3.1.0\n${levels.join('\n').replace('[*x-1,', '[1,').replaceAll('*x-1,', '')}`;
  await expect(read(await write('aliases.yaml', text))).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringMatching(/neither JSON nor YAML/),
  });
});
