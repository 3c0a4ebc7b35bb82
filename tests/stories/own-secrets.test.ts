/** The service's own secrets, which look like examples, stand wherever text may come from, and leave nowhere. */
import { toolTextMaxLength } from '@docent/shared/agent-events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '@docent/server/docent';
import { agentOf, sentEvents } from '../support/agent.ts';
import { follow } from '../support/agent-script.ts';
import { toBody } from '../support/ask.ts';
import { makeRepository } from '../support/docs-repository.ts';
import { startReceiver } from '../support/receiver.ts';
import {
  type Answer,
  gate,
  type ScriptedModel,
  startScriptedModel,
} from '../support/scripted-model.ts';
import { startDocent, toModel } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const secrets = {
  MODEL_KEY: 'sk-your-example-key-goes-here',
  METRICS: 'example-1@metrics.example',
  HOOK: 'example"secret&of the/webhook',
};
const encodings: Record<string, (secret: string) => string> = {
  plain: (secret) => secret,
  json: (secret) => JSON.stringify(secret).slice(1, -1),
  address: encodeURIComponent,
  base64: (secret) => Buffer.from(`x-token:${secret}`).toString('base64').slice(12, 40),
};
/** All secrets in all encodings, as somebody might write them. */
const all = Object.values(secrets)
  .flatMap((secret) => [
    secret,
    JSON.stringify(secret),
    encodeURIComponent(secret),
    Buffer.from(`x-token:${secret}`).toString('base64'),
  ])
  .join(' and ');

/** The secrets that a text contains, by their names and encodings. */
const found = (text: string) =>
  Object.entries(secrets).flatMap(([name, secret]) =>
    Object.entries(encodings)
      .filter(([, encode]) => text.includes(encode(secret)))
      .map(([how]) => `${name} ${how}`),
  );

const inPieces = (text: string, size = 1): string[] =>
  text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());

async function open() {
  const docs = await makeRepository({ 'docs/index.md': '# Start\n\nHello.\n' });
  const receiver = await startReceiver();
  const lines: string[] = [];
  const docent = await startDocent({
    server: { metricsTokenEnv: 'METRICS' },
    models: { main: { ...toModel(model.url), apiKeyEnv: 'MODEL_KEY' } },
    variables: { ...secrets, LOG_LEVEL: 'debug' },
    log: createLog('debug', { write: (line) => void lines.push(line) }),
    projects: [
      {
        id: 'kestrel',
        organization: 'kestrel',
        repository: docs.path,
        docsRoot: 'docs',
        model: 'main',
        webhooks: [{ url: receiver.url, secretEnv: 'HOOK', allowPrivateHosts: ['127.0.0.1'] }],
      },
    ],
  });
  return {
    docent,
    docs,
    receiver,
    log: () => lines.join('\n'),
    async [Symbol.asyncDispose]() {
      await docent[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
      await docs[Symbol.asyncDispose]();
    },
  };
}

test('the canaries are found where nobody hides them', () => {
  expect(found(all)).toHaveLength(12);
});

const question = 'How do I install Kestrel?';

test.each([1, 3, 1000])(
  'answers in pieces of %i characters, and what is kept of them',
  async (size) => {
    await using opened = await open();
    const { docent } = opened;
    const words = inPieces(`They are ${all}. [1]`, size);
    const site = `${docent.url}/discovery`;
    const requests: [path: string, body: object][] = [
      [`${site}/v2/assistant/kestrel-docs/message`, toBody(question)],
      [
        `${site}/v1/assistant/kestrel-docs/message`,
        { fp: 'anonymous', messages: [{ id: 'q', role: 'user', content: question, parts: [] }] },
      ],
      ...[true, false].map((stream): [string, object] => [
        `${docent.url}/v1/chat/completions`,
        { model: 'kestrel-docs', messages: [{ role: 'user', content: question }], stream },
      ]),
    ];
    for (const [path, body] of requests) {
      // The filter takes away what divides the last one.
      model.once([...words, ` ${secrets.METRICS.split('').join('\u200b')}`]);
      const reply = await fetch(path, {
        method: 'POST',
        headers: { authorization: `Bearer ${docent.key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(reply.status).toBe(200);
      const text = await reply.text();
      expect(found(text)).toEqual([]);
      // Text that arrives in pieces is read as its reader does.
      const said = [...text.matchAll(/"(?:delta|content)":"((?:[^"\\]|\\.)*)"|^0:"(.*)"$/gm)]
        .map(([, sse, line]) => JSON.parse(`"${sse ?? line ?? ''}"`) as string)
        .join('');
      expect(said.split('[redacted secret]')).toHaveLength(14);
      expect(found(said)).toEqual([]);
    }
    const turns = await rowsOf(opened, 'turns');
    expect(turns).toHaveLength(requests.length);
    for (const { answer } of turns) expect(found(String(answer))).toEqual([]);
  },
);

const rowsOf = ({ docent }: Awaited<ReturnType<typeof open>>, table: string) =>
  docent.docent.services.database
    .selectFrom(table as 'turns')
    .selectAll()
    .execute();

test('what was stored before the secret was one: every list and file, and errors', async () => {
  await using opened = await open();
  const { docent } = opened;
  const { keys, database, audit } = docent.docent.services;
  await docent.ask(question);
  await database.updateTable('turns').set({ question: all, answer: all }).execute();
  await keys.create({ kind: 'admin', organization: 'kestrel', name: secrets.MODEL_KEY });
  await audit.record(database, {
    organization: 'kestrel',
    actor: { kind: 'command-line' },
    type: 'key.created',
    data: { name: `Named ${all}` },
  });
  const [turn] = await rowsOf(opened, 'turns');
  const paths = [
    '/v1/keys',
    '/v1/audit',
    '/v1/audit?format=csv',
    '/v1/audit?format=jsonl',
    '/v1/analytics/kestrel-docs/assistant',
    '/v1/analytics/kestrel-docs/assistant?format=csv',
    '/v1/analytics/kestrel-docs/assistant?format=jsonl',
    `/v1/analytics/kestrel-docs/assistant/${turn?.thread_id}`,
    '/v1/analytics/kestrel-docs/unanswered',
    `/${secrets.MODEL_KEY}`,
    `/v1/jobs?status=${secrets.METRICS}`,
  ];
  let hidden = 0;
  for (const path of paths) {
    const reply = await fetch(docent.url + path, {
      headers: { authorization: `Bearer ${docent.admin}` },
    });
    const text = await reply.text();
    expect([path, ...found(text)]).toEqual([path]);
    hidden += text.split('[redacted secret]').length - 1;
  }
  expect(hidden).toBeGreaterThan(50);
});

const edit = (newText: string) => ({
  call: 'edit',
  input: { path: 'docs/index.md', oldText: 'Hello.', newText },
});

test('jobs: change, file name, log, words of the pull request, branch, webhook, audit, log of the service', async () => {
  await using opened = await open();
  const { docent, docs, receiver } = opened;
  const agent = agentOf(docent);
  const run = async (answers: Answer[], more: object = {}) => {
    model.reply(follow({ for: 'Say it', answers }));
    const { body } = await agent.create({ prompt: `Say it: ${all}`, ...more });
    const job = await waitFor('the job to end', async () => {
      const read = await agent.read(body.id);
      return read.body.status !== 'active' && read.body;
    });
    const events: unknown[] = [];
    for await (const { data } of sentEvents(await agent.follow(body.id))) events.push(data);
    const said = events
      .map((event) => event as { type: string; text?: string })
      .filter(({ type }) => type === 'text')
      .map(({ text }) => text)
      .join('');
    return { job, said, events: JSON.stringify(events) };
  };
  const finish = (title: string) => [{ call: 'finish', input: { title, message: title } }];

  for (const secret of [
    secrets.MODEL_KEY,
    Buffer.from(`x-token:${secrets.METRICS}`).toString('base64'),
  ]) {
    for (const step of [
      edit(`Use ${secret} here.`),
      {
        call: 'write',
        input: { path: 'docs/new.md', content: `![a](data:image/png;base64,${secret})\n` },
      },
    ]) {
      const { job, events } = await run([[step], finish('Say it')]);
      expect(job).toMatchObject({ status: 'failed', failure: { code: 'secret_found' } });
      expect(found(JSON.stringify(job) + events)).toEqual([]);
    }
  }
  const named = await run([
    [{ call: 'write', input: { path: `docs/${secrets.METRICS}.md`, content: '# A\n' } }],
    finish('Say it'),
  ]);
  expect(named.job).toMatchObject({ status: 'failed', failure: { code: 'secret_found' } });
  expect(found(JSON.stringify(named))).toEqual([]);

  // What it says is stored a few times a second, so the halves of a secret may come apart.
  const held = gate();
  const listened = run([
    [`Listen: ${secrets.MODEL_KEY.slice(0, 14)}`, held, `${secrets.MODEL_KEY.slice(14)}, done.`],
    finish('Say it'),
  ]);
  await waitFor('the first half', async () =>
    (await rowsOf(opened, 'agent_events')).some((row) => JSON.stringify(row).includes('Listen: ')),
  );
  held.open();
  expect((await listened).said).toContain('Listen: [redacted secret], done.');

  // It says the secret in its log, in small pieces, and takes it out of its title when it's told.
  const { job, said, events } = await run([
    [...inPieces(`I see ${all}. `, 3), edit('Good day.')],
    // What an event shows of this ends in the middle of the secret.
    [
      {
        call: 'search',
        input: { query: `${'x'.repeat(toolTextMaxLength - 25)}${secrets.MODEL_KEY}` },
      },
    ],
    finish(`Say ${secrets.MODEL_KEY}`),
    finish('Say nothing'),
  ]);
  expect(job.status).toBe('completed');
  expect(said.split('[redacted secret]')).toHaveLength(13);
  expect(found(said + events)).toEqual([]);
  expect(events).not.toContain('xsk-your');
  expect(found(await docs.git('log', '-p', '--all'))).toEqual([]);
  expect(found(await docs.git('branch', '--all'))).toEqual([]);
  expect(found(JSON.stringify(await rowsOf(opened, 'local_pulls')))).toEqual([]);
  const refused = await agent.create({ prompt: 'Say it', branch: `docs/${secrets.MODEL_KEY}` });
  expect(refused.status).toBe(400);
  expect(refused.body.error).toContain('`branch` holds what looks like a secret');

  // An endpoint's own words are in its message too.
  await waitFor('the webhooks', () => receiver.received.length >= 6);
  const { database, store } = docent.docent.services;
  const [delivery] = await rowsOf(opened, 'webhook_deliveries');
  await database
    .updateTable('webhook_deliveries')
    .set({
      body: JSON.stringify({ type: 'job.completed', all }),
      status: 'pending',
      due_at: store.clock(),
    })
    .where('id', '=', (delivery as unknown as { id: string }).id)
    .execute();
  const before = receiver.received.length;
  docent.docent.services.webhooks.wake();
  await waitFor('the webhook', () => receiver.received.length > before);
  expect(receiver.received.at(-1)?.body).toContain('[redacted secret]');
  expect(found(receiver.received.map(({ body }) => body).join('\n'))).toEqual([]);

  const trail = await fetch(`${docent.url}/v1/audit`, {
    headers: { authorization: `Bearer ${docent.admin}` },
  });
  expect(found(await trail.text())).toEqual([]);
  expect(found(JSON.stringify(await rowsOf(opened, 'audit')))).toEqual([]);
  docent.docent.services.log.error(
    { err: new Error(`${'x'.repeat(290)} ${all}`), said: all, [`nested`]: { all } },
    `It said ${all}`,
  );
  expect(opened.log()).toContain('It said [redacted secret]');
  expect(found(opened.log())).toEqual([]);
  expect(opened.log()).not.toContain('x sk-your');
});
