/** Every error that the service answers with, and that all of them have one shape. */
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type ErrorCode, errorTable } from '@docent/shared/errors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toBody } from '../support/ask.ts';
import { serve, writeConfig } from '../support/cli.ts';
import { kestrel, temporaryFolder } from '../support/fixture.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

let docent: TestDocent;
let adminKey: string;
const site = 'https://docs.kestrel.example';
const path = '/discovery/v2/assistant/kestrel-docs/message';

beforeAll(async () => {
  docent = await startDocent();
  const made = await docent.keys.create({ kind: 'admin', organization: 'kestrel', name: 'admin' });
  adminKey = made.token;
});
afterAll(() => docent[Symbol.asyncDispose]());

interface Case {
  method?: string;
  path?: string;
  key?: string | undefined;
  headers?: Record<string, string>;
  body?: BodyInit;
}

function send({ method = 'POST', path: at = path, key = docent.key, headers, body }: Case) {
  return fetch(docent.url + at, {
    method,
    headers: { ...(key !== '' && { authorization: `Bearer ${key}` }), ...headers },
    ...(body !== undefined && { body }),
  });
}

const json = { 'content-type': 'application/json' };
const good = JSON.stringify(toBody('How do I install Kestrel?'));
const tooLarge = JSON.stringify({ ...toBody('x'), padding: 'x'.repeat(1_048_576) });

/** What a body of ours never holds: traces, paths, names of libraries and their phrases. */
const internals =
  /node_modules|\.ts\b|\.js\b|\\n *at |stack|express|zod|body-parser|kysely|sqlite|pino|SyntaxError|TypeError|Unexpected token|undefined|<html|<pre/i;

async function expectError(response: Response, code: ErrorCode): Promise<Record<string, unknown>> {
  const text = await response.text();
  expect(text).not.toMatch(internals);
  const body = JSON.parse(text) as Record<string, unknown>;
  expect(body['code']).toBe(code);
  expect(response.status).toBe(errorTable[code].status);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('x-powered-by')).toBeNull();
  const allowed = new Set(['error', 'code', 'requestId', 'retryAfter', 'details']);
  expect(Object.keys(body).filter((name) => !allowed.has(name))).toEqual([]);
  expect(body['error']).toMatch(/^[A-Z].*[.…]$/);
  expect(body['requestId']).toBe(response.headers.get('x-request-id'));
  expect(body['requestId']).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  return body;
}

describe('one flat shape', () => {
  test.each<[string, Case, ErrorCode]>([
    ['unknown path', { path: '/nowhere', method: 'GET' }, 'not_found'],
    ['unknown version', { path: '/discovery/v9/assistant/kestrel-docs/message' }, 'not_found'],
    ['a path that ends in a slash', { path: `${path}/` }, 'not_found'],
    ['another case', { path: path.replace('message', 'MESSAGE') }, 'not_found'],
    ['health in another case', { path: '/HEALTHZ', method: 'GET' }, 'not_found'],
    ['health with a slash', { path: '/healthz/', method: 'GET' }, 'not_found'],
    ['path climbing', { path: '/widget/..%2f..%2fpackage.json', method: 'GET' }, 'not_found'],
    ['a widget file that is not there', { path: '/widget/none.js', method: 'GET' }, 'not_found'],
    ['bad percent-encoding', { path: '/discovery/v2/assistant/%E0%A4%A/message' }, 'bad_request'],
    ['bad percent-encoding elsewhere', { path: '/%E0%A4%A', method: 'GET' }, 'not_found'],
    ['no key', { key: '', headers: json, body: good }, 'unauthorized'],
    ['an admin key', { headers: json, body: good }, 'forbidden'],
    ['bad JSON', { headers: json, body: '{"fp":' }, 'bad_request'],
    ['JSON that is no object', { headers: json, body: '"hello"' }, 'bad_request'],
    ['a list', { headers: json, body: '[]' }, 'bad_request'],
    ['null', { headers: json, body: 'null' }, 'bad_request'],
    ['no body', { headers: json }, 'bad_request'],
    ['nothing at all', {}, 'unsupported_media_type'],
    ['a text', { headers: { 'content-type': 'text/plain' }, body: good }, 'unsupported_media_type'],
    ['a form', { body: new URLSearchParams({ fp: 'a' }) }, 'unsupported_media_type'],
    ['no type', { body: new Blob([good]) }, 'unsupported_media_type'],
    [
      'another charset',
      { headers: { 'content-type': 'application/json; charset=latin1' }, body: good },
      'unsupported_media_type',
    ],
    [
      'an encoding we do not know',
      { headers: { ...json, 'content-encoding': 'compress' }, body: good },
      'unsupported_media_type',
    ],
    [
      'gzip that is none',
      { headers: { ...json, 'content-encoding': 'gzip' }, body: good },
      'bad_request',
    ],
    ['over 1 MB', { headers: json, body: tooLarge }, 'too_large'],
    [
      'over 1 MB, packed',
      { headers: { ...json, 'content-encoding': 'gzip' }, body: gzipSync(tooLarge) },
      'too_large',
    ],
    [
      'an unknown thread',
      { headers: json, body: withThread('01ARZ3NDEKTSV4RRFFQ69G5FAV') },
      'not_found',
    ],
  ])('%s', async (what, request, code) => {
    const key = what === 'an admin key' ? adminKey : request.key;
    await expectError(await send({ ...request, key }), code);
  });
});

function withThread(threadId: string): string {
  return JSON.stringify({ ...toBody('How do I install Kestrel?'), threadId });
}

test('a packed body is read', async () => {
  const headers = { ...json, 'content-encoding': 'gzip' };
  expect((await send({ headers, body: gzipSync(good) })).status).toBe(200);
});

describe('a method that is not there', () => {
  test.each([
    ['GET', path, 'POST, OPTIONS'],
    ['PUT', path, 'POST, OPTIONS'],
    ['DELETE', path, 'POST, OPTIONS'],
    ['POST', `${path}/some-id/stream`, 'GET, OPTIONS'],
    ['POST', '/discovery/v1/site/kestrel-docs', 'GET, OPTIONS'],
    ['POST', '/healthz', 'GET, OPTIONS'],
    ['DELETE', '/readyz', 'GET, OPTIONS'],
  ])('%s %s', async (method, at, allow) => {
    const response = await send({ method, path: at });
    expect(response.headers.get('allow')).toBe(allow);
    await expectError(response, 'method_not_allowed');
  });

  test('a method that HTTP does not know either', async () => {
    const { body } = await sendBytes('NONSENSE / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(body).toMatchObject({ code: 'bad_request' });
  });
});

describe('broken HTTP', () => {
  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400, 'bad_request'],
    [
      'two lengths',
      `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`,
      400,
      'bad_request',
    ],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost: a\r\nbroken\r\n\r\n', 400, 'bad_request'],
    [
      'headers of 40 kB',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`,
      413,
      'too_large',
    ],
  ])('%s', async (_what, bytes, status, code) => {
    const answer = await sendBytes(bytes);
    expect(answer.status).toBe(status);
    expect(answer.head).toMatch(/^content-type: application\/json; charset=utf-8$/im);
    expect(Object.keys(answer.body)).toEqual(['error', 'code', 'requestId']);
    expect(answer.body['code']).toBe(code);
    expect(answer.head).toMatch(
      new RegExp(`^x-request-id: ${answer.body['requestId'] as string}$`, 'im'),
    );
  });
});

/** Bytes that `fetch` would never send. */
async function sendBytes(bytes: string) {
  const socket = connect(Number(new URL(docent.url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.end(bytes);
  let raw = '';
  for await (const piece of socket.setEncoding('utf8')) raw += piece as string;
  const [head = '', body = '{}'] = raw.split('\r\n\r\n');
  return {
    head: head.replaceAll('\r\n', '\n'),
    status: Number(head.split(' ')[1]),
    body: JSON.parse(body) as Record<string, unknown>,
  };
}

describe('request ids', () => {
  test.each(['caller-0001', 'A.b_c-123', 'x'.repeat(128)])('%s is kept', async (id) => {
    const response = await send({ path: '/nowhere', headers: { 'x-request-id': id } });
    expect(response.headers.get('x-request-id')).toBe(id);
    expect(await response.json()).toMatchObject({ requestId: id });
  });

  test.each([
    'short',
    'x'.repeat(129),
    'with a space',
    'semi;colon;',
    '<script>alert',
    '{"a":"b"}',
  ])('%s is replaced', async (id) => {
    const response = await send({ path: '/nowhere', headers: { 'x-request-id': id } });
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  });

  test.each(['/healthz', '/readyz', '/nowhere'])('%s has one', async (at) => {
    const response = await send({ method: 'GET', path: at });
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  });
});

describe('pages of other origins', () => {
  const cors = (response: Response) => response.headers.get('access-control-allow-origin');

  test.each([site, 'https://pr-7.preview.kestrel.example'])('%s may ask', async (origin) => {
    const response = await send({ headers: { ...json, origin }, body: good });
    expect(response.status).toBe(200);
    expect(cors(response)).toBe(origin);
  });

  test.each<[string, Case, ErrorCode]>([
    ['no key', { key: '', body: good }, 'unauthorized'],
    ['a bad body', { body: '{}' }, 'bad_request'],
    ['bad JSON', { body: '{' }, 'bad_request'],
    ['a body too large', { body: tooLarge }, 'too_large'],
    ['another method', { method: 'PUT', body: good }, 'method_not_allowed'],
    ['an unknown path', { path: '/discovery/v2/assistant/kestrel-docs/none' }, 'not_found'],
  ])('may read the error: %s', async (_what, request, code) => {
    const response = await send({ ...request, headers: { ...json, origin: site } });
    expect(cors(response)).toBe(site);
    expect(response.headers.get('access-control-expose-headers')).toContain('X-Request-Id');
    expect(response.headers.get('vary')).toContain('Origin');
    await expectError(response, code);
  });

  test.each([
    'https://evil.example',
    'https://docs.kestrel.example.evil.example',
    'http://docs.kestrel.example',
    'https://docs.kestrel.example:8443',
    'https://preview.kestrel.example',
    'https://evilpreview.kestrel.example',
    'null',
  ])('%s may not, and may read why', async (origin) => {
    const response = await send({ headers: { ...json, origin }, body: good });
    expect(cors(response)).toBe(origin);
    expect(response.headers.get('vary')).toContain('Origin');
    const { error } = await expectError(response, 'forbidden');
    expect(error).toContain(origin === 'null' ? 'has no origin' : origin);
    expect(error).toMatch(origin === 'null' ? 'over HTTP' : '`allowedOrigins`');
  });

  test('a refusal leaves a line in the log, and a wrong setting one at the start', async () => {
    await using folder = await temporaryFolder();
    const file = await writeConfig(folder.path, {
      server: { port: 0 },
      sites: [{ ...kestrel, allowedOrigins: ['https://docs.example.com'] }],
    });
    await using server = await serve(file);
    const lines = () =>
      server.output.stderr
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines()).toContainEqual(
      expect.objectContaining({
        level: 40,
        domain: 'kestrel-docs',
        origin: 'https://docs.kestrel.example',
        msg: expect.stringContaining('`allowedOrigins`') as string,
      }),
    );
    const ask = (origin: string, domain = 'kestrel-docs') =>
      fetch(`${server.url}/discovery/v1/site/${domain}`, {
        headers: { origin, authorization: 'Bearer svc_dsc_YOUR_KEY' },
      });
    for (let sent = 0; sent < 20; sent++) await ask('https://evil.example');
    await ask('https://docs.example.com', 'kestrel-dosc');
    await ask('https://docs.example.com');
    const refusals = await waitFor('the lines', () => {
      const found = lines().filter(({ msg }) => msg === 'a page was refused');
      return found.length >= 3 && found;
    });
    const path = '/discovery/v1/site/kestrel-docs';
    expect(refusals).toMatchObject([
      { level: 40, origin: 'https://evil.example', path, code: 'forbidden' },
      { level: 40, origin: 'https://docs.example.com', path: '/discovery/v1/site/kestrel-dosc' },
      { level: 40, origin: 'https://docs.example.com', path, code: 'unauthorized' },
    ]);
    expect(refusals[0]?.['reason']).toContain('`allowedOrigins`');
    expect(refusals[2]?.['reason']).toContain('API key');
  });

  test('what a browser asks first', async () => {
    const ask = (origin: string) =>
      send({
        method: 'OPTIONS',
        key: '',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type,user-agent,x-own',
        },
      });
    const allowed = await ask(site);
    expect(allowed.status).toBe(204);
    expect(cors(allowed)).toBe(site);
    expect(allowed.headers.get('access-control-allow-methods')).toBe('GET,POST,DELETE');
    expect(allowed.headers.get('access-control-allow-headers')).toBe(
      'authorization,content-type,user-agent,x-own',
    );
    expect(allowed.headers.get('access-control-max-age')).toBe('600');
    // Otherwise a browser hides from the page and its owner why it is refused.
    const other = await ask('https://evil.example');
    expect([other.status, cors(other)]).toEqual([204, 'https://evil.example']);
  });

  test('the health paths answer no page', async () => {
    const response = await send({ method: 'GET', path: '/healthz', headers: { origin: site } });
    expect(cors(response)).toBeNull();
  });
});

test('health', async () => {
  expect(await (await send({ method: 'GET', path: '/healthz' })).json()).toEqual({ status: 'ok' });
  expect(await (await send({ method: 'GET', path: '/readyz' })).json()).toEqual({
    status: 'ready',
  });
  expect((await send({ method: 'HEAD', path: '/healthz' })).status).toBe(200);
});

describe('a fault of ours', () => {
  test('says nothing about itself, and the service goes on', async () => {
    await using broken = await startDocent();
    const { database } = broken.docent.services;
    await database.schema.alterTable('turns').renameTo('turns_secret_name').execute();
    const response = await broken.post(toBody('How do I install Kestrel?'), {
      headers: { origin: site },
    });
    expect(response.headers.get('access-control-allow-origin')).toBe(site);
    const body = await expectError(response, 'internal');
    expect(body['error']).toBe('Something went wrong on our side.');
    expect(JSON.stringify(body)).not.toContain('turns');
    await database.schema.alterTable('turns_secret_name').renameTo('turns').execute();
    expect((await broken.ask('How do I install Kestrel?')).status).toBe(200);
  });

  test('a service that cannot read its database is not ready, but alive', async () => {
    await using broken = await startDocent();
    await broken.docent.services.database.destroy();
    await expectError(await fetch(`${broken.url}/readyz`), 'unavailable');
    expect((await fetch(`${broken.url}/healthz`)).status).toBe(200);
  });
});
