/**
 * Generated hostile input for every endpoint that the public key opens: each response is one of ours, none
 * blames us, the event loop never stalls, and the service still answers afterwards.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toBody } from '../support/ask.ts';
import { createRandom } from '../support/random.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  maxLength?: number;
  minimum?: number;
}

interface Operation {
  security: Record<string, unknown>[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  parameters?: { name: string; in: string }[];
}

interface Endpoint {
  method: string;
  path: string;
  operation: Operation;
}

const random = createRandom(20_912);
const delay = monitorEventLoopDelay({ resolution: 1 });
let docent: TestDocent;
let operations: Endpoint[];

beforeAll(async () => {
  const high = 1_000_000;
  docent = await startDocent({
    limits: {
      perKeyAndMonth: high,
      perOrganizationAndHour: high,
      perAddressAndDay: high,
      perAddressAndMinute: false,
      perReaderAndMinute: false,
      perThreadAndMinute: false,
    },
  });
  const document = (await (await fetch(`${docent.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  operations = Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
    )
    .filter(({ operation: { security } }) => !security.some((each) => 'adminKey' in each));
  delay.enable();
});
afterAll(async () => {
  delay.disable();
  await docent[Symbol.asyncDispose]();
});

interface Sent {
  method: string;
  path: string;
  body?: string | Buffer | undefined;
  headers?: Record<string, string>;
}

/** One request, and the longest time for which it kept everyone else waiting. */
async function send({ method, path, body, headers }: Sent) {
  delay.reset();
  const before = process.cpuUsage();
  const response = await fetch(docent.url + path, {
    method: method.toUpperCase(),
    headers: {
      authorization: `Bearer ${docent.key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: body as BodyInit }),
  });
  const text = await response.text();
  // So that a turn that took long is noticed.
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  const { user, system } = process.cpuUsage(before);
  // A busy machine lengthens the delay, but not the CPU time; a long job without a stall is the other way.
  const stallMs = Math.min(delay.max / 1e6, (user + system) / 1e3);
  return { response, text, stallMs };
}

/** Ordinary text of the same length may take some time too; more than that is the hostile text's. */
const ordinary = new Map<Endpoint, number>();
async function mostFor(endpoint: Endpoint): Promise<number> {
  const known = ordinary.get(endpoint);
  if (known !== undefined) return known;
  const runs = [];
  for (let run = 0; run < 3; run++)
    runs.push(await send(meant(endpoint, fillWith('Kestrel and '))));
  const mostMs = 100 + 3 * Math.min(...runs.map(({ stallMs }) => stallMs));
  ordinary.set(endpoint, mostMs);
  return mostMs;
}

async function expectHarmless(endpoint: Endpoint, sent: Sent, text: string): Promise<void> {
  const what = `${sent.method} ${sent.path.slice(0, 80)} with ${JSON.stringify(text.slice(0, 60))}`;
  const mostMs = await mostFor(endpoint);
  let stallMs = Infinity;
  // Collecting garbage may fall on any request.
  for (let attempt = 0; attempt < 3 && stallMs > mostMs; attempt++) {
    const { response, text: reply, stallMs: took } = await send(sent);
    stallMs = Math.min(stallMs, took);
    expectOurs(what, response, reply);
  }
  expect(stallMs, what).toBeLessThan(mostMs);
}

function expectOurs(what: string, response: Response, reply: string): void {
  const { status } = response;
  expect(status >= 200 && status < 500, `${what}: ${status} ${reply.slice(0, 200)}`).toBe(true);
  expect(reply, what).not.toMatch(/"code\\?":\\?"(internal|unavailable|upstream_failed)/);
  if (status < 400) return;
  const body = JSON.parse(reply) as Record<string, unknown>;
  const error = typeof body['error'] === 'object' ? body['error'] : body;
  expect(error, what).toMatchObject({
    code: expect.stringMatching(/^[a-z_]+$/) as string,
    requestId: response.headers.get('x-request-id'),
  });
  expect(JSON.stringify(body), what).not.toMatch(/node_modules|\bat .+:\d+:\d+|ZodError|SQLITE/);
}

const longest = 20_000;
const fillWith = (seed: string, length = longest) =>
  seed.repeat(Math.ceil(length / seed.length)).slice(0, length);

/** What regular expressions, parsers, and normalizers have stumbled over, here and elsewhere. */
const seeds = [
  '-eyJ',
  'eyJ.',
  '<a ',
  '<!--',
  '<doc>',
  '</',
  '{#a.a.a',
  '.a',
  '[',
  ']',
  '](',
  '![',
  '`',
  '``` ',
  '(',
  ')',
  '((a',
  '{',
  '{{',
  '>',
  '> ',
  '- ',
  '* ',
  '**',
  '_a_',
  '|',
  '|-',
  '#',
  '\\',
  '\\u',
  '"',
  "'",
  'a@',
  'a.',
  'a@a.',
  '://a:',
  'password=',
  'Bearer ',
  'sk-',
  '-----BEGIN ',
  '4111 ',
  '1',
  '%E0%A4%A',
  '\n',
  '\r',
  '\t',
  ' ',
  ' \n',
  '\u00a0',
  '\u0000',
  '\u0301',
  '\ud800',
  '\udc00',
  '\u202e',
  '\ufeff',
  '\u{e0041}',
  '\u{1f468}\u200d',
  '\u4e2d',
  '\u0e01',
  'ﷺ',
  'İ',
  'ß',
  'a',
  'aA',
  'ab1 ',
  'a-',
  'a/',
  '../',
  'and it ',
  'is there ',
  'why? ',
  '¿y ',
  "' or 1=1 --",
  '${a}',
  '%s',
  '__proto__',
  '[REDACTED',
  '[1]',
];
const mixed = Array.from({ length: 8 }, () =>
  Array.from({ length: 2 + random.below(6) }, () => random.pick(seeds)).join(''),
);

/** What an endpoint does most work for: as much text as it takes, wherever it takes some. */
const meant = ({ method, path, operation }: Endpoint, text: string): Sent => ({
  method,
  path: atSite(path),
  body: operation.requestBody && JSON.stringify(meantBody(path, text)),
});

function meantBody(path: string, text: string): object {
  const question = `How do I install Kestrel? ${text.slice(0, 7_970)}`;
  const part = (length: number) => text.slice(0, length);
  const turns = Array.from({ length: 4 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: part(10_000),
  }));
  const filter = { version: part(200), language: part(200), tag: part(200) };
  if (path.startsWith('/mcp')) {
    const args = {
      query: `install ${part(1_980)}`,
      path: part(2_000),
      rating: 'up',
      note: part(1_000),
    };
    const name = random.pick(['search', 'read_page', 'submit_feedback', part(100)]);
    return {
      jsonrpc: '2.0',
      id: part(100),
      method: 'tools/call',
      params: { name, arguments: args },
    };
  }
  if (path.includes('/search/')) return { query: `install ${part(1_980)}`, pageSize: 50 };
  if (path.includes('/page/')) return { path: `/${part(1_990)}`, filter };
  if (path.includes('/feedback/')) {
    return {
      fp: part(200),
      path: '/install',
      rating: 'down',
      note: part(1_000),
      reasons: ['other'],
    };
  }
  const messages = [...turns, { role: 'user', content: question }];
  if (path.includes('completions')) return { model: 'kestrel-docs', messages, user: part(200) };
  const value = part(19_900);
  return {
    ...toBody('', {
      fp: part(200) || 'a',
      currentPath: part(200),
      retrievalPageSize: 50,
      messages,
    }),
    context: Array.from({ length: 2 }, () => ({ type: 'code', value, path: part(100) })),
  };
}

const atSite = (path: string) => path.replace('{domain}', 'kestrel-docs').replace('{id}', 'none');
const withBody = () => operations.filter(({ operation }) => operation.requestBody);

test('regex killers and strange characters, as long as each endpoint takes them', async () => {
  // What accounts of the dashboard take is short: the next test fills it.
  const ofReaders = withBody().filter(({ path }) => /^\/(discovery|mcp|v1\/chat)\//.test(path));
  // Three protocols give their texts to one answer: they take turns.
  const answering = ofReaders.filter(({ path }) => /message$|completions$/.test(path));
  expect([ofReaders.length, answering.length]).toEqual([8, 3]);
  const others = ofReaders.filter((endpoint) => !answering.includes(endpoint));
  for (const [at, seed] of [...seeds, ...mixed].entries()) {
    const text = fillWith(seed);
    for (const endpoint of [...others, ...answering.slice(at % 3, (at % 3) + 1)]) {
      await expectHarmless(endpoint, meant(endpoint, text), text);
    }
  }
}, 240_000);

/** A body as the API describes it, with hostile text in every string and hostile values anywhere. */
function filled(schema: Schema, text: string, depth = 0): unknown {
  if (random.isTrue(0.04)) return random.pick(oddities)();
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  if (schema.anyOf) return filled(random.pick(schema.anyOf), text, depth);
  const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type;
  if (type === 'string')
    return text.slice(0, random.isTrue(0.8) ? (schema.maxLength ?? 8_000) : 8_001);
  if (type === 'array') {
    const count = random.below(4);
    return Array.from({ length: count }, () => filled(schema.items ?? {}, text, depth + 1));
  }
  if (type === 'object') {
    const fields = Object.entries(schema.properties ?? {}).filter(() => random.isTrue(0.8));
    return Object.fromEntries([
      ...fields.map(([name, each]) => [name, filled(each, text, depth + 1)] as const),
      ...(random.isTrue(0.2) ? [[text.slice(0, 100), random.pick(oddities)()] as const] : []),
    ]);
  }
  if (type === 'number' || type === 'integer')
    return random.pick([schema.minimum ?? 1, -1, 1e308, 0.5]);
  if (type === 'boolean') return random.isTrue(0.5);
  return type === 'null' ? null : text.slice(0, 500);
}

const nested = (open: string, close: string, levels: number) =>
  JSON.parse(`${open.repeat(levels)}1${close.repeat(levels)}`) as unknown;
const oddities: (() => unknown)[] = [
  () => null,
  () => '',
  () => [],
  () => ({}),
  () => 1e308,
  () => nested('[', ']', 2_000),
  () => nested('{"a":', '}', 2_000),
  () => Array.from({ length: 20_000 }, () => 0),
  () => Array.from({ length: 2_000 }, (_, index) => ({ [`key ${index}`]: index })),
  () => JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":1}}') as unknown,
  () => random.pick(seeds).repeat(1_000),
];

test('bodies as the API describes them, with a hostile value somewhere', async () => {
  for (const endpoint of withBody()) {
    const { method, path, operation } = endpoint;
    const schema = operation.requestBody?.content['application/json']?.schema ?? {};
    for (let round = 0; round < 40; round++) {
      const body = JSON.stringify(
        filled(schema, fillWith(random.pick([...seeds, ...mixed]), 8_001)),
      );
      await expectHarmless(endpoint, { method, path: atSite(path), body }, body);
    }
  }
}, 120_000);

test('bodies that are no JSON, broken, deep, or endless', async () => {
  const bodies: [name: string, body: string | Buffer][] = [
    ['nothing', ''],
    ['a byte-order mark', '\ufeff{}'],
    ['cut off', '{"fp":"a","messages":[{"role":"us'],
    ['a broken escape', String.raw`{"fp":"\ud800\u12","messages":[]}`],
    [
      'half a character',
      String.raw`{"fp":"\udc00","messages":[{"role":"user","content":"\ud83d"}]}`,
    ],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0x22])],
    [
      'no UTF-8 in a field',
      Buffer.concat([
        Buffer.from('{"fp":"'),
        Buffer.from([0xc3, 0x28]),
        Buffer.from('","messages":[]}'),
      ]),
    ],
    ['deep lists', '['.repeat(500_000)],
    ['deep lists that end', '['.repeat(450_000) + ']'.repeat(450_000)],
    ['deep objects', '{"a":'.repeat(190_000)],
    ['many keys', `{${Array.from({ length: 60_000 }, (_, index) => `"${index}":0`).join()}}`],
    ['many equal keys', `{${'"fp":"a",'.repeat(100_000)}"fp":"b"}`],
    ['a long number', `{"fp":${'9'.repeat(900_000)}}`],
    ['a list of lists', `[${'[],'.repeat(300_000)}[]]`],
    ['empty messages', `{"fp":"a","messages":[${'{},'.repeat(300_000)}{}]}`],
    ['too large', ' '.repeat(1_100_000)],
  ];
  // One parser reads them for all endpoints: each meets some of the bodies, and each body some endpoints.
  for (const [at, endpoint] of withBody().entries()) {
    const { method, path } = endpoint;
    for (const [name, body] of bodies.filter((_, index) => (at + index) % 4 === 0))
      await expectHarmless(endpoint, { method, path: atSite(path), body }, name);
  }
}, 120_000);

test('paths, queries, and headers', async () => {
  const texts = [...seeds, ...mixed].map((seed) => fillWith(seed, 1_500));
  const inPath = (text: string) => encodeURIComponent(text.toWellFormed());
  for (const endpoint of operations) {
    const { method, path, operation } = endpoint;
    const [body, some] = [operation.requestBody && '{}', texts.filter(() => random.isTrue(0.1))];
    for (const text of [...some, '..', '.', ' ', 'none']) {
      const names = (operation.parameters ?? []).filter((each) => each.in === 'query');
      const query = names.map(({ name }) => `${name}=${inPath(text)}`).join('&');
      const field = inPath(text).slice(0, 1_000);
      const headers = {
        'x-fp': field,
        'x-thread-id': field,
        'idempotency-key': field.slice(0, 255),
      };
      for (const at of [
        `${path.replace('{domain}', 'kestrel-docs').replace('{id}', inPath(text))}?${query}`,
        `${path.replace('{domain}', inPath(text)).replace('{id}', 'none')}`,
        `${path.replace(/\{\w+\}/, '%E0%A4%A')}?skip=%E0%A4%A`,
      ]) {
        await expectHarmless(endpoint, { method, path: at, body, headers }, text);
      }
    }
  }
}, 120_000);

test('afterwards, the service answers as before', async () => {
  expect((await fetch(`${docent.url}/healthz`)).status).toBe(200);
  const { status, text } = await docent.ask('How do I install Kestrel?');
  expect([status, text.includes('kestrel')]).toEqual([200, true]);
});
