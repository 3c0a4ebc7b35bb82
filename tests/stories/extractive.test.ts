/** Without a language model: the documentation is quoted, and it is said so. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { partOf } from '../support/ask.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';

let docent: TestDocent;

beforeAll(async () => {
  docent = await startDocent();
});
afterAll(() => docent[Symbol.asyncDispose]());

const notFound = 'I could not find this in the documentation.';

test.each([
  [
    'How do I install Kestrel with the package manager?',
    'kestrel-setup install --station rooftop',
    '/install#install-with-the-package-manager',
  ],
  ['Does it run on Windows?', 'Windows is not supported', '/install#install-on-windows'],
  [
    'How do I zero the wind sensor?',
    'hold the blue button for five seconds',
    '/guides/calibrate#zero-the-sensor',
  ],
  ['What is the default of alerts.gustLimit?', '25', '/guides/alerts#set-the-threshold'],
])('%s', async (question, quoted, link) => {
  const asked = await docent.ask(question);
  expect(asked.text).toMatch(/^\*Quoted from the documentation:\*\n\n/);
  expect(asked.text).toContain(quoted);
  const source = asked.parts.find((part) => (part['url'] as string | undefined)?.endsWith(link));
  expect(source?.['url']).toBe(`https://docs.kestrel.example${link}`);
  expect(asked.text).toContain(`[${source?.['sourceId'] as string}]`);
  expect(partOf(asked.parts, 'data-answer')?.['data']).toMatchObject({
    status: 'answered',
    mode: 'extractive',
  });
  expect(asked.parts.filter((part) => part.type === 'text-delta').length).toBeGreaterThan(3);
  const [turn] = await docent.turns(asked.headers.get('x-thread-id') ?? '');
  expect(turn).toMatchObject({
    status: 'complete',
    answer: asked.text,
    model: 'docent/extractive',
  });
});

test.each([
  'Who won the football championship of 1974?',
  'Write a poem about bread',
  'qwertz uiop',
])('a foreign question is not answered: %s', async (question) => {
  const asked = await docent.ask(question);
  expect(asked.text).toContain(notFound);
  expect(partOf(asked.parts, 'source-url')).toBeUndefined();
  expect(partOf(asked.parts, 'data-answer')?.['data']).toMatchObject({
    status: 'unanswered',
    mode: 'extractive',
  });
  expect(asked.parts.filter((part) => part.type === 'text-delta').length).toBeGreaterThan(1);
  expect(partOf(asked.parts, 'finish')).toBeDefined();
});

test('every number that is cited has its source', async () => {
  const asked = await docent.ask('How do I install, uninstall and calibrate Kestrel?');
  const sources = new Set(
    asked.parts.filter((part) => part.type === 'source-url').map((part) => part['sourceId']),
  );
  const cited = [...asked.text.matchAll(/\[(\d+)\]/g)].map(([, number]) => number);
  expect(cited.length).toBeGreaterThan(0);
  expect(cited.filter((number) => !sources.has(number))).toEqual([]);
});

test('a short follow-up is understood from the question before', async () => {
  const first = await docent.ask('How do I install Kestrel?');
  const threadId = first.headers.get('x-thread-id');
  const next = await docent.ask('And on Windows?', { threadId });
  expect(next.text).toContain('Windows is not supported');
});

test('a thread is for its site and its reader only', async () => {
  const body = (fp: string, threadId: string | null) => ({
    fp,
    threadId,
    messages: [{ role: 'user', content: 'How do I install Kestrel?' }],
  });
  const { key } = {
    key: (await docent.keys.create({ kind: 'assistant', organization: 'kestrel', name: 'all' }))
      .token,
  };
  const mine = await docent.ask(body('reader-1', null));
  const threadId = mine.headers.get('x-thread-id') ?? '';
  expect((await docent.ask(body('reader-1', threadId))).status).toBe(200);
  const refusals = await Promise.all([
    docent.ask(body('reader-2', threadId)),
    docent.ask(body('anonymous', threadId)),
    docent.ask(body('reader-1', threadId), { key, domain: 'kestrel-blog' }),
    docent.ask(body('reader-1', '01ARZ3NDEKTSV4RRFFQ69G5FAV')),
    docent.ask(body('reader-1', "' or 1=1 --")),
  ]);
  for (const { status, json } of refusals) {
    expect(status).toBe(404);
    expect(json).toEqual({
      code: 'not_found',
      error: 'There is no conversation with this threadId.',
      requestId: expect.any(String),
    });
  }
  // The thread of somebody else is not touched by the attempt.
  expect(await docent.turns(threadId)).toHaveLength(2);
});
