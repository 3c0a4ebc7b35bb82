/** What is told of a job to those who want to know, and what is put on record: over HTTP and at the command line. */
import { AuditResponse } from '@docent/shared/audit';
import { WebhookBody, type WebhooksResponse } from '@docent/shared/webhooks';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { agentOf } from '../support/agent.ts';
import { follow } from '../support/agent-script.ts';
import { getJson, postJson } from '../support/call.ts';
import { runCli, writeConfig } from '../support/cli.ts';
import { makeRepository } from '../support/docs-repository.ts';
import { kestrel, temporaryFolder } from '../support/fixture.ts';
import { startReceiver } from '../support/receiver.ts';
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { startDocent, toModel } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const secret = `whsec_${Buffer.from('a secret of thirty-two bytes ....').toString('base64')}`;
const fix = {
  call: 'edit',
  input: { path: 'docs/install.md', oldText: 'instaler', newText: 'installer' },
};
const denied = { call: 'write', input: { path: '.github/workflows/x.yml', content: 'on: push' } };
const finish = {
  call: 'finish',
  input: { title: 'Fix a typo', message: 'Done.', summary: 'Typo.' },
};

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());

test('a job is told to the project’s webhook and put on record, from its creation to its end', async () => {
  await using receiver = await startReceiver();
  await using docs = await makeRepository({
    'docs/install.md': '# Install\n\nRun the instaler.\n',
  });
  await using docent = await startDocent({
    models: { main: toModel(model.url) },
    variables: { HOOK_SECRET: secret },
    projects: [
      {
        id: 'kestrel',
        organization: 'kestrel',
        repository: docs.path,
        model: 'main',
        webhooks: [
          { url: receiver.url, secretEnv: 'HOOK_SECRET', allowPrivateHosts: ['127.0.0.1'] },
        ],
      },
    ],
  });
  const agent = agentOf(docent);
  const key = docent.admin;
  model.reply(follow({ for: 'instaler', answers: [[denied], [fix], [finish]] }));
  const { body: job } = await agent.create({ prompt: 'It says instaler, fix that.' });
  const read = () =>
    getJson<WebhooksResponse>(docent, '/v2/agent/kestrel/webhooks', { key }).then(
      ({ body }) => body,
    );
  await waitFor('the messages to be delivered', async () => {
    const { deliveries } = await read();
    return deliveries.filter(({ status }) => status === 'delivered').length === 3;
  });
  const messages = receiver.received.map(({ headers, body }) => {
    new Webhook(secret).verify(body, headers);
    return WebhookBody.parse(JSON.parse(body));
  });
  const ofType = (type: string) => messages.find((message) => message.type === type)?.data;
  expect(messages.map(({ type }) => type).toSorted()).toEqual([
    'job.completed',
    'job.created',
    'job.pull_request',
  ]);
  expect(ofType('job.created')?.job).toMatchObject({ id: job.id, status: 'active', prLink: null });
  expect(ofType('job.pull_request')?.pullRequest).toMatchObject({ number: 1 });
  const { body: ended } = await agent.read(job.id);
  expect(ended.status).toBe('completed');
  expect(ofType('job.completed')?.job).toMatchObject({
    id: job.id,
    status: 'completed',
    prLink: ended.prLink,
    title: 'Fix a typo',
  });

  const { deliveries } = await read();
  const completed = deliveries.find(({ type }) => type === 'job.completed');
  const path = `/v2/agent/kestrel/webhooks/${completed?.id}/replay`;
  expect((await postJson(docent, path, {}, { key })).status).toBe(202);
  await waitFor('the replay', () => receiver.received.length === 4);
  expect(receiver.received[3]?.headers['webhook-id']).toBe(completed?.id);

  const audit = await getJson(docent, `/v1/audit?job=${job.id}`, { key });
  const { entries } = AuditResponse.parse(audit.body);
  const types = entries.map(({ type }) => type).toReversed();
  expect(types[0]).toBe('job.created');
  for (const type of [
    'job.started',
    'job.tool_call',
    'job.denied',
    'job.checks',
    'job.pull_request',
  ])
    expect(types).toContain(type);
  expect(types.slice(-2)).toEqual(['job.completed', 'webhook.replayed']);
  // Each call of a tool, in order, whether it changed anything or not.
  const calls = entries.toReversed().filter(({ type }) => type === 'job.tool_call');
  expect(calls.map(({ data }) => (data as { name?: string }).name)).toEqual([
    'write',
    'edit',
    'finish',
  ]);
  const created = entries.find(({ type }) => type === 'job.created');
  expect(created).toMatchObject({
    organization: 'kestrel',
    project: 'kestrel',
    actor: { kind: 'key' },
    data: { prompt: 'It says instaler, fix that.', origin: 'api' },
  });
  expect(entries.find(({ type }) => type === 'job.denied')?.data).toMatchObject({
    path: '.github/workflows/x.yml',
  });
  const page = await getJson(docent, '/v1/audit?limit=2', { key });
  const first = AuditResponse.parse(page.body);
  expect([first.entries.length, first.hasMore]).toEqual([2, true]);
  const next = await getJson(docent, `/v1/audit?limit=2&cursor=${first.nextCursor}`, { key });
  expect(AuditResponse.parse(next.body).entries[0]?.seq).toBe((first.nextCursor ?? 0) - 1);
});

describe('at the command line', () => {
  test('changes of keys are on record, and nobody changes the record', async () => {
    await using folder = await temporaryFolder();
    const config = await writeConfig(folder.path, {
      server: { port: 0, dataFolder: join(folder.path, 'data') },
      sites: [kestrel],
    });
    const run = (...args: string[]) => runCli([...args, '--config', config]);
    const make = ['keys', 'create', '--admin', '--organization', 'kestrel', '--name'];
    const made = await run(...make, 'one');
    const id = /key (\w{26})/.exec(made.stdout)?.[1] ?? '';
    await run('keys', 'rotate', id);
    await run('keys', 'revoke', id);
    const exported = await run('audit', 'export', 'kestrel');
    const entries = exported.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(entries).toMatchObject([
      { seq: 3, type: 'key.revoked' },
      { seq: 2, type: 'key.rotated' },
      {
        seq: 1,
        type: 'key.created',
        actor: { kind: 'command-line' },
        data: { key: id, name: 'one' },
      },
    ]);
    const token = /svc_\S{43}/.exec(made.stdout)?.[0] ?? '-';
    expect(exported.stdout).not.toContain(token);

    const database = new DatabaseSync(join(folder.path, 'data', 'docent.db'));
    expect(() => database.exec("update audit set type = 'x'")).toThrow(/never changed or deleted/);
    database.close();
  });
});
