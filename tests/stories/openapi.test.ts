/** The description of the API: whole, valid, and true of the routes that there really are. */
import { fileURLToPath } from 'node:url';
import { type ErrorCode, errorTable } from '@docent/shared/errors';
import { AnswerPartSchema } from '@docent/shared/stream-schema';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addPerson } from '../support/person.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';

interface Operation {
  operationId: string;
  security: Record<string, string[]>[];
  parameters?: { name: string; in: string }[];
  requestBody?: object;
  responses: Record<string, object>;
}

interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
}

let docent: TestDocent;
let admin: string;
let owner: string;
let described: Document;

beforeAll(async () => {
  docent = await startDocent({
    // Every refusal below counts as an instruction.
    agent: { perProjectAndHour: 1_000 },
    projects: [
      { id: 'kestrel', organization: 'kestrel', repository: 'https://github.com/kestrel/docs' },
      { id: 'osprey', organization: 'osprey', repository: 'https://github.com/osprey/docs' },
    ],
  });
  const made = await docent.keys.create({ kind: 'admin', organization: 'kestrel', name: 'admin' });
  admin = made.token;
  owner = (await addPerson(docent, 'owner')).cookie;
  described = (await (await fetch(`${docent.url}/openapi.json`)).json()) as Document;
});
afterAll(() => docent[Symbol.asyncDispose]());

/** A layer of Express's router, as far as it tells of routes. */
interface Layer {
  route?: {
    path: string | string[];
    methods: Record<string, boolean>;
    stack: { method?: string }[];
  };
  handle?: { stack?: Layer[] };
}

/** Every method and path that the app has a route for. */
function routesOf(layers: Layer[]): string[] {
  return layers.flatMap(({ route, handle }) => {
    if (!route) return handle?.stack ? routesOf(handle.stack) : [];
    const methods = new Set(route.stack.flatMap(({ method }) => method ?? []));
    return [route.path]
      .flat()
      .flatMap((path) =>
        [...methods].map((method) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
      );
  });
}

function operations(): [name: string, path: string, method: string, operation: Operation][] {
  return Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, string, Operation] => [
      `${method} ${path}`,
      path,
      method,
      operation,
    ]),
  );
}

test('it is valid OpenAPI 3.1', async () => {
  expect(described.openapi).toMatch(/^3\.1\./);
  const validated = await new Validator().validate({ ...described });
  expect(validated.errors ?? []).toEqual([]);
  expect(validated.valid).toBe(true);
});

test('the committed file is what is served; `vitest -u` writes it', async () => {
  const file = fileURLToPath(new URL('../../server/openapi.json', import.meta.url));
  await expect(`${JSON.stringify(described, null, 2)}\n`).toMatchFileSnapshot(file);
});

test('every route is described, and nothing else is', () => {
  const { stack } = (docent.docent.app as unknown as { router: { stack: Layer[] } }).router;
  // Pages for people are no part of the API.
  const real = routesOf(stack)
    .filter((name) => !/^\w+ \/($|(dashboard|projects)\b)/.test(name))
    .toSorted();
  expect(real.length).toBeGreaterThan(15);
  expect(
    operations()
      .map(([name]) => name)
      .toSorted(),
  ).toEqual(real);
});

test('every operation has a name of its own', () => {
  const ids = operations().map(([, , , operation]) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test('the parts of a real answer are as described', async () => {
  const asked = await docent.ask('How do I install Kestrel?', {
    headers: { 'user-agent': 'ai-sdk/7' },
  });
  expect(asked.parts.length).toBeGreaterThan(5);
  for (const part of asked.parts) AnswerPartSchema.parse(part);
});

describe('every refusal has the one body and a status that is described', () => {
  interface Sent {
    method?: string;
    key?: string;
    body?: string;
    type?: string;
    query?: string;
    domain?: string;
    project?: string;
    cookie?: string;
  }

  async function expectRefusal(
    path: string,
    operation: Operation,
    code: ErrorCode,
    {
      method = 'post',
      key = '',
      body,
      type,
      query = '',
      domain = 'kestrel-docs',
      project = 'kestrel',
      cookie,
    }: Sent,
  ) {
    const at = path
      .replace('{domain}', domain)
      .replace('{projectId}', project)
      .replaceAll(/\{\w+\}/g, 'some-id');
    const response = await fetch(docent.url + at + query, {
      method: method.toUpperCase(),
      headers: {
        ...(key !== '' && { authorization: `Bearer ${key}` }),
        ...(cookie !== undefined && { cookie }),
        // Where the dashboard's pages send from.
        ...(/^\/v1\/(session|setup|people|invitation|connections\/github)/.test(path) && {
          origin: docent.url,
        }),
        ...(type !== undefined && { 'content-type': type }),
      },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    expect(`${response.status} ${text}`).toMatch(new RegExp(`^${errorTable[code].status} `));
    const read = JSON.parse(text) as Record<string, unknown>;
    expect(read).toMatchObject(
      path.startsWith('/v1/chat') || path.startsWith('/v1/models')
        ? { error: { code } }
        : {
            error: expect.stringMatching(/^[A-Z].*\.$/),
            code,
            requestId: response.headers.get('x-request-id'),
          },
    );
    // A method that is not there belongs to no operation.
    if (code !== 'method_not_allowed')
      expect(Object.keys(operation.responses)).toContain(String(response.status));
  }

  const keyFor = ({ security: [first = {}] }: Operation) =>
    'adminKey' in first ? admin : 'assistantKey' in first ? docent.key : '';
  /** For what no key can do. */
  const cookieFor = ({ security: [first = {}] }: Operation) =>
    'session' in first ? { cookie: owner } : {};

  const json = 'application/json';

  test('no key, the wrong kind of key, the site of others', async () => {
    for (const [, path, method, operation] of operations()) {
      if (operation.security.length === 0) continue;
      const key = keyFor(operation);
      const sent = { method, ...(operation.requestBody && { type: json, body: '{}' }) };
      await expectRefusal(path, operation, 'unauthorized', sent);
      if (key === '') continue;
      const wrong = key === admin ? docent.key : admin;
      if (!/\{(domain|projectId)\}/.test(path)) continue;
      await expectRefusal(path, operation, 'forbidden', { ...sent, key: wrong });
      // Before that, an agent's message must be one.
      const body = path.startsWith('/mcp') ? '{"jsonrpc":"2.0","id":1,"method":"ping"}' : sent.body;
      const others = {
        ...sent,
        key,
        domain: 'osprey-docs',
        project: 'osprey',
        ...(body && { body }),
      };
      await expectRefusal(path, operation, 'not_found', others);
    }
  });

  test('a body that is none', async () => {
    for (const [, path, method, operation] of operations()) {
      if (!operation.requestBody) continue;
      const sent = { method, key: keyFor(operation), ...cookieFor(operation) };
      await expectRefusal(path, operation, 'bad_request', { ...sent, type: json, body: '{' });
      await expectRefusal(path, operation, 'bad_request', { ...sent, type: json, body: '[]' });
      const form = { ...sent, type: 'text/plain', body: 'hello' };
      await expectRefusal(path, operation, 'unsupported_media_type', form);
      const large = { ...sent, type: json, body: `"${'x'.repeat(1_048_576)}"` };
      await expectRefusal(path, operation, 'too_large', large);
    }
  });

  test('a query that is none', async () => {
    for (const [, path, method, operation] of operations()) {
      if (method !== 'get' || !/^\/v1\/analytics(?!.*\{id\})|\/jobs$/.test(path)) continue;
      const query = '?dateFrom=soon&take=0';
      await expectRefusal(path, operation, 'bad_request', { method, query, key: admin });
    }
  });

  test('a method that is not there', async () => {
    for (const [, path, , operation] of operations()) {
      const key = keyFor(operation);
      await expectRefusal(path, operation, 'method_not_allowed', { method: 'put', key });
    }
  });
});
