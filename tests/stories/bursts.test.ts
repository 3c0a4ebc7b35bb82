/** How fast questions may come: of one reader, in one thread, from one address; slower before refused. */
import { describe, expect, test } from 'vitest';
import { toBody } from '../support/ask.ts';
import { startDocent, type StartOptions, type TestDocent } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const question = 'How do I install Kestrel?';
const start = (limits: StartOptions['limits'], more: StartOptions = {}) =>
  startDocent({ limits: { slowDown: false, ...limits }, ...more });

async function ask(docent: TestDocent, body: Record<string, unknown> = {}, options: object = {}) {
  const response = await docent.post(toBody(question, body), options);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}
const status = async (...args: Parameters<typeof ask>) => (await ask(...args)).status;

/** A steady clock that a test sets, in seconds after the begin of a clock minute. */
function clock() {
  let seconds = 0;
  return {
    steadyNow: () => 29_000_000 * 60_000 + seconds * 1000,
    set: (next: number) => (seconds = next),
  };
}

describe('who is counted', () => {
  test('a reader by itself: another is not touched, and nobody in particular is no reader', async () => {
    await using docent = await start({ perReaderAndMinute: 2 });
    for (let i = 0; i < 2; i++) expect(await status(docent, { fp: 'reader-1' })).toBe(200);
    expect(await status(docent, { fp: 'reader-1' })).toBe(429);
    expect(await status(docent, { fp: 'reader-2' })).toBe(200);
    for (let i = 0; i < 5; i++) expect(await status(docent, { fp: 'anonymous' })).toBe(200);
  });

  test('the same name on another site is another reader', async () => {
    await using docent = await start({ perReaderAndMinute: 1 });
    const { token: key } = await docent.keys.create({
      kind: 'assistant',
      organization: 'kestrel',
      name: 'all sites',
    });
    expect(await status(docent, { fp: 'r' }, { key })).toBe(200);
    expect(await status(docent, { fp: 'r' }, { key })).toBe(429);
    expect(await status(docent, { fp: 'r' }, { key, domain: 'kestrel-blog' })).toBe(200);
  });

  test('a thread, whoever asks in it', async () => {
    await using docent = await start({ perThreadAndMinute: 2 });
    const threadId = (await ask(docent)).headers.get('x-thread-id');
    expect(threadId).toBeTruthy();
    for (let i = 0; i < 2; i++) expect(await status(docent, { threadId })).toBe(200);
    expect(await status(docent, { threadId })).toBe(429);
    expect(await status(docent)).toBe(200);
  });

  test('an address, with all that come from it', async () => {
    await using docent = await start({ perAddressAndMinute: 3 }, { server: { trustProxy: 1 } });
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    for (let i = 0; i < 3; i++)
      expect(await status(docent, { fp: `r${i}` }, from('203.0.113.1'))).toBe(200);
    expect(await status(docent, { fp: 'r9' }, from('203.0.113.1'))).toBe(429);
    expect(await status(docent, { fp: 'r9' }, from('203.0.113.2'))).toBe(200);
  });

  test('nobody, where the limits are switched off', async () => {
    await using docent = await start({
      perReaderAndMinute: false,
      perThreadAndMinute: false,
      perAddressAndMinute: false,
    });
    for (let i = 0; i < 30; i++) expect(await status(docent, { fp: 'r' })).toBe(200);
    expect((await ask(docent, { fp: 'r' })).headers.get('ratelimit')).not.toContain('minute');
  });
});

test('fifty at once of one reader against a limit of twenty: exactly twenty', async () => {
  await using docent = await start({ perReaderAndMinute: 20 });
  const all = await Promise.all(Array.from({ length: 50 }, () => status(docent, { fp: 'r' })));
  expect([200, 429].map((each) => all.filter((one) => one === each).length)).toEqual([20, 30]);
});

test('the headers say how it stands, and coming back when told works', async () => {
  const time = clock();
  await using docent = await start({ perReaderAndMinute: 2 }, time);
  const origin = 'https://docs.kestrel.example';
  const first = await ask(docent, { fp: 'r' });
  expect(first.headers.get('ratelimit-policy')).toMatch(/"reader-minute"; q=2; w=60; pk=:.{12}:/);
  expect(first.headers.get('ratelimit')).toContain('"reader-minute"; r=1; t=');
  time.set(30);
  expect((await ask(docent, { fp: 'r' })).headers.get('ratelimit')).toContain(
    '"reader-minute"; r=0',
  );
  const refused = await ask(docent, { fp: 'r' }, { headers: { origin } });
  expect(refused.status).toBe(429);
  const body = JSON.parse(refused.text) as { retryAfter: number };
  expect(body).toEqual({
    code: 'rate_limited',
    error: 'You have asked many questions in a short time. Please wait a moment.',
    retryAfter: Number(refused.headers.get('retry-after')),
    requestId: refused.headers.get('x-request-id'),
  });
  expect(refused.headers.get('ratelimit')).toContain(`"reader-minute"; r=0; t=${body.retryAfter}`);
  expect(refused.headers.get('access-control-expose-headers')).toContain('RateLimit-Policy');
  time.set(30 + body.retryAfter - 2);
  expect(await status(docent, { fp: 'r' })).toBe(429);
  time.set(30 + body.retryAfter);
  expect(await status(docent, { fp: 'r' })).toBe(200);
});

test('a machine whose clock is set, forward or back, neither locks out nor opens up', async () => {
  let now = new Date('2026-03-10T12:00:00Z');
  await using docent = await start({ perReaderAndMinute: 1 }, { now: () => now });
  expect(await status(docent, { fp: 'r' })).toBe(200);
  for (const time of ['2026-03-11T12:00:00Z', '2026-03-09T12:00:00Z', '2025-01-01T00:00:00Z']) {
    now = new Date(time);
    expect(await status(docent, { fp: 'r' })).toBe(429);
    expect(await status(docent, { fp: `other at ${time}` })).toBe(200);
  }
});

test('a question that is refused costs nothing else: no turn is stored', async () => {
  await using docent = await start({ perReaderAndMinute: 1 });
  for (let i = 0; i < 4; i++) await ask(docent, { fp: 'r' });
  const turns = await docent.docent.parts.database.selectFrom('turns').select('id').execute();
  expect(turns).toHaveLength(1);
});

describe('slower before refused', () => {
  const slowDown = { fromShare: 0.5, longestSeconds: 4, mostWaiting: 2 };

  /** Every wait, with what ends it. */
  function gates() {
    const waits: { ms: number; signal: AbortSignal; go: () => void }[] = [];
    const sleep = (ms: number, signal: AbortSignal) =>
      new Promise<void>((go) => {
        waits.push({ ms, signal, go });
        signal.addEventListener('abort', () => go());
      });
    return { waits, sleep };
  }

  test('from a share of the limit on each waits longer, and is answered then', async () => {
    const { waits, sleep } = gates();
    await using docent = await start({ perReaderAndMinute: 4, slowDown }, { sleep });
    for (let i = 0; i < 2; i++) expect(await status(docent, { fp: 'r' })).toBe(200);
    expect(waits).toHaveLength(0);
    for (const [index, ms] of [2_000, 4_000].entries()) {
      const answer = ask(docent, { fp: 'r' });
      const wait = await waitFor('the wait', () => waits[index]);
      expect(wait.ms).toBe(ms);
      wait.go();
      expect((await answer).status).toBe(200);
    }
    expect(await status(docent, { fp: 'r' })).toBe(429);
    expect(waits).toHaveLength(2);
  });

  test('who leaves while waiting asks no model and makes room', async () => {
    const { waits, sleep } = gates();
    await using docent = await start(
      { perReaderAndMinute: 1, slowDown: { ...slowDown, mostWaiting: 1 } },
      { sleep },
    );
    const leaving = new AbortController();
    const left = ask(docent, { fp: 'a' }, { signal: leaving.signal }).catch(() => 'left');
    const wait = await waitFor('the wait', () => waits[0]);
    expect(await status(docent, { fp: 'b' })).toBe(429);
    leaving.abort();
    expect(await left).toBe('left');
    await waitFor('the service to notice', () => wait.signal.aborted);
    const next = ask(docent, { fp: 'c' });
    (await waitFor('the next wait', () => waits[1])).go();
    expect((await next).status).toBe(200);
    const turns = await docent.docent.parts.database
      .selectFrom('turns')
      .select('status')
      .where('status', '=', 'complete')
      .execute();
    expect(turns).toHaveLength(1);
  });
});
