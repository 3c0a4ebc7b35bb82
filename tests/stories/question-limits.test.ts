/** How many questions may come in a minute: of one reader, in one thread, from one address. */
import { describe, expect, test } from 'vitest';
import { toBody } from '../support/ask.ts';
import { startDocent, type StartOptions, type TestDocent } from '../support/start-docent.ts';

const question = 'How do I install Kestrel?';
/** The clock stands still where a test doesn't set it, so that no minute ends in between. */
const noon = new Date('2026-03-10T12:00:00.000Z');
const start = (limits: StartOptions['limits'], more: StartOptions = {}) =>
  startDocent({ limits, now: () => noon, ...more });

async function ask(docent: TestDocent, body: Record<string, unknown> = {}, options: object = {}) {
  const response = await docent.post(toBody(question, body), options);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}
const status = async (...args: Parameters<typeof ask>) => (await ask(...args)).status;

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

test('without settings: twenty in a thread, sixty of a reader, 1,500 from an address', async () => {
  await using docent = await start(undefined);
  const threadId = (await ask(docent, { fp: 'r' })).headers.get('x-thread-id');
  const policy = (await ask(docent, { fp: 'r', threadId })).headers.get('ratelimit-policy');
  expect(policy).toMatch(/"thread-minute"; q=20; w=60/);
  expect(policy).toMatch(/"reader-minute"; q=60; w=60/);
  expect(policy).toMatch(/"address-minute"; q=1500; w=60/);
  for (let i = 1; i < 20; i++) expect(await status(docent, { fp: 'r', threadId })).toBe(200);
  expect(await status(docent, { fp: 'r', threadId })).toBe(429);
  // Of sixty, 22 are used: the first, the twenty, and the refused one.
  for (let i = 0; i < 38; i++) expect(await status(docent, { fp: 'r' })).toBe(200);
  expect(await status(docent, { fp: 'r' })).toBe(429);
});

test('fifty at once of one reader against a limit of twenty: exactly twenty', async () => {
  await using docent = await start({ perReaderAndMinute: 20 });
  const all = await Promise.all(Array.from({ length: 50 }, () => status(docent, { fp: 'r' })));
  expect([200, 429].map((each) => all.filter((one) => one === each).length)).toEqual([20, 30]);
});

test('the headers say how it stands, and coming back when told works', async () => {
  let now = noon;
  await using docent = await start({ perReaderAndMinute: 2 }, { now: () => now });
  const origin = 'https://docs.kestrel.example';
  const first = await ask(docent, { fp: 'r' });
  expect(first.headers.get('ratelimit-policy')).toMatch(
    /"reader-minute"; q=2; w=60; pk=:[\w+/=]+:/,
  );
  expect(first.headers.get('ratelimit')).toContain('"reader-minute"; r=1; t=');
  now = new Date('2026-03-10T12:00:30.000Z');
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
  expect(body.retryAfter).toBe(30);
  now = new Date('2026-03-10T12:00:59.999Z');
  expect(await status(docent, { fp: 'r' })).toBe(429);
  now = new Date('2026-03-10T12:01:00.000Z');
  expect(await status(docent, { fp: 'r' })).toBe(200);
});

test('a clock that is set back locks nobody out for longer than a minute', async () => {
  let now = noon;
  await using docent = await start({ perReaderAndMinute: 1 }, { now: () => now });
  expect(await status(docent, { fp: 'r' })).toBe(200);
  now = new Date('2026-03-10T11:59:30.000Z');
  expect(await status(docent, { fp: 'r' })).toBe(200);
  const refused = await ask(docent, { fp: 'r' });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
});

test('a question that is refused costs nothing else: no turn is stored', async () => {
  await using docent = await start({ perReaderAndMinute: 1 });
  for (let i = 0; i < 4; i++) await ask(docent, { fp: 'r' });
  const turns = await docent.docent.services.database.selectFrom('turns').select('id').execute();
  expect(turns).toHaveLength(1);
});
