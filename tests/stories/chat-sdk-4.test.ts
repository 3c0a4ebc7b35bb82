/** Version 1: the real clients of chat SDK 4 talk with the running server, and what stands on the wire. */
import { describe, expect, test, vi } from 'vitest';
import { toBody } from '../support/ask.ts';
import { answerOf4, releases4, renderChat4, versionOf4 } from '../support/chat-sdk-4.ts';
import { expectDeprecated } from '../support/call.ts';
import { docent, model, useScriptedDocent } from '../support/scripted-docent.ts';
import { gate, silence } from '../support/scripted-model.ts';
import { verifies } from '../support/verifies.ts';
import { waitFor } from '../support/wait-for.ts';

useScriptedDocent();

const question = 'How do I install Kestrel?';
const api = () => `${docent.url}/discovery/v1/assistant/kestrel-docs/message`;
const authorization = () => ({ authorization: `Bearer ${docent.key}` });

function post(body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(api(), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization(), ...headers },
    body: JSON.stringify(body),
  });
}

/** The lines of a data stream as `[code, value]`. */
// oxlint-disable-next-line typescript/no-explicit-any -- what the wire holds
function linesOf(raw: string): [code: string, value: any][] {
  return raw
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => [line.slice(0, 1), JSON.parse(line.slice(2))]);
}

describe.each(releases4)('chat SDK $name', (release) => {
  test('is the release it says', () => expect(versionOf4(release)).toBe(release.name));

  verifies(
    [
      'assistant-v1:path',
      'assistant-v1:stream',
      'assistant-v1:extra-fields',
      'versioning:sdk-4-v1',
    ],
    'two turns in one conversation, then another answer in place of the last',
    async () => {
      using page = await renderChat4(release, { api: api(), key: docent.key });
      const asked = model.requests.length;
      model.once(['Run the installer', ' of Kestrel. [1]']);
      await page.chat().append({ role: 'user', content: question });
      const first = answerOf4(await page.settled());
      expect(page.chat().error).toBeUndefined();
      expect(first.content).toBe('Run the installer of Kestrel. [1]');
      expect(first.threadId).toMatch(/^[0-9A-Z]{26}$/);
      const source = {
        id: '1',
        url: expect.stringMatching(/^https:\/\/docs\.kestrel\.example\/install#/),
        title: expect.stringContaining('Install Kestrel'),
      };
      expect(first.annotated('source')[0]).toEqual({ type: 'source', ...source });
      expect(first.annotated('answer')).toMatchObject([{ status: 'answered', mode: 'model' }]);
      expect(first.sources).toEqual([]);
      // `event.threadId` of the event whose `event.type` is `finish`, as a page reads it.
      expect(page.chat().data?.at(-1)).toEqual({ type: 'finish', threadId: first.threadId });
      expect(page.finished[0]).toMatchObject({
        finishReason: 'stop',
        usage: { promptTokens: 100, completionTokens: 2 },
      });

      model.once(['Run the remover.']);
      await page.chat().append({ role: 'user', content: 'And how do I uninstall it?' });
      const second = answerOf4(await page.settled());
      expect(page.chat().error).toBeUndefined();
      expect(second.threadId).toBe(first.threadId);
      const [known] = second.annotated('source');
      expect(known).toMatchObject({ id: '1', url: expect.stringContaining('/install') });
      const { type: _, ...cited } = known ?? {};
      expect(second.sources[0]).toEqual(
        release.hasSources ? { sourceType: 'url', ...cited } : undefined,
      );
      expect(model.requests[asked + 1]?.body.messages).toEqual([
        expect.objectContaining({ role: 'system' }),
        { role: 'user', content: question },
        { role: 'assistant', content: 'Run the installer of Kestrel. [1]' },
        { role: 'user', content: expect.stringContaining('And how do I uninstall it?') },
      ]);

      model.once(['Run kestrel-setup remove.']);
      await page.chat().reload();
      const again = answerOf4(await page.settled());
      expect(again.content).toBe('Run kestrel-setup remove.');
      expect(again.threadId).toBe(first.threadId);
      expect(model.last.text).not.toContain('Run the remover.');
      const turns = await docent.turns(first.threadId);
      expect(turns.map(({ status, answer }) => ({ status, answer }))).toEqual([
        { status: 'complete', answer: 'Run the installer of Kestrel. [1]' },
        { status: 'complete', answer: 'Run kestrel-setup remove.' },
      ]);

      // The same question once more is a turn of its own: its answer came along.
      await page.chat().append({ role: 'user', content: 'And how do I uninstall it?' });
      await page.settled();
      expect(await docent.turns(first.threadId)).toHaveLength(3);
    },
  );

  test('stop() stops the model', async () => {
    using page = await renderChat4(release, { api: api(), key: docent.key });
    model.once(['The beginning', silence]);
    const asked = model.requests.length;
    const sent = page.chat().append({ role: 'user', content: question });
    await waitFor(
      'the first words',
      () => page.chat().messages.length === 2 && answerOf4(page.chat()).content === 'The beginning',
    );
    page.chat().stop();
    await (
      await model.request(asked + 1)
    ).gone;
    await sent;
    const { threadId } = answerOf4(page.chat());
    await waitFor('the turn to be stored', async () => {
      const [turn] = await docent.turns(threadId);
      return turn?.status === 'stopped' && turn.answer === 'The beginning';
    });
  });

  test('a fault of the model, before and in the middle of an answer', async () => {
    using page = await renderChat4(release, { api: api(), key: docent.key });
    for (const words of [[], ['Half']]) {
      model.once([...words, { raw: 'data: {"error":{"message":"secret","code":"x"}}\n\n' }]);
      await page.chat().append({ role: 'user', content: question });
      const { error } = await waitFor('the error', () => !page.chat().isLoading && page.chat());
      expect(JSON.parse(error?.message ?? '')).toEqual({
        code: 'upstream_failed',
        error: expect.stringMatching(/reported an error/),
        requestId: expect.any(String),
      });
      await page.chat().append({ role: 'user', content: 'And now?' });
      expect(answerOf4(await page.settled()).content).toBe('Kestrel answers in words. [1]');
    }
  });

  test('a refusal before the stream is the same body', async () => {
    using page = await renderChat4(release, { api: api(), key: 'svc_dsc_wrong' });
    await page.chat().append({ role: 'user', content: question });
    const { error } = await page.settled();
    expect(JSON.parse(error?.message ?? '')).toMatchObject({ code: 'unauthorized' });
  });

  test('signs of life are skipped', async () => {
    using page = await renderChat4(release, { api: api(), key: docent.key });
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const held = gate();
      model.once([held, 'At last']);
      const asked = model.requests.length;
      const sent = page.chat().append({ role: 'user', content: question });
      await model.request(asked + 1);
      vi.advanceTimersByTime(45_000);
      held.open();
      await sent;
    } finally {
      vi.useRealTimers();
    }
    expect(answerOf4(await page.settled()).content).toBe('At last');
    expect(page.chat().error).toBeUndefined();
  });
});

verifies('assistant-v1:stream', 'the answer, byte for byte', async () => {
  model.once(['Run it. [1]\n']);
  const response = await post(toBody('uninstall remove readings'));
  const raw = await response.text();
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(response.headers.get('x-vercel-ai-data-stream')).toBe('v1');
  expect(response.headers.get('cache-control')).toBe('no-cache, no-transform');
  const threadId = response.headers.get('x-thread-id');
  const lines = linesOf(raw);
  const [[, start]] = lines as [[string, { messageId: string }]];
  const sources = lines
    .filter(([code]) => code === '8')
    .map(([, [about]]) => about as { type?: string })
    .filter(({ type }) => type === 'source');
  expect(sources[0]).toEqual({
    type: 'source',
    id: '1',
    url: 'https://docs.kestrel.example/install#uninstall',
    title: 'Install Kestrel › Uninstall',
  });
  const usage = '{"promptTokens":100,"completionTokens":1}';
  expect(raw.split('\n')).toEqual([
    `f:{"messageId":"${start.messageId}"}`,
    `8:[{"threadId":"${threadId}","messageId":"${start.messageId}"}]`,
    ...sources.map((source) => `8:[${JSON.stringify(source)}]`),
    '0:"Run it. [1]\\n"',
    expect.stringMatching(
      /^8:\[{"type":"answer","status":"answered","confidence":[\d.]+,"mode":"model","model":"main\/scripted"}\]$/,
    ),
    `2:[{"type":"finish","threadId":"${threadId}"}]`,
    `e:{"finishReason":"stop","usage":${usage},"isContinued":false}`,
    `d:{"finishReason":"stop","usage":${usage},"type":"finish","threadId":"${threadId}"}`,
    '',
  ]);
});

test.each(['step-start', 'source'])(
  'a client that gives back a part %s knows sources, and gets them also as lines of their own',
  async (type) => {
    const [asked] = toBody('uninstall remove readings').messages;
    const before = { role: 'assistant', content: '', parts: [{ type }] };
    const messages = [{ role: 'user', content: 'Hi' }, before, asked];
    const lines = linesOf(await (await post({ fp: 'anonymous', messages })).text());
    const at = lines.findIndex(([code]) => code === 'h');
    const [, { sourceType, ...source }] = lines[at] ?? ['', {}];
    expect(sourceType).toBe('url');
    expect(lines[at + 1]).toEqual(['8', [{ type: 'source', ...source }]]);
  },
);

test('a message may have `content` only; such a client may be too old for `f:` and `h:`', async () => {
  const messages = [{ role: 'user', content: question }];
  const response = await post({ fp: 'anonymous', messages });
  const codes = linesOf(await response.text()).map(([code]) => code);
  expect(new Set(codes)).toEqual(new Set(['8', '0', '2', 'e', 'd']));
});

test('stopped through version 2’s endpoint, by its message’s id', async () => {
  model.once(['Half', silence]);
  const response = await post(toBody(question));
  let raw = '';
  for await (const bytes of response.body ?? []) {
    raw += Buffer.from(bytes).toString();
    if (!raw.includes('0:"Half"') || raw.includes('d:')) continue;
    const [[, start]] = linesOf(raw) as [[string, { messageId: string }]];
    expect((await docent.stop(start.messageId)).status).toBe(204);
  }
  const threadId = response.headers.get('x-thread-id');
  const usage = { promptTokens: null, completionTokens: null };
  expect(linesOf(raw).slice(-4)).toEqual([
    ['8', [{ threadId, ended: 'stopped' }]],
    ['2', [{ type: 'finish', threadId }]],
    ['e', { finishReason: 'other', usage, isContinued: false }],
    ['d', { finishReason: 'other', usage, type: 'finish', threadId }],
  ]);
});

test('roles of this version only; a body that is wrong; other methods', async () => {
  const data = { role: 'data', content: 'anything' };
  const messages = [data, { role: 'user', content: question }];
  expect((await post({ fp: 'anonymous', messages })).status).toBe(200);
  const refused = await post({ fp: 'anonymous', messages: [{ role: 'robot', content: 'x' }] });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ code: 'bad_request' });
  const deleted = await fetch(api(), { method: 'DELETE' });
  expect([deleted.status, deleted.headers.get('allow')]).toEqual([405, 'GET, POST, OPTIONS']);
});

test('what the SDK asks after a reload: nothing to resume', async () => {
  const response = await fetch(`${api()}?chatId=abcdefghijklmnop`, { headers: authorization() });
  expect([response.status, await response.text()]).toEqual([200, '']);
});

test('every response says that the version is deprecated, and what comes after it', async () => {
  const successor = '/discovery/v2/assistant/kestrel-docs/message';
  const asked = await post(toBody(question));
  await asked.text();
  for (const response of [
    asked,
    await post({}),
    await post(toBody(question), { authorization: 'Bearer svc_dsc_wrong' }),
    await fetch(`${api()}?chatId=abcdefghijklmnop`, { headers: authorization() }),
    await fetch(api(), { method: 'DELETE' }),
  ]) {
    expectDeprecated(response.headers, successor);
  }
  expect((await docent.post(toBody(question))).headers.has('deprecation')).toBe(false);
});
