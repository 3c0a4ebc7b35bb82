/** Agent jobs, version 1: sessions, and the stream that chat SDK 4 reads. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FailureCode, failureTable } from '@docent/shared/agent-failures';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentOf, failureOf, handOf, kestrelProject, pull } from '../support/agent.ts';
import { expectDeprecated, getJson } from '../support/call.ts';
import { releases4, renderChat4 } from '../support/chat-sdk-4.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';
import { verifies } from '../support/verifies.ts';
import { waitFor } from '../support/wait-for.ts';

let docent: TestDocent;
let agent: ReturnType<typeof agentOf>;
let hand: ReturnType<typeof handOf>;

beforeAll(async () => {
  docent = await startDocent({
    runJobs: false,
    agent: { perProjectAndHour: 1_000 },
    projects: [
      kestrelProject,
      { ...kestrelProject, id: 'kestrel-blog', site: 'kestrel-blog' },
      { ...kestrelProject, id: 'kestrel-archive', site: undefined },
    ],
  });
  agent = agentOf(docent);
  hand = handOf(docent);
});
afterAll(() => docent[Symbol.asyncDispose]());

const messages = [{ role: 'user', content: 'Document the --dry-run option' }];
const at = (rest: string) => `${docent.url}/v1/agent/kestrel${rest}`;

const create = (
  body: unknown,
  more: { headers?: Record<string, string>; signal?: AbortSignal } = {},
) =>
  fetch(at('/job'), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${docent.admin}`,
      'content-type': 'application/json',
      ...more.headers,
    },
    body: JSON.stringify(body),
    ...(more.signal && { signal: more.signal }),
  });

const session = (id: string) =>
  getJson(docent, `/v1/agent/kestrel/job/${id}`, { key: docent.admin });

/** Lines of the data stream: code and value. */
async function linesOf(response: Response): Promise<[code: string, value: unknown][]> {
  const lines = (await response.text()).split('\n').filter((line) => line !== '');
  return lines.map((line) => [line.slice(0, 1), JSON.parse(line.slice(2)) as unknown]);
}

/** What an agent does in a run, told as a runner tells it. */
async function work(id: string): Promise<void> {
  await hand.take(id);
  const todo = { id: '1', content: 'Find the page', priority: 'high' as const };
  await hand.say(
    id,
    { type: 'todos', todos: [{ ...todo, status: 'pending' }] },
    { type: 'text', text: 'I look for ' },
    { type: 'text', text: 'the page.' },
    { type: 'tool-call', id: 'call-1', name: 'read', input: '{"path":"install.md"}' },
    { type: 'tool-result', id: 'call-1', isError: false, output: '# Install' },
    { type: 'step', step: 1, inputTokens: 100, outputTokens: 10 },
    { type: 'text', text: 'I have found it.' },
    { type: 'step', step: 2, inputTokens: 200, outputTokens: 20 },
  );
}

verifies('agent-v1:create', 'create streams the run, with the headers of a session', async () => {
  const response = await create({ messages });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(response.headers.get('x-vercel-ai-data-stream')).toBe('v1');
  const id = response.headers.get('x-session-id') ?? '';
  expect(response.headers.get('x-branch-name')).toMatch(/^docent\/document-the-dry-run-option-/);
  // One record in two shapes.
  const { body } = await agent.read(id);
  expect(body).toMatchObject({
    id,
    status: 'active',
    source: { ref: response.headers.get('x-branch-name') },
  });
  await work(id);
  await hand.complete(id, pull);
  const lines = await linesOf(response);
  const texts = lines.filter(([code]) => code === '0').map(([, text]) => text);
  expect(texts.join('')).toBe(
    `I look for the page.\n\nI have found it.\n\nThe install page is right now.\n\n${pull.url}`,
  );
  expect(lines.map(([code]) => code).join('')).toBe('88800' + '9a' + '0' + '0' + '82ed');
  expect(lines[0]).toEqual([
    '8',
    [{ type: 'session', sessionId: id, branch: response.headers.get('x-branch-name') }],
  ]);
  expect(lines.at(-1)).toEqual([
    'd',
    {
      finishReason: 'stop',
      usage: { promptTokens: 300, completionTokens: 30 },
      type: 'finish',
      sessionId: id,
      pullRequestLink: pull.url,
    },
  ]);
});

test('a client that sends parts gets a message of steps', async () => {
  const parts = [{ type: 'text', text: 'Document it' }];
  const response = await create({ messages: [{ role: 'user', content: 'Document it', parts }] });
  const id = response.headers.get('x-session-id') ?? '';
  await work(id);
  await hand.complete(id, pull);
  const lines = await linesOf(response);
  expect(lines[0]).toEqual(['f', { messageId: id }]);
  expect(lines.map(([code]) => code).join('')).toBe('f88800' + '9ae' + '0e' + '0' + '82ed');
});

describe('useChat', () => {
  const newest = async () => (await agent.list('?take=1')).body.jobs[0]?.id;

  /** The first release shows annotations only once there is text, so the id is looked up. */
  async function newJobOf(append: () => Promise<unknown>): Promise<string> {
    const before = await newest();
    void append();
    return waitFor('the new job', async () => {
      const id = await newest();
      return id !== before && id;
    });
  }

  test.each(releases4)('of ai $name reads a run that ends well', async (release) => {
    using page = await renderChat4(release, { api: at('/job'), key: docent.admin });
    const id = await newJobOf(() =>
      page.chat().append({ role: 'user', content: 'Document the --dry-run option' }),
    );
    await work(id);
    await waitFor('the words', () => page.chat().messages.at(-1)?.content.includes('found it'));
    expect(page.chat().isLoading).toBe(true);
    await hand.complete(id, pull);
    const chat = await page.settled();
    expect(chat.error).toBeUndefined();
    const answer = chat.messages.at(-1);
    expect(answer?.role).toBe('assistant');
    expect(answer?.content).toContain('The install page is right now.');
    expect(answer?.content).toContain(pull.url);
    const annotated = (type: string) =>
      answer?.annotations?.filter((annotation) => annotation['type'] === type) ?? [];
    expect(annotated('todos')).toMatchObject([{ todos: [{ content: 'Find the page' }] }]);
    expect(annotated('session').at(-1)).toMatchObject({
      sessionId: id,
      haulted: true,
      haultReason: 'completed',
      pullRequestLink: pull.url,
    });
    expect(chat.data).toEqual([{ type: 'finish', sessionId: id, pullRequestLink: pull.url }]);
    expect(page.finished).toMatchObject([{ finishReason: 'stop' }]);
  });

  test.each(releases4)('of ai $name shows why a run failed', async (release) => {
    using page = await renderChat4(release, { api: at('/job'), key: docent.admin });
    const id = await newJobOf(() =>
      page.chat().append({ role: 'user', content: 'Document the --dry-run option' }),
    );
    await hand.take(id);
    await hand.fail(id, failureOf('model_failed', 'It said nothing.'));
    const { error } = await waitFor('the error', () => page.chat().error && page.chat());
    expect(error?.message).toBe('It said nothing. Try again, or use another model.');
  });
});

test('who leaves the stream does not end the job', async () => {
  const gone = new AbortController();
  const response = await create({ messages }, { signal: gone.signal });
  const id = response.headers.get('x-session-id') ?? '';
  await response.body?.getReader().read();
  gone.abort();
  await hand.take(id);
  expect((await session(id)).body).toMatchObject({ haulted: false, haultReason: 'processing' });
  await hand.complete(id, pull);
  expect((await session(id)).body).toMatchObject({ haulted: true, haultReason: 'completed' });
});

test('the same request with the same key streams the same job', async () => {
  const headers = { 'idempotency-key': 'v1' };
  const [one, two] = await Promise.all([
    create({ messages }, { headers }),
    create({ messages }, { headers }),
  ]);
  const id = one.headers.get('x-session-id') ?? '';
  expect(two.headers.get('x-session-id')).toBe(id);
  const replays = [one, two].map((each) => each.headers.get('idempotent-replay'));
  expect(new Set(replays)).toEqual(new Set(['true', null]));
  await work(id);
  await hand.complete(id, pull);
  const [first, second] = await Promise.all([linesOf(one), linesOf(two)]);
  expect(first).toEqual(second);
  const later = await linesOf(await create({ messages }, { headers }));
  expect(later).toEqual(first);
  const other = [{ role: 'user', content: 'Something else' }];
  expect((await create({ messages: other }, { headers })).status).toBe(409);
});

test('the stream and the log tell one story', async () => {
  const response = await create({
    messages: [...messages, { role: 'system', content: 'Be brief' }],
  });
  const id = response.headers.get('x-session-id') ?? '';
  await work(id);
  await hand.complete(id, pull);
  const lines = await linesOf(response);
  const log = await (await agent.follow(id)).text();
  for (const [code, value] of lines) {
    if (code === '9') expect(log).toContain((value as { toolCallId: string }).toolCallId);
  }
  expect(log).toContain('"role":"system","prompt":"Be brief"');
});

verifies(['agent-v1:read', 'agent-v1:spelling'], 'a session, however it stands', async () => {
  const { id, source, createdAt } = (await agent.create({ prompt: 'Fix it' })).body;
  expect((await session(id)).body).toEqual({
    sessionId: id,
    subdomain: 'kestrel-docs',
    branch: source.ref,
    haulted: false,
    haultReason: 'processing',
    pullRequestLink: '',
    messageToUser: '',
    todos: [],
    userId: expect.stringMatching(/^[0-9A-Z]{26}$/) as string,
    title: 'Fix it',
    createdAt,
  });
  await hand.take(id);
  await hand.complete(id, pull);
  expect((await session(id)).body).toMatchObject({
    haulted: true,
    haultReason: 'completed',
    pullRequestLink: pull.url,
    messageToUser: 'The install page is right now.',
    title: 'Fix the install page',
  });
});

verifies(
  'agent-v1:spelling',
  'github_missconfigured is a matter of access, and of nothing else',
  async () => {
    const reasons = new Map<string, FailureCode[]>();
    for (const code of Object.keys(failureTable) as FailureCode[]) {
      const { id } = (await agent.create({ prompt: 'Fix it' })).body;
      await hand.take(id);
      await hand.fail(id, failureOf(code, 'No.'));
      const reason = (await session(id)).body['haultReason'] as string;
      reasons.set(reason, [...(reasons.get(reason) ?? []), code]);
    }
    expect([...reasons.keys()].toSorted()).toEqual([
      'error',
      'github_missconfigured',
      'interrupted',
    ]);
    expect(reasons.get('interrupted')).toEqual(['cancelled']);
    expect(reasons.get('github_missconfigured')).toEqual(
      Object.entries(failureTable).flatMap(([code, kind]) => ('isAccess' in kind ? [code] : [])),
    );
  },
);

test('the document’s spellings stand where they must, and nowhere else', async () => {
  const found: string[] = [];
  for (const folder of ['server/src', 'shared/src', 'widget/src']) {
    const root = fileURLToPath(new URL(`../../${folder}`, import.meta.url));
    for (const file of await readdir(root, { recursive: true })) {
      if (!/(?<!\.test)\.tsx?$/.test(file)) continue;
      const text = await readFile(join(root, file), 'utf8');
      if (/haulted|haultReason|missconfigured/.test(text)) found.push(`${folder}/${file}`);
    }
  }
  expect(found.toSorted()).toEqual(['server/src/agent/api/v1-routes.ts', 'shared/src/agent.ts']);
});

verifies('agent-v1:list', 'allSessions, newest first, by skip and take', async () => {
  const blog = agentOf(docent, 'kestrel-blog');
  const ids: string[] = [];
  for (let made = 0; made < 14; made++)
    ids.unshift((await blog.create({ prompt: 'Fix it' })).body.id);
  const path = '/v1/agent/kestrel-blog/jobs';
  const listed = async (query: string) => {
    const { headers, body } = await getJson<{ allSessions: { sessionId: string }[] }>(
      docent,
      path + query,
      { key: docent.admin },
    );
    const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    return { ids: body.allSessions.map(({ sessionId }) => sessionId), next };
  };
  expect(await listed('')).toEqual({ ids, next: undefined });
  expect(await listed('?skip=12')).toEqual({ ids: ids.slice(12), next: undefined });
  expect(await listed('?take=14')).toEqual({ ids, next: undefined });
  expect(await listed('?skip=3&take=1000')).toEqual({ ids: ids.slice(3), next: undefined });
  expect(await listed('?skip=3&take=5')).toEqual({
    ids: ids.slice(3, 8),
    next: `${path}?skip=8&take=5`,
  });
  for (const query of ['?take=0', '?take=1001', '?skip=-1']) {
    const { status } = await getJson(docent, path + query, { key: docent.admin });
    expect(status).toBe(400);
  }
});

test('without `take`, the list ends after 1,000 sessions and links to the rest', async () => {
  const { database } = docent.docent.services;
  await agent.create({ prompt: 'Fix it' });
  const row = await database
    .selectFrom('agent_jobs')
    .selectAll()
    .where('project', '=', 'kestrel')
    .executeTakeFirstOrThrow();
  const archived = Array.from({ length: 1_001 }, (_, index) => ({
    ...row,
    id: `many-${index}`,
    project: 'kestrel-archive',
    state: 'failed' as const,
  }));
  for (let start = 0; start < archived.length; start += 100) {
    const rows = archived.slice(start, start + 100);
    await database.insertInto('agent_jobs').values(rows).execute();
  }
  const path = '/v1/agent/kestrel-archive/jobs';
  const options = { key: docent.admin };
  const first = await getJson<{ allSessions: unknown[] }>(docent, path, options);
  expect(first.body.allSessions).toHaveLength(1_000);
  expect(first.headers.get('link')).toContain(`<${path}?skip=1000&take=1000>; rel="next"`);
  const rest = await getJson<{ allSessions: unknown[] }>(docent, `${path}?skip=1000`, options);
  expect(rest.body.allSessions).toHaveLength(1);
  expect(rest.headers.get('link')).not.toContain('rel="next"');
});

describe('a session without a title of the agent has one from its instruction', () => {
  const titleOf = async (id: string) => (await session(id)).body['title'];

  test('while it runs, after an early failure, and in the list', async () => {
    const prompt = '\n# Document the `--dry-run` option\nIt is new.';
    const { id } = (await agent.create({ prompt })).body;
    expect(await titleOf(id)).toBe('Document the --dry-run option');
    await hand.take(id);
    await hand.fail(id, failureOf('forge_not_configured', 'No.'));
    expect(await titleOf(id)).toBe('Document the --dry-run option');
    const { body } = await getJson<{ allSessions: { sessionId: string; title: string }[] }>(
      docent,
      '/v1/agent/kestrel/jobs?take=1',
      { key: docent.admin },
    );
    expect(body.allSessions).toMatchObject([
      { sessionId: id, title: 'Document the --dry-run option' },
    ]);
  });

  test('at the end of its stream', async () => {
    const response = await create({ messages: [{ role: 'system', content: 'x' }, ...messages] });
    const id = response.headers.get('x-session-id') ?? '';
    await hand.take(id);
    await hand.fail(id, failureOf('model_failed', 'It said nothing.'));
    const annotations = (await linesOf(response)).filter(([code]) => code === '8');
    expect(annotations.at(-1)?.[1]).toMatchObject([
      { type: 'session', title: 'Document the --dry-run option' },
    ]);
  });
});

test.each(['docs/日本語', 'dokümente', 'docs/100%25', 'docs/a"b,c'])(
  'the header of a branch named %s is percent-encoded UTF-8',
  async (branch) => {
    const response = await create({ messages, branch });
    expect(response.status).toBe(200);
    const header = response.headers.get('x-branch-name') ?? '';
    expect(header).toMatch(/^[\x21-\x7e]+$/);
    expect(decodeURIComponent(header)).toBe(branch);
    const id = response.headers.get('x-session-id') ?? '';
    await agent.cancel(id);
    const [first] = await linesOf(response);
    expect(first).toEqual(['8', [{ type: 'session', sessionId: id, branch }]]);
  },
);

test('every response of version 1 says that it is deprecated, and what comes after it', async () => {
  const id = (await agent.create({ prompt: 'Fix it' })).body.id;
  const authorization = `Bearer ${docent.admin}`;
  for (const [path, init, status] of [
    [`/job/${id}`, { headers: { authorization } }, 200],
    ['/job/none', { headers: { authorization } }, 404],
    [`/job/${id}`, {}, 401],
    ['/jobs?take=1', { headers: { authorization } }, 200],
    ['/job', { method: 'POST', headers: { authorization } }, 415],
    ['/job', { method: 'PUT' }, 405],
  ] as const) {
    const response = await fetch(at(path), init);
    expect(response.status).toBe(status);
    expectDeprecated(response.headers, `/v2/agent/kestrel${path.replace(/\?.*/, '')}`);
  }
  expect((await agent.read(id)).headers.has('deprecation')).toBe(false);
});

test.each([
  ['no messages', {}],
  ['an empty conversation', { messages: [] }],
  ['nothing of the user', { messages: [{ role: 'system', content: 'Be brief' }] }],
  ['an empty message', { messages: [{ role: 'user', content: ' ' }] }],
  ['a role that is none', { messages: [{ role: 'tool', content: 'x' }] }],
  [
    'too long a conversation',
    { messages: [messages[0], { role: 'user', content: 'x'.repeat(100_000) }] },
  ],
  ['a model that is none', { messages, model: 'haiku' }],
  ['a branch that is none', { messages, branch: '-x' }],
])('%s is refused before anything is streamed', async (_name, body) => {
  const response = await create(body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'bad_request' });
});

test('system messages alone are refused, and the message says what to send', async () => {
  const response = await create({ messages: [{ role: 'system', content: 'Be brief' }] });
  const { error } = (await response.json()) as { error: string };
  expect(error).toContain(
    '`messages` must hold a message with the role "user" that says what to do',
  );
});

test('a branch, a draft and a model of the caller are taken', async () => {
  const response = await create({
    messages,
    branch: 'docs/dry-run',
    asDraft: true,
    model: 'sonnet',
  });
  const id = response.headers.get('x-session-id') ?? '';
  expect(response.headers.get('x-branch-name')).toBe('docs/dry-run');
  await agent.cancel(id);
  const lines = await linesOf(response);
  expect(lines.at(-1)?.[0]).toBe('3');
  expect((await session(id)).body).toMatchObject({
    branch: 'docs/dry-run',
    haultReason: 'interrupted',
  });
});
