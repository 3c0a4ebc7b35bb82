/** Agent jobs, version 2, over HTTP; what works on them is the tests' hand. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  agentOf,
  failureOf,
  handOf,
  kestrelProject,
  ospreyProject,
  pull,
  type SentEvent,
  sentEvents,
} from '../support/agent.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';
import { verifies } from '../support/verifies.ts';

let docent: TestDocent;
let agent: ReturnType<typeof agentOf>;
let hand: ReturnType<typeof handOf>;

beforeAll(async () => {
  docent = await startDocent({
    runJobs: false,
    projects: [
      kestrelProject,
      { ...kestrelProject, id: 'kestrel-blog', site: 'kestrel-blog' },
      { ...kestrelProject, id: 'plain', site: undefined, model: undefined },
      { id: 'empty', organization: 'kestrel' },
      ospreyProject,
    ],
    models: {
      main: {
        provider: 'openai-compatible',
        baseUrl: 'http://127.0.0.1:1',
        model: 'vendor/main-1',
      },
      large: {
        provider: 'openai-compatible',
        baseUrl: 'http://127.0.0.1:1',
        model: 'vendor/large-1',
      },
    },
    agent: { perProjectAndHour: 1_000, models: { opus: 'large' } },
  });
  agent = agentOf(docent);
  hand = handOf(docent);
});
afterAll(() => docent[Symbol.asyncDispose]());

const prompt = 'Document the --dry-run option';
const newJob = async () => (await agent.create({ prompt })).body;
const ulid = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string;

verifies(['agent-v2:create', 'agent-v2:shape'], 'create answers 201 with the job', async () => {
  const { status, headers, body } = await agent.create({ prompt });
  expect(status).toBe(201);
  expect(headers.get('location')).toBe(`/v2/agent/kestrel/job/${body.id}`);
  expect(body).toMatchObject({
    id: expect.stringMatching(ulid) as string,
    status: 'active',
    source: {
      repository: 'https://github.com/kestrel/docs',
      ref: expect.stringMatching(/^docent\/document-the-dry-run-option-/) as string,
    },
    model: 'vendor/main-1',
    prLink: null,
    createdAt: time,
    archivedAt: null,
    failure: null,
    title: null,
    todos: [],
    round: 1,
    pullRequest: null,
  });
  expect(body.position).toBeGreaterThan(0);
  const read = await agent.read(body.id);
  expect(read.status).toBe(200);
  expect(read.body).toEqual(body);
});

verifies('agent-v2:states', 'active, then completed with the pull request, or failed', async () => {
  const { id } = await newJob();
  await hand.take(id);
  expect((await agent.read(id)).body).toMatchObject({ status: 'active', position: null });
  await hand.complete(id, pull);
  expect((await agent.read(id)).body).toMatchObject({
    status: 'completed',
    prLink: pull.url,
    pullRequest: pull,
    message: 'The install page is right now.',
    title: 'Fix the install page',
    finishedAt: time,
  });
  const other = await newJob();
  await hand.take(other.id);
  await hand.fail(other.id, failureOf('model_failed', 'It said nothing.'));
  expect((await agent.read(other.id)).body).toMatchObject({
    status: 'failed',
    prLink: null,
    failure: {
      code: 'model_failed',
      title: expect.any(String) as string,
      message: 'It said nothing.',
      remedy: expect.any(String) as string,
      retryable: true,
    },
  });
});

test('nothing had to be changed: completed, without a pull request', async () => {
  const { id } = await newJob();
  await hand.take(id);
  await hand.complete(id);
  const { body } = await agent.read(id);
  expect(body).toMatchObject({ status: 'completed', prLink: null });
  expect(body.message).not.toBeNull();
});

verifies(
  'agent-v2:message',
  'a message reaches an active job and brings back an ended one',
  async () => {
    const { id } = await newJob();
    await hand.take(id);
    const during = await agent.message(id, { prompt: 'And its short form' });
    expect(during.status).toBe(200);
    expect(during.body).toMatchObject({ id, status: 'active', round: 1 });
    await hand.complete(id, pull);
    const after = await agent.message(id, { prompt: 'Mention version 4.2' });
    expect(after.status).toBe(200);
    expect(after.body).toMatchObject({
      status: 'active',
      round: 2,
      prLink: null,
      pullRequest: pull,
      finishedAt: null,
    });
  },
);

test('a job is archived by hand, and then takes no message', async () => {
  const { id } = await newJob();
  expect((await agent.archive(id)).status).toBe(409);
  await hand.take(id);
  await hand.complete(id, pull);
  const archived = await agent.archive(id);
  expect(archived.status).toBe(200);
  expect(archived.body).toMatchObject({ status: 'completed', prLink: pull.url, archivedAt: time });
  const refused = await agent.message(id, { prompt: 'More' });
  expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
  expect(refused.body.error).toContain('archived');
});

describe('cancel', () => {
  test('a job that waits has failed at once', async () => {
    const { id } = await newJob();
    const { status, body } = await agent.cancel(id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'failed', failure: { code: 'cancelled' } });
  });

  test('one that runs is about to; DELETE is the same; once it has ended, 409', async () => {
    const { id } = await newJob();
    await hand.take(id);
    const { status, body } = await agent.remove(id);
    expect([status, body.status]).toEqual([200, 'active']);
    expect((await agent.cancel(id)).status).toBe(200);
    expect((await agent.message(id, { prompt: 'Go on' })).status).toBe(409);
    await hand.fail(id, failureOf('cancelled', 'It was cancelled.'));
    expect((await agent.remove(id)).status).toBe(409);
    expect((await agent.cancel(id)).status).toBe(409);
    expect((await agent.message(id, { prompt: 'Go on' })).body.status).toBe('active');
  });
});

describe('what is refused', () => {
  test.each([
    ['no prompt', {}, 'prompt'],
    ['an empty prompt', { prompt: ' \n' }, 'prompt'],
    ['a prompt that is no text', { prompt: 5 }, 'prompt'],
    ['a prompt that is too long', { prompt: 'x'.repeat(100_001) }, 'prompt'],
    ['a command that is none', { command: 'fix-links' }, 'command'],
    ['a command of an unknown type', { command: { type: 'delete-page' } }, 'command.type'],
    ['a command without a field', { command: { type: 'move-page', from: 'a' } }, 'command.to'],
    [
      'an empty text',
      { command: { type: 'replace-text', find: ' ', replace: '' } },
      'command.find',
    ],
    [
      'a title of two lines',
      { command: { type: 'add-page', path: 'a', title: 'A\nB' } },
      'command.title',
    ],
    ['a prompt and a command', { prompt, command: { type: 'fix-links' } }, 'command'],
    [
      'a secret in a command',
      {
        command: {
          type: 'replace-text',
          find: 'TOKEN',
          replace: `ghp_${'aB3dE6gH9j'.repeat(4).slice(0, 36)}`,
        },
      },
      'command.replace',
    ],
    ['a branch that is none', { prompt, branch: 'a..b' }, 'branch'],
    ['the base branch', { prompt, branch: 'main' }, 'branch'],
    ['a model that nobody knows', { prompt, model: 'gpt' }, 'model'],
    ['a draft that is no boolean', { prompt, asDraft: 'yes' }, 'asDraft'],
  ])('%s', async (_name, body, field) => {
    const { status, body: refused } = await agent.create(body);
    expect([status, refused.code]).toEqual([400, 'bad_request']);
    expect(refused.error).toContain(`\`${field}\``);
    expect(refused.details).toMatchObject([{ path: field }]);
  });

  test('a message without words', async () => {
    const { id } = await newJob();
    expect((await agent.message(id, {})).status).toBe(400);
    expect((await agent.message(id, { prompt: '' })).status).toBe(400);
  });

  test('the longest prompt, unknown fields and null are taken', async () => {
    const longest = await agent.create({ prompt: 'x'.repeat(100_000) });
    expect(longest.status).toBe(201);
    const other = { prompt, branch: null, model: null, asDraft: null, allowLarge: null, source: 1 };
    expect((await agent.create(other)).status).toBe(201);
  });

  test('an unknown model is told which there are', async () => {
    const { error } = (await agent.create({ prompt, model: 'gpt' })).body;
    for (const name of ['main', 'large', 'sonnet', 'opus']) {
      expect(error).toContain(`"${name}"`);
    }
  });

  test('a project without a repository', async () => {
    const { status, body } = await agentOf(docent, 'empty').create({ prompt });
    expect([status, body.code]).toEqual([409, 'conflict']);
    expect(body.error).toContain('repository');
  });

  test('what is not there, or not for this key: the same 404', async () => {
    const { id } = await newJob();
    const bodies: unknown[] = [];
    const note = ({ status, body }: { status: number; body: { error: string; code: string } }) => {
      expect(status).toBe(404);
      bodies.push([body.error, body.code]);
    };
    for (const unknown of [id, 'nonsense']) {
      for (const project of unknown === id ? ['kestrel-blog'] : ['kestrel', 'kestrel-blog']) {
        const other = agentOf(docent, project);
        note(await other.read(unknown));
        note(await other.message(unknown, { prompt }));
        note(await other.cancel(unknown));
        note(await other.remove(unknown));
        note(await other.archive(unknown));
        const events = await other.follow(unknown);
        note({ status: events.status, body: (await events.json()) as never });
      }
    }
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    const projects: unknown[] = [];
    for (const project of ['osprey', 'nobody']) {
      const { status, body } = await agentOf(docent, project).create({ prompt });
      expect(status).toBe(404);
      projects.push([body.error, body.code]);
    }
    expect(projects[0]).toEqual(projects[1]);
  });

  verifies(['auth:admin-key', 'auth:admin-key-prefix'], 'every key but an admin key', async () => {
    expect(docent.admin).toMatch(/^svc_(?!dsc_)/);
    const { id } = await newJob();
    const calls = (key: string) => [
      agent.create({ prompt }, { key }),
      agent.read(id, { key }),
      agent.message(id, { prompt }, { key }),
      agent.cancel(id, { key }),
      agent.list('', { key }),
    ];
    for (const { status } of await Promise.all(calls(docent.key))) expect(status).toBe(403);
    for (const key of ['', 'nonsense', `svc_${'x'.repeat(43)}`]) {
      for (const { status } of await Promise.all(calls(key))) expect(status).toBe(401);
    }
  });

  test('a key that may only read', async () => {
    const { id } = await newJob();
    const { token: key } = await docent.keys.create({
      kind: 'admin',
      organization: 'kestrel',
      name: 'reader',
      scopes: ['read'],
    });
    const read = await agent.read(id, { key });
    const list = await agent.list('', { key });
    expect([read.status, list.status]).toEqual([200, 200]);
    // Addresses carry no permission for any key: who opens one signs in or enters a key.
    const own = await agent.read(id);
    for (const job of [read.body, own.body, ...list.body.jobs]) {
      expect(job.pageUrl).toBe(`${docent.url}/dashboard/projects/kestrel/jobs/${job.id}`);
    }
    expect((await agent.create({ prompt }, { key })).status).toBe(403);
    expect((await agent.cancel(id, { key })).status).toBe(403);
  });
});

test('no CORS headers, whoever asks from wherever', async () => {
  const { id } = await newJob();
  for (const [method, path] of [
    ['OPTIONS', '/job'],
    ['OPTIONS', `/job/${id}`],
    ['GET', `/job/${id}`],
    ['GET', '/jobs'],
  ] as const) {
    const response = await fetch(`${docent.url}/v2/agent/kestrel${path}`, {
      method,
      headers: {
        authorization: `Bearer ${docent.admin}`,
        origin: 'https://docs.kestrel.example',
        ...(method === 'OPTIONS' && {
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization',
        }),
      },
    });
    expect(
      [...response.headers.keys()].filter((name) => name.startsWith('access-control')),
    ).toEqual([]);
  }
});

test('models: a name of the configuration, those of version 1, the project’s', async () => {
  const modelOf = async (model?: string) => (await agent.create({ prompt, model })).body.model;
  expect(await modelOf()).toBe('vendor/main-1');
  expect(await modelOf('large')).toBe('vendor/large-1');
  // As a job shows it.
  expect(await modelOf('vendor/large-1')).toBe('vendor/large-1');
  expect(await modelOf('opus')).toBe('vendor/large-1');
  expect(await modelOf('sonnet')).toBe('vendor/main-1');
});

describe('a project without a language model', () => {
  const command = { type: 'move-page', from: 'quick-start.md', to: 'getting-started.md' };

  test('takes commands, and says so where it gets words', async () => {
    const plain = agentOf(docent, 'plain');
    const refused = await plain.create({ prompt });
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    for (const word of ['add-page', 'replace-text', 'move-page', 'fix-links', '`model`'])
      expect(refused.body.error).toContain(word);
    const { status, body } = await plain.create({ command });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      model: 'none',
      source: { ref: expect.stringMatching(/^docent\/move-quick-start/) as string },
    });
    expect((await plain.message(body.id, { prompt })).status).toBe(409);
    expect((await plain.message(body.id, { command: { type: 'fix-links' } })).status).toBe(200);
    const said = (await read(await cancelled(plain, body.id))).filter(
      ({ event }) => event === 'message',
    );
    expect(said.map(({ data }) => data)).toMatchObject([
      { prompt: 'Move quick-start.md to getting-started.md' },
      { prompt: 'Fix broken links' },
    ]);
  });

  test('a job that names a model takes words', async () => {
    const { status, body } = await agentOf(docent, 'plain').create({ prompt, model: 'large' });
    expect([status, body.model]).toEqual([201, 'vendor/large-1']);
  });

  async function cancelled(plain: typeof agent, id: string) {
    await plain.cancel(id);
    return plain.follow(id);
  }
});

test('the list is newest first, and pages', async () => {
  const blog = agentOf(docent, 'kestrel-blog');
  const ids: string[] = [];
  for (let made = 0; made < 14; made++) ids.unshift((await blog.create({ prompt })).body.id);
  const listed = async (query: string) => (await blog.list(query)).body.jobs.map(({ id }) => id);
  expect(await listed('')).toEqual(ids.slice(0, 12));
  expect(await listed('?skip=12')).toEqual(ids.slice(12));
  expect(await listed('?skip=1&take=2')).toEqual(ids.slice(1, 3));
  expect(await listed('?take=100')).toEqual(ids);
  for (const query of ['?take=0', '?take=101', '?skip=-1', '?take=x']) {
    expect((await blog.list(query)).status).toBe(400);
  }
});

describe('Idempotency-Key', () => {
  const send = (key: string, body: unknown = { prompt }) =>
    agent.create(body, { headers: { 'idempotency-key': key } });

  test('the same request is one job', async () => {
    const first = await send('release-4.2');
    expect(first.headers.get('idempotent-replay')).toBeNull();
    const again = await send('release-4.2');
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotent-replay')).toBe('true');
    expect(again.body.id).toBe(first.body.id);
    const other = await send('release-4.2', { prompt: 'Something else' });
    expect([other.status, other.body.code]).toEqual([409, 'conflict']);
    expect((await send('release-4.3')).body.id).not.toBe(first.body.id);
  });

  test('fifty at once are one job', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => send('fifty')));
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 201));
    expect(new Set(all.map(({ body }) => body.id)).size).toBe(1);
    expect(all.filter(({ headers }) => headers.get('idempotent-replay') === null)).toHaveLength(1);
  });

  test('the same message is said once', async () => {
    const { id } = await newJob();
    const say = (text: string) =>
      agent.message(id, { prompt: text }, { headers: { 'idempotency-key': 'once' } });
    await say('More');
    const again = await say('More');
    expect([again.status, again.headers.get('idempotent-replay')]).toEqual([200, 'true']);
    expect((await say('Less')).status).toBe(409);
    await agent.cancel(id);
    const said = (await read(await agent.follow(id))).filter(({ event }) => event === 'message');
    expect(said.map(({ data }) => data)).toMatchObject([{ prompt }, { prompt: 'More' }]);
  });

  test('a key that is none', async () => {
    expect((await send('x'.repeat(256))).status).toBe(400);
    expect((await send('x'.repeat(255))).status).toBe(201);
    expect((await send('é')).status).toBe(400);
  });
});

async function read(response: Response): Promise<SentEvent[]> {
  const events: SentEvent[] = [];
  for await (const event of sentEvents(response)) events.push(event);
  return events;
}

describe('events', () => {
  test('all that happened, from the beginning or from where a reader was', async () => {
    const { id } = await newJob();
    await hand.take(id);
    await hand.say(id, { type: 'text', text: 'I look.' });
    await hand.complete(id, pull);
    const response = await agent.follow(id);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const all = await read(response);
    expect(all.map(({ id: seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(all.map(({ event }) => event)).toEqual([
      'message',
      'queued',
      'started',
      'text',
      'completed',
    ]);
    expect(all.at(-1)?.data).toMatchObject({
      type: 'completed',
      seq: 5,
      at: time,
      prLink: pull.url,
    });
    expect(await read(await agent.follow(id, 3))).toEqual(all.slice(3));
    expect((await agent.follow(id, 5)).status).toBe(204);
    expect((await agent.follow(id, 'x')).status).toBe(400);
  });

  test('what happens is told as it happens, until the job has ended', async () => {
    const { id } = await newJob();
    const events = sentEvents(await agent.follow(id));
    const next = async () => (await events.next()).value?.event as string;
    expect([await next(), await next()]).toEqual(['message', 'queued']);
    await hand.take(id);
    expect(await next()).toBe('started');
    await agent.message(id, { prompt: 'More' });
    expect(await next()).toBe('message');
    await agent.cancel(id);
    expect(await next()).toBe('cancel-requested');
    await hand.fail(id, failureOf('cancelled', 'It was cancelled.'));
    expect(await next()).toBe('failed');
    expect((await events.next()).done).toBe(true);
  });

  test('who leaves ends nothing', async () => {
    const { id } = await newJob();
    const gone = new AbortController();
    const events = sentEvents(await agent.follow(id, undefined, gone.signal));
    await events.next();
    gone.abort();
    await hand.take(id);
    await hand.complete(id);
    expect((await agent.read(id)).body.status).toBe('completed');
  });
});
