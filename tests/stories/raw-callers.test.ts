/** Callers without an SDK: what stands on the wire, word for word. */
import { describe, expect, test, vi } from 'vitest';
import { partOf, readEvents, readRest, readUntil, toBody } from '../support/ask.ts';
import { docent, model, useScriptedDocent } from '../support/scripted-docent.ts';
import { gate, silence } from '../support/scripted-model.ts';
import { verifies } from '../support/verifies.ts';
import { waitFor } from '../support/wait-for.ts';

useScriptedDocent();

const question = 'How do I install Kestrel?';

verifies(
  ['assistant-v2:path', 'assistant-v2:finish-event', 'assistant-v2:thread-id'],
  'the thread id stands on the finish event, on the first part, and in a header',
  async () => {
    const asked = await docent.ask(question);
    expect(asked.status).toBe(200);
    const event = asked.parts.find((each) => each.type === 'finish');
    const threadId = asked.headers.get('x-thread-id');
    expect(threadId).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(event?.['threadId']).toBe(threadId);
    expect(event?.['messageMetadata']).toEqual({ threadId });
    expect(partOf(asked.parts, 'start')?.['messageMetadata']).toEqual({ threadId });
  },
);

verifies('assistant-v2:stream', 'the answer, byte for byte', async () => {
  // One token: those that arrive together may travel as one.
  model.once(['Run it. [1]\n']);
  const asked = await docent.ask('uninstall remove readings');
  const threadId = asked.headers.get('x-thread-id');
  const start = partOf(asked.parts, 'start');
  const sources = asked.parts.filter((part) => part.type === 'source-url');
  const answer = partOf(asked.parts, 'data-answer')?.['data'] as { confidence: number };
  expect(answer.confidence).toBeGreaterThan(0.4);
  expect(sources.length).toBeGreaterThan(0);
  const suggestions = asked.parts.filter((part) => part.type === 'data-suggestions');
  expect(asked.raw).toBe(
    [
      `data: {"type":"start","messageId":"${start?.['messageId'] as string}","messageMetadata":{"threadId":"${threadId}"}}`,
      'data: {"type":"start-step"}',
      ...sources.map((source) => `data: ${JSON.stringify(source)}`),
      'data: {"type":"text-start","id":"0"}',
      'data: {"type":"text-delta","id":"0","delta":"Run it. [1]\\n"}',
      'data: {"type":"text-end","id":"0"}',
      `data: {"type":"data-answer","data":{"status":"answered","confidence":${answer.confidence},"mode":"model","model":"main/scripted"}}`,
      ...suggestions.map((part) => `data: ${JSON.stringify(part)}`),
      'data: {"type":"finish-step"}',
      `data: {"type":"finish","messageMetadata":{"threadId":"${threadId}"},"finishReason":"stop","threadId":"${threadId}"}`,
      'data: [DONE]',
      '',
    ].join('\n\n'),
  );
  expect(sources[0]).toEqual({
    type: 'source-url',
    sourceId: '1',
    url: 'https://docs.kestrel.example/install#uninstall',
    title: 'Install Kestrel › Uninstall',
    providerMetadata: {
      docent: {
        quote: 'Run kestrel-setup remove. The readings that were already sent stay on the server.',
      },
    },
  });
});

describe('an SDK is known by', () => {
  test.each([
    ['its trigger', { trigger: 'submit-message' }, {}],
    ['its trigger for another answer', { trigger: 'regenerate-message' }, {}],
    ['its User-Agent', {}, { 'user-agent': 'ai-sdk/5.0.277 runtime/browser' }],
    [
      'the id of its last message',
      {
        messages: [
          { id: 'aB3dE6gH9jK2mN5p', role: 'user', parts: [{ type: 'text', text: question }] },
        ],
      },
      {},
    ],
  ])('%s, and gets no key it would refuse', async (_how, more, headers) => {
    const asked = await docent.ask(toBody(question, more), { headers });
    const threadId = asked.headers.get('x-thread-id');
    expect(partOf(asked.parts, 'finish')).toEqual({
      type: 'finish',
      messageMetadata: { threadId },
    });
    // Not dispatched by the standard, but there for who reads lines.
    const { rest } = readEvents(asked.raw);
    expect(rest).toBe(`data: {"type":"finish","threadId":"${threadId}"}\n`);
    expect(asked.raw.indexOf('data: [DONE]\n\n')).toBe(
      asked.raw.length - rest.length - 'data: [DONE]\n\n'.length,
    );
  });
});

/** What an SDK makes as well, so it says nothing about who asks. */
const sdkLike = [
  { id: 'aB3dE6gH9jK2mN5p', role: 'user', parts: [{ type: 'text', text: question }] },
];

test('a caller that accepts server-sent events gets `threadId`, whatever its ids look like', async () => {
  const headers = { accept: 'text/event-stream' };
  const asked = await docent.ask(toBody(question, { messages: sdkLike }), { headers });
  const threadId = asked.headers.get('x-thread-id');
  expect(threadId).toMatch(/^[0-9A-Z]{26}$/);
  expect(partOf(asked.parts, 'finish')).toMatchObject({ threadId });
  expect(readEvents(asked.raw).rest).toBe('');
  // What only an SDK sends counts more than a header that an app can add to it.
  const trigger = 'submit-message';
  const sdk = await docent.ask(toBody(question, { messages: sdkLike, trigger }), { headers });
  expect(partOf(sdk.parts, 'finish')).not.toHaveProperty('threadId');
});

test('the headers of a stream', async () => {
  const { headers } = await docent.ask(question, {
    headers: { origin: 'https://docs.kestrel.example', 'x-request-id': 'caller-0001' },
  });
  const exact = Object.fromEntries(
    [
      'content-type',
      'cache-control',
      'x-accel-buffering',
      'x-vercel-ai-ui-message-stream',
      'x-content-type-options',
      'x-request-id',
      'x-powered-by',
      'etag',
      'access-control-allow-origin',
      'access-control-expose-headers',
      'vary',
      'content-encoding',
      'ratelimit-policy',
    ].map((name) => [name, headers.get(name)]),
  );
  expect(exact).toEqual({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'x-vercel-ai-ui-message-stream': 'v1',
    'x-content-type-options': 'nosniff',
    'x-request-id': 'caller-0001',
    'x-powered-by': null,
    etag: null,
    'access-control-allow-origin': 'https://docs.kestrel.example',
    'access-control-expose-headers':
      'X-Thread-Id,X-Session-Id,X-Branch-Name,X-Request-Id,Retry-After,RateLimit,RateLimit-Policy',
    vary: 'Origin',
    'content-encoding': null,
    'ratelimit-policy': expect.stringMatching(/"address-day".*"organization-hour".*"key-month"/),
  });
});

test('text arrives while the model still writes', async () => {
  const held = gate();
  model.once(['First', held, ' second']);
  const { parts } = await docent.open(question);
  const before = await readUntil(parts, 'text-delta');
  expect(before.at(-1)).toEqual({ type: 'text-delta', id: '0', delta: 'First' });
  held.open();
  expect((await readRest(parts)).map((part) => part.type)).toEqual([
    'text-delta',
    'text-end',
    'data-answer',
    'finish-step',
    'finish',
  ]);
});

test('a comment keeps a silent stream alive', async () => {
  // Only the repeating timer is ours to turn; sockets keep the real time.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const held = gate();
    model.once([held, 'At last']);
    const asked = model.requests.length;
    const answer = docent.ask(question);
    await model.request(asked + 1);
    vi.advanceTimersByTime(45_000);
    held.open();
    const { raw, text } = await answer;
    expect(raw.split(': keep-alive\n\n')).toHaveLength(4);
    expect(text).toBe('At last');
  } finally {
    vi.useRealTimers();
  }
});

describe('a reader who leaves', () => {
  test('before the first word stops the model', async () => {
    model.once([silence]);
    const asked = model.requests.length;
    const { parts, leave } = await docent.open(question);
    await readUntil(parts, 'start-step');
    const request = await model.request(asked + 1);
    leave();
    await request.gone;
    expect(request.tokensSent).toBe(0);
  });

  test('in the middle stops the model; what was said is stored', async () => {
    const held = gate();
    model.once(['Half', held, ' whole']);
    const asked = model.requests.length;
    const { parts, leave, response } = await docent.open(question);
    await readUntil(parts, 'text-delta');
    leave();
    await (
      await model.request(asked + 1)
    ).gone;
    held.open();
    const threadId = response.headers.get('x-thread-id') ?? '';
    const turns = await waitFor('the turn to end', async () => {
      const stored = await docent.turns(threadId);
      return stored[0]?.status !== 'running' && stored;
    });
    expect(turns).toMatchObject([{ status: 'stopped', answer: 'Half' }]);
    // The next question of the thread works, and the model sees what there was.
    const next = await docent.ask('Go on please', { threadId });
    expect(next.text).toBe('Kestrel answers in words. [1]');
    expect(model.last.body.messages).toContainEqual({ role: 'assistant', content: 'Half' });
  });
});

test('a reader who does not read holds the model back, and leaving stops it', async () => {
  const page = 'kestrel '.repeat(12_500);
  model.once(Array.from({ length: 400 }, () => page));
  const asked = model.requests.length;
  const { leave } = await docent.open(question);
  const request = await model.request(asked + 1);
  await waitFor('the model to have begun', () => request.tokensSent > 0);
  leave();
  // It never came to its end, though it had 40 MB to send and nothing else to wait for.
  await request.gone;
  expect(request.tokensSent).toBeLessThan(400);
});

test('there is nothing to resume, and that is no fault', async () => {
  const path = `${docent.url}/discovery/v2/assistant/kestrel-docs/message/some-id/stream`;
  const response = await fetch(path, { headers: { authorization: `Bearer ${docent.key}` } });
  expect(response.status).toBe(204);
  expect(await response.text()).toBe('');
});

test('what the widget asks before a question', async () => {
  const response = await fetch(`${docent.url}/discovery/v1/site/kestrel-docs`, {
    headers: { authorization: `Bearer ${docent.key}` },
  });
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    domain: 'kestrel-docs',
    name: 'Kestrel',
    starterQuestions: ['How do I install Kestrel?'],
    mode: 'model',
    pageReports: null,
    handOver: null,
  });
});

test('a thread goes on for its own reader on its own site; to anybody else it does not exist', async () => {
  const ask = async (
    { fp, threadId, ...rest }: { fp: string; threadId?: string },
    options: Parameters<typeof docent.post>[1] = {},
  ) => {
    const response = await docent.post(toBody(question, { fp, threadId, ...rest }), options);
    const text = await response.text();
    return { status: response.status, text, threadId: response.headers.get('x-thread-id') ?? '' };
  };
  const mine = await ask({ fp: 'reader-1' });
  expect(await ask({ fp: 'reader-1', threadId: mine.threadId })).toMatchObject({ status: 200 });
  const unnamed = await ask({ fp: 'anonymous' });
  expect(await ask({ fp: 'anonymous', threadId: unnamed.threadId })).toMatchObject({ status: 200 });

  const { token: blogKey } = await docent.keys.create({
    kind: 'assistant',
    organization: 'kestrel',
    domain: 'kestrel-blog',
    name: 'blog',
  });
  const asked = model.requests.length;
  const invented = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
  const refused = [
    await ask({ fp: 'reader-1', threadId: invented }),
    await ask({ fp: 'reader-2', threadId: mine.threadId }),
    await ask({ fp: 'anonymous', threadId: mine.threadId }),
    await ask(
      { fp: 'reader-1', threadId: mine.threadId },
      { key: blogKey, domain: 'kestrel-blog' },
    ),
    // Without a name, readers of two sites are the same nobody.
    await ask(
      { fp: 'anonymous', threadId: unnamed.threadId },
      { key: blogKey, domain: 'kestrel-blog' },
    ),
  ];
  const bodies = refused.map(({ status, text }) => {
    const { requestId: _, ...body } = JSON.parse(text) as Record<string, unknown>;
    return { status, ...body };
  });
  expect(bodies[0]).toMatchObject({ status: 404, code: 'not_found' });
  for (const body of bodies) expect(body).toEqual(bodies[0]);
  expect(model.requests.length).toBe(asked);
  expect(await docent.turns(mine.threadId)).toHaveLength(2);
});
