/** Real replies of the agent's endpoints are what our OpenAPI document says, field by field. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  agentOf,
  failureOf,
  handOf,
  kestrelProject,
  ospreyProject,
  pull,
} from '../support/agent.ts';
import { type Called, getJson, postJson } from '../support/call.ts';
import { openApiOf } from '../support/check-openapi.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';

let docent: TestDocent;
let agent: ReturnType<typeof agentOf>;
let hand: ReturnType<typeof handOf>;
let api: Awaited<ReturnType<typeof openApiOf>>;

beforeAll(async () => {
  docent = await startDocent({
    runJobs: false,
    agent: { perProjectAndHour: 60 },
    projects: [
      kestrelProject,
      ospreyProject,
      { ...kestrelProject, id: 'small', site: 'kestrel-blog' },
    ],
  });
  agent = agentOf(docent);
  hand = handOf(docent);
  api = await openApiOf(docent.url);
});
afterAll(() => docent[Symbol.asyncDispose]());

const prompt = 'Document the --dry-run option';
const v2 = '/v2/agent/{projectId}';
const v1 = '/v1/agent/{projectId}';

function expectDescribed(method: string, path: string, reply: Called<unknown>, status: number) {
  expect([reply.status, ...api.wrongWith(method, path, reply)]).toEqual([status]);
}

/** A job in each way that it can stand. */
async function jobs(): Promise<Record<string, string>> {
  const made = async () => (await agent.create({ prompt })).body.id;
  const [queued, running, cancelling, completed, unchanged, failed, again, archived] = [
    await made(),
    await made(),
    await made(),
    await made(),
    await made(),
    await made(),
    await made(),
    await made(),
  ];
  for (const id of [running, cancelling, completed, unchanged, failed, again, archived]) {
    await hand.take(id);
  }
  await hand.say(running, {
    type: 'todos',
    todos: [{ id: '1', content: 'Look', status: 'in_progress', priority: 'high' }],
  });
  await agent.cancel(cancelling);
  for (const id of [completed, again, archived]) await hand.complete(id, pull);
  await hand.complete(unchanged);
  await hand.fail(failed, failureOf('forge_forbidden', 'The token may not write.'));
  await agent.message(again, { prompt: 'More' });
  await agent.archive(archived);
  return { queued, running, cancelling, completed, unchanged, failed, again, archived };
}

test('200 and 201: jobs and sessions, however they stand', async () => {
  for (const [, id] of Object.entries(await jobs())) {
    expectDescribed('GET', `${v2}/job/{id}`, await agent.read(id), 200);
    const session = await getJson(docent, `/v1/agent/kestrel/job/${id}`, { key: docent.admin });
    expectDescribed('GET', `${v1}/job/{id}`, session, 200);
  }
  const created = await agent.create({ prompt, asDraft: true });
  expectDescribed('POST', `${v2}/job`, created, 201);
  const { id } = created.body;
  const said = await agent.message(id, { prompt });
  expectDescribed('POST', `${v2}/job/{id}/message`, said, 200);
  expectDescribed('POST', `${v2}/job/{id}/cancel`, await agent.cancel(id), 200);
  expectDescribed('POST', `${v2}/job/{id}/archive`, await agent.archive(id), 200);
  expectDescribed('GET', `${v2}/jobs`, await agent.list('?take=100'), 200);
  const sessions = await getJson(docent, '/v1/agent/kestrel/jobs', { key: docent.admin });
  expectDescribed('GET', `${v1}/jobs`, sessions, 200);
});

test('a reply that is not as described is found', async () => {
  const created = await agent.create({ prompt });
  const wrong = (change: object) =>
    api.wrongWith('POST', `${v2}/job`, { ...created, body: { ...created.body, ...change } });
  expect(wrong({})).toEqual([]);
  expect(wrong({ status: 'queued' }).join()).toContain('/status');
  expect(wrong({ createdAt: 'today' }).join()).toContain('/createdAt');
  expect(wrong({ source: {} }).join()).toContain('repository');
});

describe('what is refused', () => {
  test('400, 401, 403, 404, 409, 413, 415', async () => {
    const { id } = (await agent.create({ prompt })).body;
    const path = `${v2}/job`;
    expectDescribed('POST', path, await agent.create({}), 400);
    expectDescribed('POST', path, await agent.create({ prompt }, { key: '' }), 401);
    expectDescribed('POST', path, await agent.create({ prompt }, { key: docent.key }), 403);
    expectDescribed('POST', path, await agentOf(docent, 'osprey').create({ prompt }), 404);
    expectDescribed('GET', `${v2}/job/{id}`, await agent.read('nonsense'), 404);
    expectDescribed('POST', `${v2}/job/{id}/archive`, await agent.archive(id), 409);
    await agent.cancel(id);
    expectDescribed('DELETE', `${v2}/job/{id}`, await agent.remove(id), 409);
    expectDescribed('GET', `${v2}/jobs`, await agent.list('?take=0'), 400);
    const large = await agent.create({ prompt: 'x'.repeat(1_100_000) });
    expectDescribed('POST', path, large, 413);
    const text = { headers: { 'content-type': 'text/plain' } };
    expectDescribed('POST', path, await agent.create({ prompt }, text), 415);
    const session = await postJson(
      { url: docent.url, key: docent.admin },
      '/v1/agent/kestrel/job',
      {},
    );
    expectDescribed('POST', `${v1}/job`, session, 400);
  });

  test('429, once a project has had its instructions of this hour; polling is free', async () => {
    const small = agentOf(docent, 'small');
    const { id } = (await small.create({ prompt })).body;
    const replies = await Promise.all(
      Array.from({ length: 70 }, (_, sent) =>
        sent % 2 === 0 ? small.create({ prompt }) : small.message(id, { prompt }),
      ),
    );
    expect(replies.filter(({ status }) => status < 300)).toHaveLength(59);
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(11);
    for (const reply of refused) expectDescribed('POST', `${v2}/job`, reply, 429);
    const { headers, body } = refused[0] ?? replies[0] ?? (await small.read(id));
    expect(body).toMatchObject({ code: 'rate_limited', retryAfter: expect.any(Number) as number });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(headers.get('ratelimit')).toMatch(/^"project-hour"; r=0; t=\d+$/);
    expect(headers.get('ratelimit-policy')).toMatch(/^"project-hour"; q=60; w=3600;/);
    for (let polled = 0; polled < 100; polled++) {
      expect((await small.read(id)).status).toBe(200);
    }
    // Each project has its own.
    expect((await agent.create({ prompt })).status).toBe(201);
  });
});
