/** How long an answer goes on that nobody reads, and how soon one ends that somebody stops. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { AnswerPart } from '@docent/shared/stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '../../platform/log.ts';
import { openStore } from '../../open-store.ts';
import type { Store } from '../../platform/store/database.ts';
import { quiet } from '../../../testing/each-database.ts';
import { createThreads } from '../conversations/threads.ts';
import { createAnswerStreams } from './answer-streams.ts';
import { answerChannel, createStoredAnswers, isStream } from './stored-answers.ts';

const asker = {
  caller: { id: 'k', organization: 'o', groups: [] },
  domain: 'docs',
  fp: 'reader',
  address: '203.0.113.7',
};
const now = () => new Date();
let store: Store;
beforeEach(async () => {
  store = await openStore({ dataFolder: ':memory:', databaseUrl: undefined, log: quiet });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
});

const request = () => ({
  asker,
  body: '',
  isStored: true,
  requestId: 'r',
  forSdk: false,
  gone: new AbortController().signal,
});

/** An answer whose model says nothing more, with one reader. */
async function openAnswer() {
  const storedAnswers = createStoredAnswers(store);
  const streams = createAnswerStreams({ ...store, now, log: createLog('silent'), storedAnswers });
  const processes = {
    id: 'here',
    living: () => store.database.selectFrom('processes').select('id'),
  };
  const threads = createThreads({ ...store, now, processes });
  const { turnId, threadId } = await threads.open({
    question: 'How?',
    threadId: undefined,
    domain: asker.domain,
    fp: asker.fp,
    isStored: true,
    isRetry: false,
    context: [],
    currentPath: undefined,
    filter: undefined,
    model: 'm',
  });
  let model: AbortSignal | undefined;
  async function* answer(signal: AbortSignal): AsyncGenerator<AnswerPart, void, undefined> {
    yield { type: 'start', messageId: turnId, messageMetadata: { threadId } };
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  }
  const found = await streams.begin({
    ...request(),
    begin: async (signal) => answer((model = signal)),
  });
  if (!isStream(found)) throw new Error('It is made here.');
  const reader = { position: 0, wake() {} };
  found.attach(reader);
  const isAtWork = () => model?.aborted === false;
  return { stream: found, storedAnswers, isAtWork, leave: () => found.detach(reader, false) };
}

test('somebody stops it: the model is left in the same moment', async () => {
  const { stream, isAtWork } = await openAnswer();
  expect(isAtWork()).toBe(true);
  stream.end('stopped');
  expect(isAtWork()).toBe(false);
  await stream.done;
});

test('nobody reads it: the model is left after ten seconds, no sooner and no later', async () => {
  const { stream, isAtWork, leave } = await openAnswer();
  leave();
  vi.advanceTimersByTime(9_999);
  expect(isAtWork()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(isAtWork()).toBe(false);
  await stream.done;
});

test('a reader who waits at another process keeps the model at work', async () => {
  const { stream, storedAnswers, isAtWork, leave } = await openAnswer();
  leave();
  vi.advanceTimersByTime(9_000);
  const isWanted = new Promise((resolve) => store.bus.subscribe(answerChannel, resolve));
  const gone = new AbortController();
  const waiting = storedAnswers.send(
    stream,
    new ServerResponse(new IncomingMessage(new Socket())),
    { headers: {}, heartbeat: '', encode: () => '' },
    gone.signal,
  );
  await isWanted;
  vi.advanceTimersByTime(9_000);
  expect(isAtWork()).toBe(true);
  gone.abort();
  await waiting;
  vi.advanceTimersByTime(10_000);
  expect(isAtWork()).toBe(false);
  await stream.done;
});

test('an ended answer that is kept for resuming keeps nothing of its request', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const storedAnswers = createStoredAnswers(store);
  const streams = createAnswerStreams({ ...store, now, log: createLog('silent'), storedAnswers });
  async function* answer(): AsyncGenerator<AnswerPart, void, undefined> {
    yield { type: 'start', messageId: 'm', messageMetadata: { threadId: 't' } };
    yield { type: 'finish', finishReason: 'stop', messageMetadata: { threadId: 't' } };
  }
  async function ask() {
    const prompt = { answer };
    const found = await streams.begin({ ...request(), begin: async () => prompt.answer() });
    if (isStream(found)) await found.done;
    return new WeakRef(prompt);
  }
  const prompt = await ask();
  await expect
    .poll(() => {
      collectGarbage();
      return prompt.deref() === undefined;
    })
    .toBe(true);
  expect(await streams.find('m', asker)).toBeDefined();
});

test('answers that readers hold count together: above the limit, questions wait until somebody leaves', async () => {
  const storedAnswers = createStoredAnswers(store);
  const streams = createAnswerStreams({ ...store, now, log: createLog('silent'), storedAnswers });
  const megabyte = 'x'.repeat(1_000_000);
  async function* answer(id: number): AsyncGenerator<AnswerPart, void, undefined> {
    const messageMetadata = { threadId: `t${id}` };
    yield { type: 'start', messageId: `m${id}`, messageMetadata };
    for (let each = 0; each < 3; each += 1) yield { type: 'text-delta', id: '0', delta: megabyte };
    yield { type: 'finish', finishReason: 'stop', messageMetadata };
  }
  const leave: (() => void)[] = [];
  let refused: unknown;
  for (let id = 0; id < 30 && refused === undefined; id += 1) {
    try {
      streams.refuseWhenStopping();
    } catch (error) {
      refused = error;
      break;
    }
    const found = await streams.begin({ ...request(), begin: async () => answer(id) });
    if (!isStream(found)) throw new Error('It is made here.');
    // It stops reading in the middle, and the answer ends.
    const reader = { position: 1, wake() {} };
    found.attach(reader);
    await found.done;
    leave.push(() => found.detach(reader, false));
  }
  expect(leave.length).toBe(22);
  expect(refused).toMatchObject({ code: 'unavailable', retryAfter: 5 });
  // No longer kept for those who come back, but still held by its reader.
  vi.advanceTimersByTime(121_000);
  expect(() => streams.refuseWhenStopping()).toThrow();
  leave.pop()?.();
  expect(() => streams.refuseWhenStopping()).not.toThrow();
  for (const each of leave) each();
});
