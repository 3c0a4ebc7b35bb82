import type { ServerResponse } from 'node:http';
import type { AnswerPart } from '@docent/shared/stream';
import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readAllSettings } from '../embed/all-settings.ts';
import type { Message } from './message.ts';
import { toProblem } from './problems.ts';
import { createService } from './service.ts';
import {
  answer,
  type Answering,
  refuse,
  rest,
  startService,
  type Service,
} from '../../testing/service.ts';
import { type ConnectionState, readAnswer } from './connection.ts';
import { applyPart, emptyAnswer } from './reducer.ts';
import { createAnswerRequests } from './request.ts';

let service: Service;
beforeEach(async () => {
  service = await startService();
});
afterEach(async () => {
  vi.useRealTimers();
  await service.close();
});

const question: Message = { id: 'q', role: 'user', text: 'How?', sources: [], context: [] };

/** Asks once, and reads what comes. */
function ask({ thread = '', stop = new AbortController().signal } = {}) {
  const given = { site: 'docs.test', key: 'svc_dsc_test' };
  const { settings } = readAllSettings(given, `${service.url}/docent.js`);
  const threads: (string | undefined)[] = [];
  const states: ConnectionState[] = [];
  let threadId: string | undefined = thread || undefined;
  const requests = createAnswerRequests({
    service: createService(signal(settings), signal(true)),
    filter: () => undefined,
    fp: () => 'fp',
    threadId: () => threadId,
    onThread: (id) => threads.push((threadId = id)),
  });
  const asked = { questionId: 'chat-1', trigger: 'submit-message', messages: [question] } as const;
  const read = { parts: 0, answer: emptyAnswer('none') };
  const reading = (async () => {
    const parts = readAnswer({
      connect: ({ messageId, parts: skip }, cut) =>
        messageId ? requests.resume(messageId, skip, cut) : requests.ask(asked, cut),
      signal: stop,
      isRunning: false,
      onState: (state) => states.push(state),
    });
    for await (const part of parts) {
      if (part.type === 'error') throw new Error(part.errorText);
      read.parts++;
      read.answer = applyPart(read.answer, part);
    }
    return read.answer.text;
  })();
  reading.catch(() => {});
  return { threads, states, read, reading, requests };
}
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => toProblem(error, { isOnline: true, now: 0 }).kind,
  );

const hello: AnswerPart[] = [
  { type: 'start', messageId: 'answer-1', messageMetadata: { threadId: 'thread-1' } },
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: 'Grüße 👋 — ' },
  { type: 'text-delta', id: '0', delta: '```ts\nconst a = 1;\n\n' },
  { type: 'text-delta', id: '0', delta: '```' },
  { type: 'text-end', id: '0' },
  { type: 'finish', messageMetadata: { threadId: 'thread-1' } },
];
const whole = 'Grüße 👋 — ```ts\nconst a = 1;\n\n```';
const wire = Buffer.from(hello.map((part) => `data: ${JSON.stringify(part)}\n\n`).join(''));

/** Sends the first bytes of the answer and then nothing, or breaks the connection. */
const cutAfter =
  (bytes: number, end: 'cut' | 'silence' | 'clean' = 'cut'): Answering =>
  (response) => {
    response.writeHead(200, { 'x-thread-id': 'thread-1', 'content-type': 'text/event-stream' });
    response.flushHeaders();
    response.write(wire.subarray(0, bytes), () => {
      if (end === 'cut') setImmediate(() => response.destroy());
      if (end === 'clean') response.end();
    });
  };

/** Until then the network does its work in real time, and the clock stands still. */
async function until(isThen: () => boolean): Promise<void> {
  while (!isThen()) {
    await vi.advanceTimersByTimeAsync(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
const stopClock = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

describe('an answer', () => {
  test('is read completely, with the thread of its header', async () => {
    service.answerWith(answer('Hello there.'));
    const { reading, threads } = ask();
    expect(await reading).toBe('Hello there.');
    expect(threads).toEqual(['thread-1']);
  });
  test('that does not begin times out', async () => {
    stopClock();
    service.answerWith(() => {});
    const { reading } = ask();
    await until(() => service.asked.length === 1);
    await vi.advanceTimersByTimeAsync(40_000);
    expect(await failure(reading)).toBe('timeout');
    expect(service.asked).toHaveLength(1);
  });
  test('for a lost thread is requested again without it, once', async () => {
    service.answerWith(refuse(404, 'not_found'), refuse(404, 'not_found'));
    const { reading, threads } = ask({ thread: 'old' });
    expect(await failure(reading)).toBe('notFound');
    expect(threads).toEqual([undefined]);
    expect(service.asked.map(({ body }) => body['threadId'])).toEqual(['old', undefined]);
  });
  test('a 404 without a thread is an error', async () => {
    service.answerWith(refuse(404, 'not_found'));
    const { reading, threads } = ask();
    expect(await failure(reading)).toBe('notFound');
    expect(threads).toEqual([]);
    expect(service.asked).toHaveLength(1);
  });
});

describe('a connection that ends too early', () => {
  // At every seventh byte of the answer, so also in the middle of a character of two and of four bytes.
  const places = Array.from({ length: Math.ceil((wire.length - 1) / 7) }, (_, at) => at * 7 + 1);
  test.each(places)('after %i bytes: nothing is lost, nothing comes twice', async (place) => {
    service.answerWith(cutAfter(place), cutAfter(wire.length));
    service.resumeWith(rest(hello));
    expect(await ask().reading).toBe(whole);
    expect(service.asked.length + service.resumed.length).toBe(2);
  });
  test('cleanly', async () => {
    service.answerWith(cutAfter(200, 'clean'));
    service.resumeWith(rest(hello));
    const { reading, states } = ask();
    expect(await reading).toBe(whole);
    expect(service.resumed).toMatchObject([{ id: 'answer-1', skip: 3 }]);
    expect(states).toContain('reconnecting');
    expect(states.at(-1)).toBe('ok');
  });
  test('by silence', async () => {
    stopClock();
    service.answerWith(cutAfter(200, 'silence'));
    service.resumeWith(rest(hello));
    const { reading, read } = ask();
    await until(() => read.parts === 3);
    await vi.advanceTimersByTimeAsync(40_000);
    await until(() => read.answer.text === whole);
    expect(await reading).toBe(whole);
    expect(service.resumed).toMatchObject([{ id: 'answer-1', skip: 3 }]);
  });
  test('again and again', async () => {
    service.answerWith(cutAfter(200));
    const upTo = (end: number) => (response: ServerResponse, skip: number) => {
      response.writeHead(200, {});
      const text = hello.slice(skip, end).map((part) => `data: ${JSON.stringify(part)}\n\n`);
      response.write(text.join(''), () => setImmediate(() => response.destroy()));
    };
    service.resumeWith(upTo(4), upTo(5), upTo(6), rest(hello));
    expect(await ask().reading).toBe(whole);
    expect(service.resumed.map(({ skip }) => skip)).toEqual([3, 4, 5, 6]);
  });
  test('before the first byte: the question is sent again with the same ID', async () => {
    service.answerWith((response) => response.destroy(), cutAfter(wire.length));
    expect(await ask().reading).toBe(whole);
    expect(service.asked.map(({ headers }) => headers['idempotency-key'])).toEqual([
      'chat-1',
      'chat-1',
    ]);
  });
  test('if the service has only the complete answer, it is read from its beginning', async () => {
    service.answerWith(cutAfter(200));
    service.resumeWith((response) => response.writeHead(204).end(), rest(hello));
    expect(await ask().reading).toBe(whole);
    expect(service.resumed.map(({ skip }) => skip)).toEqual([3, 0]);
  });
  test('an answer that the service no longer has is gone', async () => {
    service.answerWith(cutAfter(200));
    expect(await failure(ask().reading)).toBe('gone');
  });
  test('a refused question is not sent again', async () => {
    service.answerWith(cutAfter(200));
    service.resumeWith(refuse(401, 'unauthorized') as never, rest(hello));
    expect(await failure(ask().reading)).toBe('setup');
    expect(service.resumed).toHaveLength(1);
  });
  test('a restarting proxy is waited for', async () => {
    service.answerWith(cutAfter(200));
    service.resumeWith(refuse(502, 'x') as never, rest(hello));
    expect(await ask().reading).toBe(whole);
  });
  test('the reader’s own stop is not a broken connection', async () => {
    service.answerWith(cutAfter(200, 'silence'));
    const stop = new AbortController();
    const { reading, read } = ask({ stop: stop.signal });
    await vi.waitFor(() => expect(read.parts).toBe(3));
    stop.abort();
    await expect(reading).rejects.toThrow(/abort/i);
    expect(service.resumed).toEqual([]);
  });
  test('a stop before the first header tells the conversation, which the reader may delete', async () => {
    service.answerWith(() => undefined);
    const stop = new AbortController();
    const { reading, requests, threads } = ask({ stop: stop.signal });
    await vi.waitFor(() => expect(service.asked).toHaveLength(1));
    stop.abort();
    await expect(reading).rejects.toThrow(/abort/i);
    await requests.stop('chat-1');
    expect(threads).toEqual(['thread-1']);
  });
});
