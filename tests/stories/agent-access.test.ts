/** Every endpoint of agent jobs, asked by everybody who must not: one table. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentOf, kestrelProject, ospreyProject } from '../support/agent.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';

type Endpoint = [method: string, path: string, does: 'read' | 'write', body?: object];

const endpoints: Endpoint[] = [
  ['POST', '/v2/agent/PROJECT/job', 'write', { prompt: 'Do it' }],
  ['POST', '/v2/agent/PROJECT/job/JOB/message', 'write', { prompt: 'Do it' }],
  ['GET', '/v2/agent/PROJECT/job/JOB', 'read'],
  ['DELETE', '/v2/agent/PROJECT/job/JOB', 'write'],
  ['POST', '/v2/agent/PROJECT/job/JOB/cancel', 'write'],
  ['POST', '/v2/agent/PROJECT/job/JOB/archive', 'write'],
  ['GET', '/v2/agent/PROJECT/job/JOB/events', 'read'],
  ['GET', '/v2/agent/PROJECT/job/JOB/diff', 'read'],
  ['GET', '/v2/agent/PROJECT/jobs', 'read'],
  ['POST', '/v1/agent/PROJECT/job', 'write', { messages: [{ role: 'user', content: 'Do it' }] }],
  ['GET', '/v1/agent/PROJECT/job/JOB', 'read'],
  ['GET', '/v1/agent/PROJECT/jobs', 'read'],
];

let docent: TestDocent;
let job: string;
let keys: Record<'assistant' | 'reading' | 'writing' | 'other' | 'revoked', string>;

beforeAll(async () => {
  docent = await startDocent({
    runJobs: false,
    projects: [
      kestrelProject,
      { ...kestrelProject, id: 'second', site: 'kestrel-blog' },
      ospreyProject,
    ],
    agent: { perProjectAndHour: 5 },
  });
  const make = async (organization: string, scopes?: ('read' | 'write')[]) => {
    const made = await docent.keys.create({
      kind: 'admin',
      organization,
      name: 'test',
      ...(scopes && { scopes }),
    });
    return made;
  };
  const revoked = await make('kestrel');
  await docent.keys.revoke(revoked.key.id);
  keys = {
    assistant: docent.key,
    reading: (await make('kestrel', ['read'])).token,
    writing: (await make('kestrel', ['write'])).token,
    other: (await make('osprey')).token,
    revoked: revoked.token,
  };
  job = (await agentOf(docent).create({ prompt: 'Do it' })).body.id;
});
afterAll(() => docent?.[Symbol.asyncDispose]());

async function ask([method, path, , body]: Endpoint, key?: string, project = 'kestrel') {
  const url = docent.url + path.replace('PROJECT', project).replace('JOB', job);
  const response = await fetch(url, {
    method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text };
}

const rows = () => docent.docent.services.database.selectFrom('agent_events').selectAll().execute();

describe.each(endpoints)('%s %s', (...endpoint) => {
  const [, path, does] = endpoint;

  test('is for nobody else, tells them nothing, and does nothing for them', async () => {
    const before = await rows();
    const answers = {
      none: await ask(endpoint),
      revoked: await ask(endpoint, keys.revoked),
      assistant: await ask(endpoint, keys.assistant),
      wrongScope: await ask(endpoint, does === 'read' ? keys.writing : keys.reading),
      otherOrganization: await ask(endpoint, keys.other),
      noProject: await ask(endpoint, docent.admin, 'nowhere'),
      prototype: await ask(endpoint, docent.admin, '__proto__'),
      constructor: await ask(endpoint, docent.admin, 'constructor'),
      encoded: await ask(endpoint, keys.other, '..%2fkestrel'),
      ...(path.includes('JOB') && { otherProject: await ask(endpoint, docent.admin, 'second') }),
    };
    const statuses = Object.fromEntries(
      Object.entries(answers).map(([who, { status }]) => [who, status]),
    );
    expect(statuses).toEqual({
      none: 401,
      revoked: 401,
      assistant: 403,
      wrongScope: 403,
      otherOrganization: 404,
      noProject: 404,
      prototype: 404,
      constructor: 404,
      encoded: 404,
      ...(path.includes('JOB') && { otherProject: 404 }),
    });
    // What is another's and what is not there are told in the same words.
    const words = ({ text }: { text: string }) => text.replace(/"requestId":"[^"]*"/, '');
    expect(words(answers.otherOrganization)).toBe(words(answers.noProject));
    for (const { text } of Object.values(answers)) expect(text).not.toMatch(/Do it|github\.com/);
    expect(await rows()).toEqual(before);
  });
});

test('what others are refused does not use up the hour of the project', async () => {
  const { status } = await agentOf(docent).message(job, { prompt: 'And more' });
  expect(status).toBe(200);
});

test.each(['-1', '1.5', 'abc', '99999999999', '0x10', '1,2'])(
  'a Last-Event-ID of %s is refused in words',
  async (id) => {
    const response = await agentOf(docent).follow(job, id);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('Last-Event-ID');
  },
);

test.each(['', 'x'.repeat(256), 'ä'])('an Idempotency-Key of %j is refused', async (key) => {
  const { status } = await agentOf(docent).create(
    { prompt: 'Do it' },
    { headers: { 'idempotency-key': key } },
  );
  expect(status).toBe(400);
});
