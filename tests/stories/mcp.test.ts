/** The Model Context Protocol, spoken by its own client over HTTP. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postJson } from '../support/call.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';

let docent: TestDocent;

beforeAll(async () => {
  docent = await startDocent({ groups: ['a'] });
});
afterAll(() => docent[Symbol.asyncDispose]());

interface ConnectOptions {
  to?: TestDocent;
  domain?: string;
  key?: string;
  headers?: Record<string, string>;
}

async function connect({
  to = docent,
  domain = 'kestrel-docs',
  key = to.key,
  headers,
}: ConnectOptions = {}) {
  const client = new Client({ name: 'tests', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(`${to.url}/mcp/${domain}`), {
    requestInit: { headers: { authorization: `Bearer ${key}`, ...headers } },
  });
  // Its types do not know of exact optional properties.
  await client.connect(transport as Transport);
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

type Client_ = Awaited<ReturnType<typeof connect>>;

interface ToolResult {
  isError?: boolean;
  content: { type: string; text: string }[];
  structuredContent?: Record<string, unknown>;
}

const call = async (client: Client_, name: string, args: Record<string, unknown>) =>
  (await client.callTool({ name, arguments: args })) as ToolResult;

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'tests', version: '1' },
  },
};

describe('a client', () => {
  test('is told what the server is for', async () => {
    await using client = await connect();
    expect(client.getServerVersion()).toMatchObject({ name: 'docent-kestrel-docs' });
    expect(client.getInstructions()).toContain('Kestrel');
    expect(client.getServerCapabilities()?.tools).toBeDefined();
  });

  test('lists the tools, each with a description, schemas and what it does to the world', async () => {
    await using client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual([
      'read_page',
      'search',
      'submit_feedback',
    ]);
    for (const tool of tools) {
      expect(tool.title).toContain('Kestrel');
      expect(tool.description?.length).toBeGreaterThan(60);
      expect(tool.inputSchema.type).toBe('object');
      expect(tool.outputSchema?.type).toBe('object');
      const fields = Object.values(tool.inputSchema.properties ?? {}) as { description?: string }[];
      expect(fields.map((field) => field.description?.length ?? 0).filter((n) => n < 20)).toEqual(
        [],
      );
    }
    expect(tools.find(({ name }) => name === 'search')).toMatchObject({
      inputSchema: { required: ['query'] },
      annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    });
  });

  test('searches, and reads the page it found', async () => {
    await using client = await connect();
    const found = await call(client, 'search', { query: 'How do I uninstall Kestrel?' });
    expect(found.isError).toBeFalsy();
    const { results } = found.structuredContent as {
      results: { path: string; metadata: object }[];
    };
    expect(results[0]).toMatchObject({
      path: '/install',
      metadata: { url: 'https://docs.kestrel.example/install#uninstall' },
    });
    expect(found.content[0]?.text).toContain('https://docs.kestrel.example/install#uninstall');
    expect(found.content[0]?.text).toContain('kestrel-setup remove');

    const read = await call(client, 'read_page', { path: results[0]?.path });
    expect(read.structuredContent).toMatchObject({ path: '/install' });
    expect(read.content[0]?.text).toContain('## Install on Windows');
  });

  test('narrows a search', async () => {
    await using client = await connect();
    const one = await call(client, 'search', { query: 'Kestrel', pageSize: 1 });
    expect(one.structuredContent?.['results']).toHaveLength(1);
    const none = await call(client, 'search', { query: 'Kestrel', filter: { tag: 'none' } });
    expect(none.structuredContent).toEqual({ results: [] });
    expect(none.content[0]?.text).toContain('Nothing was found');
  });
});

test('tells the owner what is missing on a page', async () => {
  await using client = await connect();
  const given = await call(client, 'submit_feedback', {
    path: '/install',
    rating: 'down',
    reasons: ['incomplete'],
    note: 'Says nothing of containers. Ask me at jane@canary.example.',
  });
  expect(given.structuredContent).toMatchObject({ path: '/install', rating: 'down' });
  const rows = await docent.docent.services.database.selectFrom('feedback').selectAll().execute();
  expect(rows).toMatchObject([{ domain: 'kestrel-docs', path: '/install', fp: 'anonymous' }]);
  expect(rows[0]?.note).toContain('Says nothing of containers');
  expect(rows[0]?.note).not.toContain('jane@');
  const none = await call(client, 'submit_feedback', { path: '/none', rating: 'up' });
  expect(none.isError).toBe(true);
});

describe('what fails is an answer of the tool', () => {
  test.each<[string, string, Record<string, unknown>, RegExp]>([
    ['a page that is not there', 'read_page', { path: '/none' }, /^There is no page at this path/],
    ['a page of another site', 'read_page', { path: 'https://osprey.example/install' }, /no page/],
    ['no query', 'search', {}, /query/],
    ['a filter with a typo', 'search', { query: 'a', filter: { verison: '1' } }, /verison/],
    ['a tool that is not there', 'delete_everything', {}, /not found/],
  ])('%s', async (_what, tool, args, message) => {
    await using client = await connect();
    const result = await call(client, tool, args);
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toMatch(message);
  });

  test('a fault of ours says nothing about itself', async () => {
    await using broken = await startDocent();
    await using client = await connect({ to: broken });
    broken.docent.services.retriever.search = () => Promise.reject(new Error('secret stack'));
    const result = await call(client, 'search', { query: 'install' });
    expect(result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'Something went wrong on our side.' }],
    });
  });

  test('what only some groups may read is not there for others', async () => {
    await docent.docent.services.retriever.apply('kestrel-docs', {
      upsert: [
        { path: '/secret', title: 'Secret', markdown: 'x', hash: 'x', groups: ['a'], passages: [] },
      ],
      remove: [],
    });
    await using client = await connect();
    expect(await call(client, 'read_page', { path: '/secret' })).toMatchObject({ isError: true });
    const allowed = await call(client, 'read_page', { path: '/secret', filter: { groups: ['a'] } });
    expect(allowed.isError).toBeFalsy();
  });
});

describe('what is refused before a tool is reached', () => {
  const refusal = (options: ConnectOptions) =>
    connect(options).then(
      () => 'connected',
      (error: Error) => error.message,
    );

  test('a wrong key, and the site of another organization', async () => {
    const { keys } = docent;
    const admin = await keys.create({ kind: 'admin', organization: 'kestrel', name: 'a' });
    expect(await refusal({ key: 'svc_dsc_none' })).toContain('unauthorized');
    expect(await refusal({ key: admin.token })).toContain('forbidden');
    expect(await refusal({ domain: 'osprey-docs' })).toContain('not_found');
    expect(await refusal({ domain: 'kestrel-blog' })).toContain('not_found');
  });

  test('a page of an origin that the site does not allow: no DNS rebinding', async () => {
    const from = (origin: string) =>
      postJson(docent, '/mcp/kestrel-docs', initialize, { headers: { origin } });
    expect(await from('https://evil.example')).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    });
    expect((await from('http://localhost:6274')).status).toBe(403);
    const allowed = await from('https://docs.kestrel.example');
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://docs.kestrel.example');
  });

  test.each<[string, unknown, Record<string, string>]>([
    ['no JSON-RPC', { hello: 1 }, {}],
    ['several at once', [initialize, initialize], {}],
    ['a version that there is not', initialize, { 'mcp-protocol-version': '1999-01-01' }],
  ])('%s', async (_what, body, headers) => {
    const { status, body: answer } = await postJson(docent, '/mcp/kestrel-docs', body, { headers });
    expect(status).toBe(400);
    expect(answer).toMatchObject({ code: 'bad_request', requestId: expect.any(String) });
  });

  test.each(['GET', 'DELETE'])('%s: there is no stream and no session', async (method) => {
    const headers = { authorization: `Bearer ${docent.key}` };
    const response = await fetch(`${docent.url}/mcp/kestrel-docs`, { method, headers });
    expect(response.status).toBe(405);
  });
});

test('a call counts as a search does and uses up no question; listing the tools counts for nothing', async () => {
  await using limited = await startDocent({ limits: { perKeyAndMonth: 2, perAddressAndDay: 20 } });
  await using client = await connect({ to: limited });
  await client.listTools();
  expect((await call(client, 'search', { query: 'install' })).isError).toBeFalsy();
  expect((await call(client, 'read_page', { path: '/install' })).isError).toBeFalsy();
  await expect(call(client, 'search', { query: 'install' })).rejects.toThrow(/rate_limited/);
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  const search = { query: 'install' };
  expect((await postJson(limited, '/discovery/v1/search/kestrel-docs', search)).status).toBe(429);
  expect((await limited.ask('How do I install Kestrel?')).status).toBe(200);
});

test('many at once, each its own answer', async () => {
  await using client = await connect();
  const words = ['install', 'calibrate', 'storm alerts', 'uninstall', 'Windows'];
  const asked = Array.from({ length: 40 }, (_, index) => words[index % words.length] ?? '');
  const alone = new Map<string, unknown>();
  for (const query of words) {
    alone.set(query, (await call(client, 'search', { query })).structuredContent);
  }
  const answers = await Promise.all(asked.map((query) => call(client, 'search', { query })));
  expect(answers.map((answer) => answer.structuredContent)).toEqual(
    asked.map((query) => alone.get(query)),
  );
});
