/** What the description of the API says about bodies is what the service takes: nothing more, nothing less. */
import { permissions } from '@docent/server/permissions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentOf, handOf, kestrelProject } from '../support/agent.ts';
import { openApiOf } from '../support/check-openapi.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';

let docent: TestDocent;
let api: Awaited<ReturnType<typeof openApiOf>>;
const gone = new AbortController();

beforeAll(async () => {
  docent = await startDocent({
    runJobs: false,
    agent: { perProjectAndHour: 10_000 },
    limits: { perAddressAndMinute: 10_000, perReaderAndMinute: 10_000, perThreadAndMinute: 10_000 },
    projects: [kestrelProject],
  });
  api = await openApiOf(docent.url);
});
afterAll(async () => {
  gone.abort();
  await docent[Symbol.asyncDispose]();
});

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const text = 'How do I install Kestrel?';
const filter = { version: '2', language: 'en', groups: [], tag: 'guide' };
const context = [{ type: 'code', value: 'npm i', path: '/install', elementId: 'npm' }];
const question = { role: 'user', content: text };
const reader = {
  fp: 'anonymous',
  messages: [
    { id: 'a', role: 'user', content: 'x', parts: [{ type: 'text', text: 'x' }] },
    { ...question, parts: [] },
  ],
  threadId: '',
  retrievalPageSize: 3,
  filter,
  context,
  currentPath: '/install',
  store: false,
  id: 'chat',
  trigger: 'submit-message',
  messageId: 'b',
};
const pinned = { questions: ['How?'], text: 'So.', tests: ['And how?'], notFor: ['Why?'] };
const ulid = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

const siteSettings = {
  name: 'Acme',
  baseUrl: 'https://docs.acme.dev',
  folder: 'docs',
  allowedOrigins: ['https://docs.acme.dev'],
  model: 'main',
};

/** Bodies that are taken, which have every field of the description between them. */
const bodies: Record<string, Json[]> = {
  'post /discovery/v2/assistant/{domain}/message': [reader],
  'post /discovery/v1/assistant/{domain}/message': [reader],
  'post /v1/chat/completions': [
    {
      model: 'kestrel-docs',
      messages: [{ role: 'user', content: 'x' }, question],
      stream: true,
      stream_options: { include_usage: true },
      n: 1,
      user: 'jo',
      metadata: { threadId: '', currentPath: '/install' },
      retrievalPageSize: 3,
      filter,
    },
  ],
  'post /discovery/v1/search/{domain}': [
    { query: 'install', pageSize: 3, scoreThreshold: 0.1, filter },
  ],
  'post /discovery/v1/page/{domain}': [{ path: '/install', filter }],
  'post /mcp/{domain}': [{ jsonrpc: '2.0', id: 1, method: 'ping', params: {} }],
  'post /discovery/v1/feedback/{domain}': [
    {
      fp: 'jo',
      messageId: ulid,
      threadId: ulid,
      path: '/install',
      filter,
      rating: 'up',
      reasons: ['clear'],
      note: 'Thanks',
    },
  ],
  'post /v1/readers/{domain}/forget': [{ fp: 'jo' }, { reader: 'x' }],
  'post /v1/gaps/{domain}': [
    { gaps: [{ messageIds: [ulid], state: 'dismissed' }], replaces: [ulid] },
  ],
  'patch /v1/feedback/{domain}/{id}': [
    { version: 1, state: 'done', assignee: 'user_1', note: 'Look here.' },
  ],
  'post /v1/analytics/{domain}/unanswered/job': [
    { messageIds: [ulid], instruction: 'Fix it', asDraft: true },
    { messageIds: [ulid], command: { type: 'add-page', path: 'a.md', title: 'A' } },
  ],
  'post /v1/keys': [
    {
      kind: 'assistant',
      name: 'Docs',
      domain: 'kestrel-docs',
      scopes: ['search', 'mcp'],
      networks: ['203.0.113.7'],
      groups: ['staff'],
      expiresInDays: 30,
    },
  ],
  'post /v1/keys/{id}/rotate': [{ overlapHours: 5 }],
  'post /v1/projects/{projectId}/pulls/{number}/merge': [{ head: 'a'.repeat(40) }],
  'post /v1/agent/{projectId}/job': [
    {
      messages: [question, { role: 'user', content: 'x' }],
      branch: 'docs/x',
      asDraft: true,
      model: 'sonnet',
    },
  ],
  'post /v2/agent/{projectId}/job': [
    { prompt: 'Fix it', branch: 'docs/y', asDraft: true, model: 'main', allowLarge: true },
    {
      command: {
        type: 'add-page',
        path: 'a.md',
        title: 'A',
        content: 'x',
        description: 'y',
        after: 'b.md',
      },
    },
    { command: { type: 'replace-text', find: 'a', replace: 'b', path: 'c.md' } },
  ],
  'post /v2/agent/{projectId}/job/{id}/message': [
    { prompt: 'More' },
    { command: { type: 'move-page', from: 'a.md', to: 'b.md', title: 'B' } },
    { command: { type: 'fix-links', path: 'a.md' } },
  ],
  'post /v1/playground/{domain}': [
    {
      question: 'How do I install Kestrel?',
      history: [{ question: 'x', answer: 'y' }],
      currentPath: '/install',
      groups: ['staff'],
      retrievalPageSize: 3,
      model: null,
    },
  ],
  'patch /v1/sites/{domain}/settings': [
    { version: 1_000, starterQuestions: ['Why?'], instructions: 'Be brief.' },
  ],
  'post /discovery/v1/hand-over/{domain}': [
    {
      fp: 'jo',
      threadId: ulid,
      name: 'Jo',
      email: 'jo@reader.example',
      message: 'Help.',
      consent: true,
    },
  ],
  'post /v1/questions/{domain}': [
    { id: 'a', question: 'How?', answer: 'So.' },
    { conversations: [{ id: 'b', question: 'Why?', answer: 'So.' }] },
  ],
  'post /v1/sites/{domain}/words/try': [{ question: 'How?' }],
  'post /v1/sites/{domain}/pinned-answers': [pinned],
  'patch /v1/sites/{domain}/pinned-answers/{id}': [{ ...pinned, version: 1 }],
  'post /v1/shares': [{ project: 'kestrel', page: 'job', id: ulid, days: 7 }],
  'post /v1/automations': [
    {
      project: 'kestrel',
      name: 'Links',
      task: { about: 'stale', months: 6 },
      trigger: { on: 'schedule', cron: '0 9 * * 1', timeZone: 'UTC' },
      instruction: 'Be brief.',
      asDraft: true,
    },
  ],
  'patch /v1/automations/{id}': [
    { name: 'Links', trigger: { on: 'change', count: 2 }, isPaused: true },
  ],
  'post /v1/connections': [{ forge: 'gitea', url: 'https://git.example.com', token: 'abc' }],
  'post /v1/connections/installed': [{ installationId: 5 }],
  'post /v1/projects': [
    {
      connection: ulid,
      repository: 'acme/docs',
      id: 'acme-docs',
      docsRoot: 'docs',
      baseBranch: 'main',
      draft: 'always',
      site: 'kestrel-docs',
      model: 'main',
    },
  ],
  'patch /v1/projects/{projectId}': [
    { docsRoot: 'docs', baseBranch: 'main', draft: 'always', site: 'kestrel-docs', model: 'main' },
  ],
  'patch /v1/connections/{id}': [{ token: 'abc' }],
  'post /v1/sites/recognize': [{ connection: ulid, repository: 'acme/docs' }],
  'post /v1/sites': [
    { connection: ulid, repository: 'acme/docs', domain: 'acme-docs', ...siteSettings },
  ],
  'patch /v1/sites/{domain}': [siteSettings],
  'post /v1/health/model': [{ model: 'main' }, { embedder: true }],
};

/** The key of the kind that the endpoint takes. */
function credentials(endpoint: string): Record<string, string> {
  const [method = '', path = ''] = endpoint.split(' ');
  const isAdmin = permissions[`${method.toUpperCase()} ${path}`] !== undefined;
  return { authorization: `Bearer ${isAdmin ? docent.admin : docent.key}` };
}

/** The body with each of its values, however deep, as something else or left out. */
function* variants(value: Json, where = ''): Generator<[what: string, body: Json | undefined]> {
  if (where !== '') yield [`without ${where}`, undefined];
  if (value === null || typeof value !== 'object') {
    yield [`null ${where}`, null];
    yield [`another type ${where}`, typeof value === 'string' ? 5 : 'five'];
    if (typeof value === 'string') {
      yield [`empty ${where}`, ''];
      yield [`blank ${where}`, ' \n '];
    }
    return;
  }
  yield [`empty ${where}`, Array.isArray(value) ? [] : {}];
  yield [`null ${where}`, null];
  const entries = Object.entries(value);
  for (const [key, inner] of entries) {
    for (const [what, variant] of variants(inner, `${where}.${key}`)) {
      const changed = Array.isArray(value) ? [...value] : { ...value };
      if (variant !== undefined) (changed as Record<string, Json>)[key] = variant;
      else if (Array.isArray(changed)) changed.splice(Number(key), 1);
      else delete changed[key];
      yield [what, changed];
    }
  }
  if (where !== '' || Array.isArray(value)) return;
  // One of several fields may be enough, or too much.
  for (const [one] of entries) {
    for (const [other] of entries) {
      if (one < other) {
        const rest = entries.filter(([key]) => key !== one && key !== other);
        yield [`without .${one} and .${other}`, Object.fromEntries(rest)];
      }
    }
    for (const added of [{ prompt: 'x' }, { command: { type: 'fix-links' } }, { prompt: null }]) {
      yield [`with ${JSON.stringify(added)}`, { ...value, ...added }];
    }
  }
}

/** What a schema can't say: texts with words, git's names for branches, and the owner's models. */
const unsaid: Record<string, RegExp> = {
  'post /v1/keys': /blank \./,
  'post /discovery/v2/assistant/{domain}/message': /\.messages\.1\.content/,
  'post /discovery/v1/assistant/{domain}/message': /\.messages\.1\.content/,
  'post /v1/chat/completions': /\.messages\.1\.content/,
  'post /v1/agent/{projectId}/job': /blank \.branch/,
  'post /v2/agent/{projectId}/job': /blank \.(branch|model)/,
  'patch /v1/sites/{domain}/settings': /blank \.starterQuestions/,
  'post /v1/automations': /blank \.(name|trigger)/,
  'patch /v1/automations/{id}': /blank \.name/,
};

test('every endpoint that takes a body with a key is here', () => {
  expect(Object.keys(bodies).toSorted()).toEqual(api.withBody.toSorted());
});

test.each(Object.keys(bodies))('%s', async (endpoint) => {
  const agent = agentOf(docent);
  const { id } = (await agent.create({ prompt: 'Fix it' })).body;
  await handOf(docent).take(id);
  const path = (endpoint.split(' ')[1] ?? '')
    .replace('{domain}', 'kestrel-docs')
    .replace('{projectId}', 'kestrel')
    .replace('{number}', '1')
    .replace('{id}', id);
  const method = (endpoint.split(' ')[0] ?? '').toUpperCase();
  const takes = async (body: Json) => {
    const response = await fetch(docent.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...credentials(endpoint) },
      body: JSON.stringify(body),
      signal: gone.signal,
    });
    const isTaken = response.status !== 400;
    await response.body?.cancel();
    return isTaken;
  };
  const wrong: string[] = [];
  for (const body of bodies[endpoint] ?? []) {
    expect([api.accepts(endpoint, body), await takes(body)]).toEqual([true, true]);
    for (const [what, variant] of variants(body)) {
      if (variant === undefined || unsaid[endpoint]?.test(what)) continue;
      const isDescribed = api.accepts(endpoint, variant);
      if (isDescribed !== (await takes(variant))) {
        wrong.push(`${what}: described as ${isDescribed ? 'right' : 'wrong'}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});
