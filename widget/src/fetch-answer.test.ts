import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAnswerFetch } from './fetch-answer.ts';
import { toProblem } from './problems.ts';
import { answer, begin, refuse, startService, type Service } from './testing/service.ts';

let service: Service;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.close());

function ask(body: object, silenceMs = 5000, signal?: AbortSignal) {
  const threads: (string | undefined)[] = [];
  const answerFetch = createAnswerFetch({
    onThread: (threadId) => threads.push(threadId),
    onThreadLost: () => threads.push(undefined),
    challengeUrl: `${service.url}/challenge`,
    silenceMs,
  });
  const init = { method: 'POST', body: JSON.stringify(body), ...(signal ? { signal } : {}) };
  return { threads, response: answerFetch(`${service.url}/message`, init) };
}
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => toProblem(error, { isOnline: true, hasPart: true, now: 0 }).kind,
  );

describe('an answer', () => {
  test('is passed on whole, with the thread of its header', async () => {
    service.answerWith(answer('Hello there.'));
    const { response, threads } = ask({ messages: [] });
    expect(await (await response).text()).toContain('there.');
    expect(threads).toEqual(['thread-1']);
  });
  test('that does not begin is given up', async () => {
    service.answerWith(() => {});
    expect(await failure(ask({ messages: [] }, 60).response)).toBe('timeout');
  });
  test('that falls silent is given up', async () => {
    service.answerWith((response) => begin(response));
    const response = await ask({ messages: [] }, 120).response;
    expect(await failure(response.text())).toBe('timeout');
  });
  test('of a lost thread is asked for again without it, once', async () => {
    service.answerWith(refuse(404, 'not_found'), refuse(404, 'not_found'));
    const { response, threads } = ask({ messages: [], threadId: 'old' });
    expect((await response).status).toBe(404);
    expect(threads).toEqual([undefined]);
    expect(service.asked.map(({ body }) => body['threadId'])).toEqual(['old', undefined]);
  });
  test('a 404 without a thread is what it is', async () => {
    service.answerWith(refuse(404, 'not_found'));
    const { response, threads } = ask({ messages: [] });
    expect((await response).status).toBe(404);
    expect(threads).toEqual([]);
    expect(service.asked).toHaveLength(1);
  });
});
