/** Jobs where several server processes share one PostgreSQL, and where one stops. */
import {
  postgresPrograms,
  sharedPostgres,
  type TestPostgres,
  whyNoPostgres,
} from '@docent/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentOf, handOf, kestrelProject, pull, sentEvents } from '../support/agent.ts';
import { makeRepository } from '../support/docs-repository.ts';
import { silence, startScriptedModel } from '../support/scripted-model.ts';
import { startDocent, type TestDocent, toModel } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const prompt = 'Document the --dry-run option';
const options = {
  runJobs: false,
  projects: [kestrelProject],
  // Of processes that are one: else each names itself.
  server: { publicUrl: 'https://docent.example.com' },
};

describe('two processes', () => {
  if (postgresPrograms === undefined) {
    test('as one', (context) => context.skip(whyNoPostgres));
    return;
  }
  let postgres: TestPostgres;
  let one: TestDocent;
  let two: TestDocent;

  beforeAll(async () => {
    postgres = await sharedPostgres();
    const variables = { DATABASE_URL: await postgres.createDatabase() };
    one = await startDocent({ ...options, variables });
    two = await startDocent({ ...options, variables });
  });
  afterAll(async () => {
    await one[Symbol.asyncDispose]();
    await two[Symbol.asyncDispose]();
  });

  test('a cancel at the other ends the run: the model is left, and nothing is proposed', async () => {
    await using docs = await makeRepository({ 'docs/a.md': '# A\n' });
    await using model = await startScriptedModel([silence]);
    const options = {
      models: { main: toModel(model.url) },
      projects: [{ ...kestrelProject, repository: docs.path, model: 'main' }],
      server: { publicUrl: 'https://docent.example.com' },
      variables: { DATABASE_URL: await postgres.createDatabase() },
    };
    await using runner = await startDocent(options);
    await using other = await startDocent({ ...options, runJobs: false });
    const there = agentOf({ url: other.url, admin: runner.admin });
    const { id } = (await there.create({ prompt })).body;
    await model.request(1);
    await there.cancel(id);
    await model.last.gone;
    const job = await waitFor('the job to end', async () => {
      const { body } = await there.read(id);
      return body.status !== 'active' && body;
    });
    expect(job).toMatchObject({ status: 'failed', failure: { code: 'cancelled' } });
    expect(await docs.branches()).toEqual(['main']);
  });

  test('what one does with a job is followed and gone on with at the other', async () => {
    const here = agentOf(one);
    const there = agentOf({ url: two.url, admin: one.admin });
    const hand = handOf(one);
    const { id } = (await here.create({ prompt })).body;
    const events = sentEvents(await there.follow(id));
    const next = async () => (await events.next()).value?.event as string;
    expect([await next(), await next()]).toEqual(['message', 'queued']);
    await hand.take(id);
    expect(await next()).toBe('started');
    await there.message(id, { prompt: 'More' });
    expect(await next()).toBe('message');
    await hand.say(id, { type: 'text', text: 'I look.' });
    expect(await next()).toBe('text');
    await hand.complete(id, pull);
    expect(await next()).toBe('completed');
    expect((await events.next()).done).toBe(true);
    expect((await there.read(id)).body).toEqual((await here.read(id)).body);
  });

  test('fifty requests with one key, at both, are one job', async () => {
    const agents = [agentOf(one), agentOf({ url: two.url, admin: one.admin })];
    const headers = { 'idempotency-key': 'both' };
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, sent) =>
        (agents[sent % 2] ?? agentOf(one)).create({ prompt }, { headers }),
      ),
    );
    expect(new Set(all.map((reply) => reply.body.id)).size).toBe(1);
    expect(all.map((reply) => reply.status)).toEqual(all.map(() => 201));
  });

  test('the instructions of an hour are counted for both together', async () => {
    const variables = { DATABASE_URL: await postgres.createDatabase() };
    const few = { ...options, agent: { perProjectAndHour: 20 }, variables };
    await using first = await startDocent(few);
    await using second = await startDocent(few);
    const agents = [agentOf(first), agentOf({ url: second.url, admin: first.admin })];
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, sent) =>
        (agents[sent % 2] ?? agentOf(first)).create({ prompt }),
      ),
    );
    expect(all.filter((reply) => reply.status === 201)).toHaveLength(20);
    expect(all.filter((reply) => reply.status === 429)).toHaveLength(30);
  });
});

test('a server that stops ends its streams, and says in version 1 that the job goes on', async () => {
  const docent = await startDocent(options);
  const agent = agentOf(docent);
  const { id } = (await agent.create({ prompt })).body;
  const events = await agent.follow(id);
  const session = await fetch(`${docent.url}/v1/agent/kestrel/job`, {
    method: 'POST',
    headers: { authorization: `Bearer ${docent.admin}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: prompt }] }),
  });
  await docent.docent.close();
  expect(await events.text()).toContain('event: queued');
  const lines = (await session.text()).trimEnd().split('\n');
  expect(lines.at(-1)).toBe('3:"The service stops. The job goes on; read it by its id."');
  await docent[Symbol.asyncDispose]();
});

test('jobs that ended long ago are archived when the server starts, and every hour', async () => {
  let time = Date.now();
  const now = () => new Date(time);
  const docent = await startDocent({ ...options, now, agent: { archiveAfterDays: 2 } });
  const agent = agentOf(docent);
  const hand = handOf(docent);
  const { id } = (await agent.create({ prompt })).body;
  const waiting = (await agent.create({ prompt })).body.id;
  await hand.take(id);
  await hand.complete(id, pull);
  await docent.docent.close();

  time += 3 * 86_400_000;
  const { dataFolder } = docent;
  await using again = await startDocent({
    ...options,
    now,
    agent: { archiveAfterDays: 2 },
    dataFolder,
  });
  const after = agentOf(again);
  expect((await after.read(id)).body).toMatchObject({
    status: 'completed',
    archivedAt: now().toISOString(),
  });
  expect((await after.read(waiting)).body).toMatchObject({ status: 'active', archivedAt: null });
  await again.docent.close();

  // Whoever sets an end is rid of them; by default they stay.
  time += 365 * 86_400_000;
  const never = await startDocent({ ...options, now, dataFolder });
  expect((await agentOf(never).read(id)).status).toBe(200);
  await never.docent.close();
  const days = { archiveAfterDays: 2, deleteAfterDays: 360 };
  await using last = await startDocent({ ...options, now, agent: days, dataFolder });
  expect((await agentOf(last).read(id)).status).toBe(404);
  expect((await agentOf(last).read(waiting)).status).toBe(200);
  await docent[Symbol.asyncDispose]();
});
