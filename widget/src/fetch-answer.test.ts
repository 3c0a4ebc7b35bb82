import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LineState } from './answer-line.ts';
import { createAnswerFetch } from './fetch-answer.ts';
import { toProblem } from './problems.ts';
import type { ServerResponse } from 'node:http';
import type { AnswerPart } from '@docent/shared/stream';
import {
  answer,
  type Answering,
  refuse,
  rest,
  startService,
  type Service,
} from './testing/service.ts';

let service: Service;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.close());

function ask(body: object, silenceMs = 5000, signal?: AbortSignal) {
  const threads: (string | undefined)[] = [];
  const lines: LineState[] = [];
  const answerFetch = createAnswerFetch({
    onThread: (threadId) => threads.push(threadId),
    onThreadLost: () => threads.push(undefined),
    challengeUrl: `${service.url}/challenge`,
    again: (messageId) => ({ url: `${service.url}/message/${messageId}/stream`, headers: {} }),
    onLine: (state) => lines.push(state),
    silenceMs,
  });
  const init = { method: 'POST', body: JSON.stringify(body), ...(signal ? { signal } : {}) };
  return { threads, lines, response: answerFetch(`${service.url}/message`, init) };
}
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => toProblem(error, { isOnline: true, hasPart: true, now: 0 }).kind,
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
const wire = hello.map((part) => `data: ${JSON.stringify(part)}\n\n`).join('');

/** Sends the first bytes of the answer and then nothing, or breaks the connection. */
const cutAfter =
  (bytes: number, end: 'cut' | 'silence' | 'clean' = 'cut'): Answering =>
  (response) => {
    response.writeHead(200, { 'x-thread-id': 'thread-1', 'content-type': 'text/event-stream' });
    response.flushHeaders();
    response.write(Buffer.from(wire).subarray(0, bytes), () => {
      if (end === 'cut') setImmediate(() => response.destroy());
      if (end === 'clean') response.end();
    });
  };
/** As the chat SDK reads it: what the stream fails with, not what a `text()` makes of that. */
async function drain(response: Response): Promise<void> {
  const reader = response.body?.getReader();
  while (reader && !(await reader.read()).done);
}
const textOf = async (response: Promise<Response>) =>
  (await (await response).text()).replaceAll('data: [DONE]\n\n', '');

describe('an answer', () => {
  test('is passed on whole, with the thread of its header', async () => {
    service.answerWith(answer('Hello there.'));
    const { response, threads } = ask({ messages: [] });
    expect(await (await response).text()).toContain('there.');
    expect(threads).toEqual(['thread-1']);
  });
  test('that does not begin is given up', async () => {
    service.answerWith(() => {});
    expect(await failure(ask({ messages: [] }, 600).response)).toBe('timeout');
    expect(service.asked).toHaveLength(1);
  });
  test('of a lost thread is asked for again without it, once', async () => {
    service.answerWith(refuse(404, 'not_found'), refuse(404, 'not_found'));
    const { response, threads } = ask({ messages: [], threadId: 'old' });
    expect(await failure(response)).toBe('notFound');
    expect(threads).toEqual([undefined]);
    expect(service.asked.map(({ body }) => body['threadId'])).toEqual(['old', undefined]);
  });
  test('a 404 without a thread is what it is', async () => {
    service.answerWith(refuse(404, 'not_found'));
    const { response, threads } = ask({ messages: [] });
    expect(await failure(response)).toBe('notFound');
    expect(threads).toEqual([]);
    expect(service.asked).toHaveLength(1);
  });
});

describe('a connection that ends too early', () => {
  const bytes = Buffer.from(wire).length;
  // Every byte of the answer, so also in the middle of a character of two and of four bytes.
  const places = Array.from({ length: Math.ceil((bytes - 1) / 7) }, (_, index) => index * 7 + 1);
  test.each(places)('after %i bytes: no byte is lost, none comes twice', async (place) => {
    service.answerWith(cutAfter(place), cutAfter(bytes));
    service.resumeWith(rest(hello));
    expect(await textOf(ask({ messages: [] }).response)).toBe(wire);
    expect(service.asked.length + service.resumed.length).toBe(2);
  });
  test.each(['silence', 'clean'] as const)('by %s', async (how) => {
    service.answerWith(cutAfter(200, how));
    service.resumeWith(rest(hello));
    const { response, lines } = ask({ messages: [] }, how === 'silence' ? 600 : 5000);
    expect(await textOf(response)).toBe(wire);
    expect(service.resumed).toMatchObject([{ id: 'answer-1', skip: 3 }]);
    expect(lines).toContain('reconnecting');
    expect(lines.at(-1)).toBe('ok');
  });
  test('again and again', async () => {
    service.answerWith(cutAfter(200));
    const upTo = (most: number) => (response: ServerResponse, skip: number) => {
      response.writeHead(200, {});
      const text = hello.slice(skip, most).map((part) => `data: ${JSON.stringify(part)}\n\n`);
      response.write(text.join(''), () => setImmediate(() => response.destroy()));
    };
    service.resumeWith(upTo(4), upTo(5), upTo(6), rest(hello));
    expect(await textOf(ask({ messages: [] }).response)).toBe(wire);
    expect(service.resumed.map(({ skip }) => skip)).toEqual([3, 4, 5, 6]);
  });
  test('before the first byte: the question is sent again under the same name', async () => {
    service.answerWith((response) => response.destroy(), cutAfter(bytes));
    expect(await textOf(ask({ messages: [] }).response)).toBe(wire);
    expect(service.asked).toHaveLength(2);
  });
  test('what the service does not have any more is said to be gone', async () => {
    service.answerWith(cutAfter(200));
    const { response } = ask({ messages: [] });
    expect(await failure(drain(await response))).toBe('gone');
  });
  test('what it refuses is not asked for again', async () => {
    service.answerWith(cutAfter(200));
    service.resumeWith(refuse(401, 'unauthorized') as never, rest(hello));
    const { response } = ask({ messages: [] });
    expect(await failure(drain(await response))).toBe('setup');
    expect(service.resumed).toHaveLength(1);
  });
  test('a proxy that restarts is waited for', async () => {
    service.answerWith(cutAfter(200));
    service.resumeWith(refuse(502, 'x') as never, rest(hello));
    expect(await textOf(ask({ messages: [] }).response)).toBe(wire);
  });
  test('the reader’s own stop is not a broken connection', async () => {
    service.answerWith(cutAfter(200, 'silence'));
    const stop = new AbortController();
    const response = await ask({ messages: [] }, 5000, stop.signal).response;
    const text = response.text();
    stop.abort();
    await expect(text).rejects.toThrow(/abort/i);
    expect(service.resumed).toEqual([]);
  });
});
