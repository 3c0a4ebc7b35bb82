/** A reader is cut off and comes back: the answer went on meanwhile, and is read again from any part. */
import { describe, expect, test, vi } from 'vitest';
import { type Part, partOf, readRest, readUntil, textOf, toBody } from '../support/ask.ts';
import { answerOf, releases, renderChat } from '../support/chat-sdks.ts';
import { docent, model, useScriptedDocent } from '../support/scripted-docent.ts';
import { gate, silence } from '../support/scripted-model.ts';
import { startDocent } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

useScriptedDocent({ streamTimeouts: { graceMs: 60_000 } });

const question = 'How do I install Kestrel?';
const chatId = () => `chat-${crypto.randomUUID()}`;
const messageIdOf = (parts: Part[]) => partOf(parts, 'start')?.['messageId'] as string;

/** Asks, reads the first words, and is cut off. The model says the rest when the gate opens. */
async function cutOff(more: Record<string, unknown> = {}) {
  const held = gate();
  model.once(['Half', held, ' whole']);
  const { response, parts, leave } = await docent.open(toBody(question, more));
  const seen = await readUntil(parts, 'text-delta');
  leave();
  await expect(readRest(parts)).rejects.toThrow();
  const threadId = response.headers.get('x-thread-id') ?? '';
  return { held, seen, threadId, messageId: messageIdOf(seen) };
}

test('by the message’s id: from the beginning, or after the parts that were read; no byte differs', async () => {
  const { held, seen, threadId, messageId } = await cutOff();
  const again = await docent.resume(messageId);
  expect(again.response.status).toBe(200);
  expect(again.response.headers.get('content-type')).toBe('text/event-stream');
  expect(again.response.headers.get('x-thread-id')).toBe(threadId);
  expect(await readUntil(again.parts, 'text-delta')).toEqual(seen);
  const further = await docent.resume(messageId, { skip: seen.length });
  held.open();
  const rest = await readRest(again.parts);
  expect(textOf([...seen, ...rest])).toBe('Half whole');
  expect(rest.at(-1)).toMatchObject({ type: 'finish', threadId });
  expect(await readRest(further.parts)).toEqual(rest);

  // Once ended it can be read for a while, as often as wanted.
  const [once, twice] = await Promise.all(
    [1, 2].map(async () => (await docent.resume(messageId)).response.text()),
  );
  expect(twice).toBe(once);
  expect(once).toContain('data: [DONE]');
  expect(
    (await docent.resume(messageId, { skip: seen.length + rest.length })).response.status,
  ).toBe(204);
  expect(await docent.turns(threadId)).toMatchObject([
    { status: 'complete', answer: 'Half whole' },
  ]);
});

test('an answer that ended while nobody read is given whole, once', async () => {
  const id = chatId();
  const { held, threadId } = await cutOff({ id, trigger: 'submit-message' });
  held.open();
  await waitFor('the answer to end', async () => {
    const [turn] = await docent.turns(threadId);
    return turn?.status === 'complete';
  });
  const { response, parts } = await docent.resume(id);
  expect(response.status).toBe(200);
  const all = await readRest(parts);
  expect(textOf(all)).toBe('Half whole');
  // The chat SDK's form of the last part, as its question was asked.
  expect(all.at(-1)).toEqual({ type: 'finish', messageMetadata: { threadId } });
  // Handed over: an SDK that asks after a reload would show it a second time.
  await waitFor(
    'nothing to be left',
    async () => (await docent.resume(id)).response.status === 204,
  );
});

test('nobody reads for ten seconds: the model is stopped, unless a reader comes back', async () => {
  await using other = await startDocent({ model, streamTimeouts: {} });
  const asked = model.requests.length;
  model.once(['Half', silence]);
  const first = await other.open(question);
  const seen = await readUntil(first.parts, 'text-delta');
  const request = await model.request(asked + 1);
  let isGone = false;
  void request.gone.then(() => (isGone = true));
  // The clock is ours from here; sockets and pauses of this test keep the real one.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const leave = async (reader: { leave: () => void }) => {
      const timers = vi.getTimerCount();
      reader.leave();
      await turnUntil(() => vi.getTimerCount() > timers);
    };
    await leave(first);
    vi.advanceTimersByTime(9_000);
    const again = await other.resume(messageIdOf(seen));
    await readUntil(again.parts, 'text-delta');
    vi.advanceTimersByTime(60_000);
    expect(other.docent.services.streams.count).toBe(1);
    expect(isGone).toBe(false);
    await leave(again);
    vi.advanceTimersByTime(10_000);
    await request.gone;
  } finally {
    vi.useRealTimers();
  }
  // By the clock of readers: a model that is silent for too long is left as one that failed.
  const threadId = first.response.headers.get('x-thread-id') ?? '';
  await waitFor('the turn to be stored', async () => {
    const [turn] = await other.turns(threadId);
    return turn?.status !== 'running';
  });
  expect(await other.turns(threadId)).toMatchObject([{ status: 'stopped', answer: 'Half' }]);
});

/** Lets sockets work until something is so, without a clock. */
async function turnUntil(check: () => boolean): Promise<void> {
  while (!check()) await new Promise((resolve) => setImmediate(resolve));
}

test('nobody comes back: the model is stopped after the grace, and what was said is stored', async () => {
  await using other = await startDocent({ model, streamTimeouts: { graceMs: 50 } });
  model.once(['Half', silence]);
  const asked = model.requests.length;
  const { parts, leave, response } = await other.open(question);
  const seen = await readUntil(parts, 'text-delta');
  leave();
  await (
    await model.request(asked + 1)
  ).gone;
  const threadId = response.headers.get('x-thread-id') ?? '';
  await waitFor('the turn to be stored', async () => {
    const [turn] = await other.turns(threadId);
    return turn?.status === 'stopped' && turn.answer === 'Half';
  });
  const late = await other.resume(messageIdOf(seen));
  const all = await readRest(late.parts);
  expect(all.slice(seen.length).map((part) => part.type)).toEqual([
    'text-end',
    'message-metadata',
    'abort',
  ]);
});

describe('once the service has forgotten how an answer came', () => {
  /** Forgotten is what cannot be read on from the middle; what is stored is given from its beginning. */
  const isForgotten = (other: Pick<typeof docent, 'resume'>, id: string, parts: Part[]) =>
    waitFor('the answer to be forgotten', async () => {
      const { response } = await other.resume(id, { skip: parts.length - 1 });
      await response.text();
      return response.status === 204;
    });

  test('it is read from where it is stored, by the reader who asked', async () => {
    await using other = await startDocent({ model, streamTimeouts: { keptMs: 30 } });
    const body = toBody(question, { fp: 'reader-1', trigger: 'submit-message' });
    const { parts, text, headers } = await other.ask(body);
    const id = messageIdOf(parts);
    const mine = { headers: { 'x-fp': 'reader-1' } };
    await isForgotten(
      { resume: (each, more) => other.resume(each, { ...more, ...mine }) },
      id,
      parts,
    );
    const again = await other.resume(id, mine);
    const all = await readRest(again.parts);
    const kind = (type: string) => (part: Part) => part.type === type;
    expect(textOf(all)).toBe(text);
    // Their quotations are not kept: a page may have changed since, and they are for the moment.
    const named = parts
      .filter(kind('source-url'))
      .map(({ type, sourceId, url, title }) => ({ type, sourceId, url, title }));
    expect(named.length).toBeGreaterThan(0);
    expect(all.filter(kind('source-url'))).toEqual(named);
    expect(all.find(kind('data-answer'))).toEqual(parts.find(kind('data-answer')));
    expect(all.at(-1)).toEqual(parts.at(-1));
    expect(again.response.headers.get('x-thread-id')).toBe(headers.get('x-thread-id'));
    for (const headers of [{}, { 'x-fp': 'reader-2' }]) {
      expect((await other.resume(id, { headers })).response.status).toBe(204);
    }
  });

  test('what was stopped comes as what was stopped', async () => {
    await using other = await startDocent({ model, streamTimeouts: { graceMs: 0, keptMs: 30 } });
    model.once(['Half', silence]);
    const { parts, leave } = await other.open(question);
    const seen = await readUntil(parts, 'text-delta');
    leave();
    await isForgotten(other, messageIdOf(seen), seen);
    const all = await readRest((await other.resume(messageIdOf(seen))).parts);
    expect(textOf(all)).toBe('Half');
    expect(all.slice(-2)).toMatchObject([
      { type: 'message-metadata', messageMetadata: { ended: 'stopped' } },
      { type: 'abort' },
    ]);
  });

  test('of a site that stores nothing there is nothing', async () => {
    await using other = await startDocent({
      model,
      streamTimeouts: { keptMs: 30 },
      site: { privacy: { store: false } },
    });
    const { parts } = await other.ask(question);
    await waitFor(
      'the answer to be forgotten',
      async () => (await other.resume(messageIdOf(parts))).response.status === 204,
    );
  });
});

describe('a question with an Idempotency-Key', () => {
  const named = (key: string = crypto.randomUUID()) => ({ headers: { 'idempotency-key': key } });

  test('sent again gets the answer of the first, from its beginning; the model is asked once', async () => {
    const asked = model.requests.length;
    const held = gate();
    model.once(['Half', held, ' whole']);
    const options = named();
    const first = await docent.open(question, options);
    const seen = await readUntil(first.parts, 'text-delta');
    first.leave();
    const again = await docent.open(question, options);
    expect(await readUntil(again.parts, 'text-delta')).toEqual(seen);
    held.open();
    expect(textOf([...seen, ...(await readRest(again.parts))])).toBe('Half whole');
    // Also once it has ended.
    expect((await docent.ask(question, options)).text).toBe('Half whole');
    expect(model.requests.length - asked).toBe(1);
    expect(await docent.turns(again.response.headers.get('x-thread-id') ?? '')).toHaveLength(1);
  });

  test('sent twice at once is asked once', async () => {
    const asked = model.requests.length;
    const options = named();
    const answers = await Promise.all([1, 2, 3].map(() => docent.ask(question, options)));
    expect(new Set(answers.map(({ raw }) => raw)).size).toBe(1);
    expect(model.requests.length - asked).toBe(1);
  });

  test('whose reader left before the first byte is answered, and found by its key', async () => {
    const options = named();
    const asked = model.requests.length;
    const leave = new AbortController();
    const lost = docent.post(toBody(question), { ...options, signal: leave.signal });
    leave.abort();
    await expect(lost).rejects.toThrow();
    // The request may not even have arrived: then it is sent again, as here.
    const { text } = await docent.ask(question, options);
    const found = await docent.resume(options.headers['idempotency-key']);
    expect(textOf(await readRest(found.parts))).toBe(text);
    expect(model.requests.length - asked).toBe(1);
  });

  test('is stopped by its key, also before it has been answered with a word', async () => {
    const options = named();
    model.once([silence]);
    const asked = model.requests.length;
    const { parts } = await docent.open(question, options);
    await readUntil(parts, 'start');
    await model.request(asked + 1);
    expect((await docent.stop(options.headers['idempotency-key'])).status).toBe(204);
    expect((await readRest(parts)).at(-1)).toEqual({ type: 'abort' });
  });

  test('of another key, or another reader, is another question', async () => {
    const asked = model.requests.length;
    const options = named();
    const first = await docent.ask(toBody(question, { fp: 'reader-1' }), options);
    const second = await docent.ask(toBody(question, { fp: 'reader-2' }), options);
    expect(messageIdOf(second.parts)).not.toBe(messageIdOf(first.parts));
    const fromOthers = { headers: { 'x-fp': 'reader-3' } };
    const { response } = await docent.resume(options.headers['idempotency-key'], fromOthers);
    expect(response.status).toBe(204);
    expect(model.requests.length - asked).toBe(2);
  });

  test('that means another question is refused, and a short one', async () => {
    const options = named();
    await docent.ask(question, options);
    const other = await docent.ask('Something else?', options);
    expect([other.status, other.json['code']]).toEqual([409, 'conflict']);
    // The same words are not enough: an answer from more than may be used now is not given.
    const narrower = toBody(question, { filter: { version: 'v9' } });
    const filtered = await docent.ask(narrower, options);
    expect([filtered.status, filtered.json['code']]).toEqual([409, 'conflict']);
    const short = await docent.ask(question, named('my-key'));
    expect([short.status, short.json['code']]).toEqual([400, 'bad_request']);
  });

  test('that was refused may be sent again', async () => {
    const options = named();
    const unknown = await docent.ask(toBody(question, { threadId: 'nobody’s' }), options);
    expect(unknown.status).toBe(404);
    expect((await docent.ask(question, options)).status).toBe(200);
  });
});

describe('another reader gets nothing', () => {
  const nothing = async (id: string, options: Parameters<typeof docent.resume>[1] = {}) => {
    const { response } = await docent.resume(id, options);
    expect(await response.text()).toBe('');
    return response.status;
  };

  test('an unknown id, a short chat id, an odd one', async () => {
    const { held } = await cutOff({ id: 'my-chat' });
    expect(await nothing('my-chat')).toBe(204);
    expect(await nothing('01KAK0000000000000000000000')).toBe(204);
    expect(await nothing('../../message')).toBe(204);
    // There may be something a moment later: no cache keeps it.
    const { response } = await docent.resume('01KAK0000000000000000000000');
    expect(response.headers.get('cache-control')).toBe('no-store');
    held.open();
  });

  test('a key of another organization, another key, another site', async () => {
    const id = chatId();
    const { held, messageId } = await cutOff({ id });
    const kestrelKey = await docent.keys.create({
      kind: 'assistant',
      organization: 'kestrel',
      name: 'all of Kestrel’s sites',
    });
    const ospreyKey = await docent.keys.create({
      kind: 'assistant',
      organization: 'osprey',
      name: 'another organization',
    });
    for (const each of [id, messageId]) {
      const domain = 'kestrel-blog';
      expect(await nothing(each, { key: kestrelKey.token, domain })).toBe(204);
      expect(await nothing(each, { key: ospreyKey.token, domain: 'osprey-docs' })).toBe(204);
      const foreign = await docent.resume(each, { key: ospreyKey.token });
      expect(foreign.response.status).toBe(404);
    }
    // The chat id is worth something with the key it came with only; ours with any key of the site.
    expect(await nothing(id, { key: kestrelKey.token })).toBe(204);
    const { response, leave } = await docent.resume(messageId, { key: kestrelKey.token });
    expect(response.status).toBe(200);
    leave();
    held.open();
  });

  test('another fp; the same one may stand in a header or in the query', async () => {
    const id = chatId();
    const { held, messageId } = await cutOff({ id, fp: 'reader-1' });
    for (const each of [id, messageId]) {
      expect(await nothing(each)).toBe(204);
      expect(await nothing(each, { headers: { 'x-fp': 'reader-2' } })).toBe(204);
      const mine = await docent.resume(each, { headers: { 'x-fp': 'reader-1' } });
      expect(mine.response.status).toBe(200);
      mine.leave();
      const path = `${docent.url}/discovery/v2/assistant/kestrel-docs/message/${each}/stream?fp=reader-1`;
      const leave = new AbortController();
      const headers = { authorization: `Bearer ${docent.key}` };
      expect((await fetch(path, { headers, signal: leave.signal })).status).toBe(200);
      leave.abort();
    }
    held.open();
  });

  test('of two conversations under one chat id neither is found by it', async () => {
    const id = 'an-id-in-the-source-of-a-site';
    const first = await cutOff({ id });
    const second = await cutOff({ id });
    expect(await nothing(id)).toBe(204);
    const { response, leave } = await docent.resume(second.messageId);
    expect(response.status).toBe(200);
    leave();
    first.held.open();
    second.held.open();
  });

  test('an anonymous reader’s chat id counts from the same address only', async () => {
    await using other = await startDocent({
      model,
      streamTimeouts: { graceMs: 60_000 },
      server: { trustProxy: 1 },
    });
    const held = gate();
    model.once(['Half', held]);
    const id = chatId();
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    const { parts, leave } = await other.open(toBody(question, { id }), from('203.0.113.7'));
    await readUntil(parts, 'text-delta');
    leave();
    expect((await other.resume(id, from('203.0.113.8'))).response.status).toBe(204);
    const mine = await other.resume(id, from('203.0.113.7'));
    expect(mine.response.status).toBe(200);
    mine.leave();
    held.open();
  });
});

test.each(['-1', 'x', '1.5', ''])('skip=%s is refused', async (skip) => {
  const { response } = await docent.resume('some-id', { skip });
  expect(response.status).toBe(400);
});

test('two slow readers do not hold the model back, and each gets every byte', async () => {
  // An answer that repeats itself is cut.
  const pages = Array.from({ length: 15 }, (_, page) =>
    Array.from({ length: 2_000 }, (_, word) => ` k${page * 2_000 + word}`).join(''),
  );
  model.once(pages);
  const asked = model.requests.length;
  const response = await docent.post(toBody(question));
  const request = await model.request(asked + 1);
  await waitFor('the model to have said everything', () => request.tokensSent === 15);
  expect((await response.text()).split(' k')).toHaveLength(30_001);
});

describe.each(releases)('chat SDK $name', (release) => {
  test('after a reload the chat goes on with the answer', async () => {
    const api = `${docent.url}/discovery/v2/assistant/kestrel-docs/message`;
    const id = chatId();
    const held = gate();
    model.once(['The beginning', held, ' and the end. [1]']);
    const before = await renderChat(release, { api, key: docent.key, id });
    void before.chat().sendMessage({ text: question });
    await waitFor(
      'the first words',
      () => before.chat().messages.length === 2 && answerOf(before.chat()).text === 'The beginning',
    );
    const [asked] = before.chat().messages;
    const { metadata } = answerOf(before.chat());
    // The page goes away with its connection.
    before.cut();
    before[Symbol.dispose]();

    using after = await renderChat(release, {
      api,
      key: docent.key,
      id,
      messages: asked ? [asked] : [],
    });
    const resumed = after.chat().resumeStream();
    await waitFor(
      'the first words again',
      () => after.chat().messages.length === 2 && answerOf(after.chat()).text === 'The beginning',
    );
    held.open();
    await resumed;
    const answer = answerOf(await after.settled());
    expect(after.chat().error).toBeUndefined();
    expect(answer.text).toBe('The beginning and the end. [1]');
    expect(answer.metadata).toEqual(metadata);
    expect(answer.sources.length).toBeGreaterThan(0);

    // The conversation goes on, and a second reload finds nothing to resume.
    await after.chat().resumeStream();
    expect(after.chat().error).toBeUndefined();
    expect(after.chat().messages).toHaveLength(2);
    await after.chat().sendMessage({ text: 'And how do I uninstall it?' });
    expect(answerOf(await after.settled()).metadata).toEqual(metadata);
  });
});
