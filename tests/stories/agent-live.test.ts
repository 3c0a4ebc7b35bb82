/** One run, as it is seen through every endpoint at once: one history. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentOf, sentEvents, type SentEvent } from '../support/agent.ts';
import { follow } from '../support/agent-script.ts';
import { getJson } from '../support/call.ts';
import { releases4, renderChat4 } from '../support/chat-sdk-4.ts';
import { type DocsRepository, makeRepository } from '../support/docs-repository.ts';
import { gate, type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { startDocent, type TestDocent, toModel } from '../support/start-docent.ts';
import { verifies } from '../support/verifies.ts';
import { waitFor } from '../support/wait-for.ts';

let model: ScriptedModel;
let docs: DocsRepository;
let docent: TestDocent;
let agent: ReturnType<typeof agentOf>;

beforeAll(async () => {
  model = await startScriptedModel();
  docs = await makeRepository({
    'install.md': '# Install\n\nRun the instaler.\n',
    'usage.md': '# Usage\n\nStart it.\n',
  });
  docent = await startDocent({
    models: { main: toModel(model.url) },
    limits: { followersPerKey: 8 },
    projects: [{ id: 'kestrel', organization: 'kestrel', repository: docs.path, model: 'main' }],
  });
  agent = agentOf(docent);
});
afterAll(async () => {
  await docent[Symbol.asyncDispose]();
  await docs[Symbol.asyncDispose]();
  await model.close();
});

const todos = [{ id: '1', content: 'Fix the page', status: 'in_progress', priority: 'high' }];
const look = [
  'I look for ',
  'the page.',
  { call: 'read', input: { path: 'install.md' } },
  { call: 'todo', input: { todos } },
];
const fix = {
  call: 'edit',
  input: { path: 'install.md', oldText: 'instaler', newText: 'installer' },
};
const finish = {
  call: 'finish',
  input: { title: 'Fix a typo', message: 'The install page is right now.' },
};

verifies(
  ['agent-v2:pull-request', 'agent-v2:states', 'agent-v1:create'],
  'the stream of version 1, the log, the poll and the repository tell the same',
  async () => {
    const held = gate();
    model.reply(
      follow({
        for: 'instaler',
        answers: [look, [{ wait: held.wait }, 'I have found it.', fix], [finish]],
      }),
    );
    const response = await fetch(`${docent.url}/v1/agent/kestrel/job`, {
      method: 'POST',
      headers: { authorization: `Bearer ${docent.admin}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        messages: [{ role: 'user', content: 'It says instaler, fix that.' }],
      }),
    });
    const id = response.headers.get('x-session-id') ?? '';
    const log = read(await agent.follow(id));
    await waitFor('the list', async () => (await agent.read(id)).body.todos.length > 0);
    const during = (await agent.read(id)).body;
    expect(during).toMatchObject({ status: 'active', prLink: null, todos, usage: { steps: 1 } });
    held.open();

    const lines = (await response.text()).split('\n').filter((line) => line !== '');
    const parts = lines.map((line) => [line.slice(0, 1), JSON.parse(line.slice(2)) as unknown]);
    const events = await log;
    const { body: job } = await agent.read(id);
    const { body: session } = await getJson(docent, `/v1/agent/kestrel/job/${id}`, {
      key: docent.admin,
    });

    expect(job).toMatchObject({ status: 'completed', title: 'Fix a typo', failure: null });
    expect(job.prLink).toBeTruthy();
    expect(await docs.read('install.md', job.source.ref)).toBe('# Install\n\nRun the installer.\n');
    expect(await docs.read('install.md')).toContain('instaler');
    expect(session).toMatchObject({
      sessionId: id,
      haultReason: 'completed',
      pullRequestLink: job.prLink,
      messageToUser: job.message,
      todos: job.todos,
      branch: job.source.ref,
    });

    const told = events.map(({ data }) => data);
    expect(told.map(({ seq }) => seq)).toEqual(told.map((_, index) => index + 1));
    expect(told.at(-1)).toMatchObject({ type: 'completed', prLink: job.prLink });
    expect(told.filter(({ type }) => type === 'pull-request')).toHaveLength(1);
    const words = told.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('');
    expect(words).toBe('I look for the page.I have found it.');
    const texts = parts
      .flatMap(([code, value]) => (code === '0' ? [value as string] : []))
      .join('');
    expect(texts).toBe(
      `I look for the page.\n\nI have found it.\n\nThe install page is right now.\n\n${job.prLink}`,
    );
    const calls = told.flatMap((event) =>
      event.type === 'tool-call' ? [[event.id, event.name]] : [],
    );
    expect(calls.map(([, name]) => name)).toEqual(['read', 'todo', 'edit', 'finish']);
    expect(
      parts.flatMap(([code, value]) => {
        const { toolCallId, toolName } = value as { toolCallId: string; toolName: string };
        return code === '9' ? [[toolCallId, toolName]] : [];
      }),
    ).toEqual(calls);
    expect(parts.at(-1)?.[0]).toBe('d');
  },
);

test.each(releases4)('useChat of ai $name reads a real run to its end', async (release) => {
  model.reply(
    follow({
      for: 'Start it',
      answers: [
        look,
        [
          'It is right as it is.',
          { ...finish, input: { title: 'Nothing to do', message: 'It is right as it is.' } },
        ],
      ],
    }),
  );
  using page = await renderChat4(release, {
    api: `${docent.url}/v1/agent/kestrel/job`,
    key: docent.admin,
  });
  await page.chat().append({ role: 'user', content: 'Is “Start it” right?' });
  const chat = await page.settled();
  expect(chat.error).toBeUndefined();
  expect(chat.messages.at(-1)?.content).toBe('I look for the page.\n\nIt is right as it is.');
  expect(chat.data).toMatchObject([{ type: 'finish', pullRequestLink: '' }]);
});

test('so many follow with one key at the same moment, and another when one has left; the job goes on', async () => {
  const held = gate();
  model.reply(
    follow({ for: 'Wait here', answers: [[{ wait: held.wait }, 'Nothing to do.', finish]] }),
  );
  const { body } = await agent.create({ prompt: 'Wait here' });
  const leave = Array.from({ length: 8 }, () => new AbortController());
  // A response that nobody holds is collected as garbage, and its connection with it.
  const followers: Response[] = [];
  for (const { signal } of leave) followers.push(await agent.follow(body.id, undefined, signal));
  expect(followers.map(({ status }) => status)).toEqual(leave.map(() => 200));
  const refused = await agent.follow(body.id);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('15');
  expect(await refused.json()).toMatchObject({ code: 'rate_limited' });
  const made = await fetch(`${docent.url}/v1/agent/kestrel/job`, {
    method: 'POST',
    headers: { authorization: `Bearer ${docent.admin}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      branch: 'docs/never',
      messages: [{ id: '1', role: 'user', content: 'Never made', parts: [] }],
    }),
  });
  expect(made.status).toBe(429);
  leave[0]?.abort();
  const log = await waitFor('room', async () => {
    const response = await agent.follow(body.id);
    return response.status === 200 && response;
  });
  held.open();
  expect((await read(log)).at(-1)?.event).toBe('completed');
  for (const each of leave) each.abort();
  expect(followers).toHaveLength(leave.length);
  // The session that was refused has left no job behind.
  expect((await agent.list()).body.jobs.map(({ source }) => source.ref)).not.toContain(
    'docs/never',
  );
});

async function read(response: Response): Promise<SentEvent[]> {
  const events: SentEvent[] = [];
  for await (const event of sentEvents(response)) events.push(event);
  return events;
}
