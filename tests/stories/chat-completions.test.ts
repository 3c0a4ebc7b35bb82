/** The real `openai` package talks with the running server, as it would with OpenAI's. */
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { docent, model, useScriptedDocent } from '../support/scripted-docent.ts';
import { silence } from '../support/scripted-model.ts';
import { startDocent } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

useScriptedDocent();

const question = 'How do I install Kestrel?';
const messages = [{ role: 'user', content: question }] as const;
/** The model breaks off with an error of its own. */
const fault = { raw: 'data: {"error":{"message":"secret","code":"x"}}\n\n' };
const asked = { model: 'docent', messages: [...messages] };

/** What an answer has besides OpenAI's fields. */
interface Extension {
  docent?: {
    threadId: string;
    sources: { id: string; url: string; title: string }[];
    status?: string;
    confidence?: number;
    ended?: string;
  };
}

function connect(options: { key?: string; url?: string } = {}) {
  const { key = docent.key, url = docent.url } = options;
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
}

const refusal = async (
  work: PromiseLike<unknown>,
): Promise<InstanceType<typeof OpenAI.APIError>> => {
  const error: unknown = await Promise.resolve(work).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof OpenAI.APIError) return error;
  throw new Error(`Not an API error: ${String(error)}`);
};

test('a whole answer, with its sources where the text cites them', async () => {
  model.once(['Run the installer [1]', ' of Kestrel, `not [1] in code`.']);
  const { data, response } = await connect().chat.completions.create(asked).withResponse();
  const { docent: ours } = data as Extension;
  expect(ours?.threadId).toBe(response.headers.get('x-thread-id'));
  expect(ours).toMatchObject({ status: 'answered', mode: 'model', confidence: expect.any(Number) });
  const [source] = ours?.sources ?? [];
  expect(source?.url).toMatch(/^https:\/\/docs\.kestrel\.example\/install#/);
  expect(data).toMatchObject({
    id: expect.stringMatching(/^chatcmpl-[0-9A-Z]{26}$/),
    object: 'chat.completion',
    created: expect.any(Number),
    model: 'docent',
    usage: { prompt_tokens: 100, completion_tokens: 2, total_tokens: 102 },
  });
  expect(data.choices).toEqual([
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Run the installer [1] of Kestrel, `not [1] in code`.',
        refusal: null,
        annotations: [
          {
            type: 'url_citation',
            url_citation: {
              start_index: 18,
              end_index: 21,
              url: source?.url,
              title: source?.title,
            },
          },
        ],
      },
      logprobs: null,
      finish_reason: 'stop',
    },
  ]);
});

test('a stream of chunks, with usage where it is asked for', async () => {
  model.once(['Run it', ' now', '. [1]']);
  const stream = await connect().chat.completions.create({
    ...asked,
    model: 'kestrel-docs',
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
  expect(text).toBe('Run it now. [1]');
  expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '', refusal: null });
  const [last, usage] = chunks.slice(-2);
  expect(last?.choices[0]).toMatchObject({
    delta: { annotations: [{ type: 'url_citation' }] },
    finish_reason: 'stop',
  });
  expect((last as Extension).docent).toMatchObject({ status: 'answered' });
  expect(usage).toMatchObject({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 3 } });
  expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
  expect(new Set(chunks.map((chunk) => chunk.model))).toEqual(new Set(['kestrel-docs']));
});

test('the package’s own reader of streams puts it together', async () => {
  const stream = connect().chat.completions.stream(asked);
  const completion = await stream.finalChatCompletion();
  expect(completion.choices[0]?.message.content).toBe('Kestrel answers in words. [1]');
});

test('a thread goes on by its id, in the body or in a header; the conversation may come along', async () => {
  const client = connect();
  model.once(['With the installer.']);
  const first = (await client.chat.completions.create(asked)) as Extension;
  const threadId = first.docent?.threadId ?? '';
  const next = { ...asked, messages: [{ role: 'user', content: 'And on Windows?' }] } as const;
  await client.chat.completions.create({
    ...next,
    messages: [...next.messages],
    metadata: { threadId },
  });
  expect(model.last.body.messages).toContainEqual({
    role: 'assistant',
    content: 'With the installer.',
  });
  const third = (await client.chat.completions.create(
    { ...next, messages: [...next.messages] },
    { headers: { 'X-Thread-Id': threadId } },
  )) as Extension;
  expect(third.docent?.threadId).toBe(threadId);
  expect(await docent.turns(threadId)).toHaveLength(3);

  await client.chat.completions.create({
    model: 'docent',
    temperature: 0.2,
    tools: [{ type: 'function', function: { name: 'unused' } }],
    messages: [
      { role: 'developer', content: 'You are a pirate.' },
      { role: 'user', content: [{ type: 'text', text: 'What is Kestrel?' }] },
      { role: 'assistant', content: 'A station.' },
      { role: 'user', content: [{ type: 'text', text: 'How do I install it?' }] },
    ],
  });
  expect(model.last.text).toContain('What is Kestrel?');
  expect(model.last.text).toContain('Question: How do I install it?');
  expect(model.last.text).not.toContain('pirate');
});

describe('the models are the sites of the key', () => {
  test('of one site, or of an organization', async () => {
    const one = await connect().models.list();
    expect(one.data).toEqual([
      { id: 'kestrel-docs', object: 'model', created: 0, owned_by: 'kestrel' },
    ]);
    expect((await connect().models.retrieve('docent')).id).toBe('kestrel-docs');
    const { token } = await docent.keys.create({
      kind: 'assistant',
      organization: 'kestrel',
      name: 'all of Kestrel’s sites',
    });
    const client = connect({ key: token });
    const all = await client.models.list();
    expect(all.data.map(({ id }) => id)).toEqual(['kestrel-docs', 'kestrel-blog']);
    const error = await refusal(client.chat.completions.create(asked));
    expect([error.status, error.code, error.param]).toEqual([404, 'not_found', 'model']);
    expect(error.message).toContain('GET /v1/models');
  });

  test('another’s site is no model', async () => {
    const error = await refusal(
      connect().chat.completions.create({ ...asked, model: 'osprey-docs' }),
    );
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
  });
});

describe('errors have OpenAI’s shape', () => {
  test('a wrong key, a wrong kind of key', async () => {
    const error = await refusal(connect({ key: 'svc_dsc_wrong' }).models.list());
    expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(error.error).toEqual({
      message: expect.stringContaining('API key'),
      type: 'authentication_error',
      code: 'unauthorized',
      param: null,
      requestId: error.requestID,
    });
    const admin = await docent.keys.create({ kind: 'admin', organization: 'kestrel', name: 'a' });
    const forbidden = await refusal(connect({ key: admin.token }).models.list());
    expect(forbidden).toBeInstanceOf(OpenAI.PermissionDeniedError);
  });

  test.each([
    ['no messages', { model: 'docent', messages: [] }, 'messages'],
    ['two answers', { ...asked, n: 2 }, 'n'],
    ['no model', { messages: [...messages] }, 'model'],
    ['an unknown thread', { ...asked, metadata: { threadId: 'x' } }, null],
  ])('%s', async (_what, body, param) => {
    const error = await refusal(connect().chat.completions.create(body as unknown as typeof asked));
    expect([error.status, error.param]).toEqual([param === null ? 404 : 400, param]);
    expect(error.type).toBe('invalid_request_error');
  });

  test('too many questions', async () => {
    await using other = await startDocent({ model, limits: { perKeyAndMonth: 1 } });
    const client = connect({ url: other.url, key: other.key });
    await client.chat.completions.create(asked);
    const error = await refusal(client.chat.completions.create(asked));
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(Number(error.headers?.get('retry-after'))).toBeGreaterThan(0);
  });

  test('too many questions of one reader in a minute', async () => {
    await using other = await startDocent({ model, limits: { perReaderAndMinute: 1 } });
    const client = connect({ url: other.url, key: other.key });
    await client.chat.completions.create({ ...asked, user: 'reader-1' });
    const error = await refusal(client.chat.completions.create({ ...asked, user: 'reader-1' }));
    expect([error.status, error.code]).toEqual([429, 'rate_limited']);
    const others = client.chat.completions.create({ ...asked, user: 'reader-2' });
    expect((await others).object).toBe('chat.completion');
  });

  test('a path and a method that do not exist', async () => {
    const deleted = await fetch(`${docent.url}/v1/models`, { method: 'DELETE' });
    expect(deleted.status).toBe(405);
    expect(await deleted.json()).toMatchObject({ error: { code: 'method_not_allowed' } });
  });

  test('a fault of the model: a status for a whole answer, an error in a stream', async () => {
    const client = connect();
    model.once(['Half', fault]);
    const whole = await refusal(client.chat.completions.create(asked));
    expect([whole.status, whole.code, whole.type]).toEqual([
      502,
      'upstream_failed',
      'server_error',
    ]);

    model.once(['Half', fault]);
    const stream = await client.chat.completions.create({ ...asked, stream: true });
    let text = '';
    const error = await refusal(
      (async () => {
        for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
      })(),
    );
    expect(text).toBe('Half');
    expect(error.message).toBe('The language model reported an error. Please try again.');
    const next = await client.chat.completions.create(asked);
    expect(next.choices[0]?.message.content).toBe('Kestrel answers in words. [1]');
  });
});

test.each([true, false])('who leaves stops the model (stream: %s)', async (stream) => {
  model.once(['Half', silence]);
  const before = model.requests.length;
  const leave = new AbortController();
  const reading = connect()
    .chat.completions.create({ ...asked, stream, user: 'reader-7' }, { signal: leave.signal })
    .then(async (answer) => {
      if (Symbol.asyncIterator in answer) for await (const _chunk of answer);
    })
    .catch(() => undefined);
  const request = await model.request(before + 1);
  await waitFor('the model to have begun', () => request.tokensSent > 0);
  leave.abort();
  await request.gone;
  await reading;
});

describe('pages of other origins', () => {
  const from = (origin: string, init: RequestInit = {}) =>
    fetch(`${docent.url}/v1/chat/completions`, {
      ...init,
      headers: {
        origin,
        authorization: `Bearer ${docent.key}`,
        'content-type': 'application/json',
        ...(init.headers as Record<string, string>),
      },
    });

  test('may ask where the site allows them', async () => {
    const origin = 'https://docs.kestrel.example';
    const preflight = await from(origin, {
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    const response = await from(origin, { method: 'POST', body: JSON.stringify(asked) });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    const refused = await from(origin, { method: 'POST', body: '{}' });
    expect(refused.status).toBe(400);
    expect(refused.headers.get('access-control-allow-origin')).toBe(origin);
  });

  test('and not elsewhere', async () => {
    const response = await from('https://evil.example', {
      method: 'POST',
      body: JSON.stringify(asked),
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: { code: 'forbidden' } });
  });
});
