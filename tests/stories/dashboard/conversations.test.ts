/** D14: the owner finds conversations by what they look for, reads one as its reader saw it, and takes them along. */
import { ConversationsResponse, ThreadResponse } from '@docent/shared/analytics';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { partOf, toBody } from '../../support/ask.ts';
import { postJson } from '../../support/call.ts';
import { addPerson } from '../../support/person.ts';
import { startDocent, type TestDocent } from '../../support/start-docent.ts';

let docent: TestDocent;
let viewer: Awaited<ReturnType<typeof addPerson>>;
let threadId = '';
let clock = new Date('2026-11-10T12:00:00.000Z');
const path = '/v1/analytics/kestrel-docs/assistant';

async function ask(question: string, more: Record<string, unknown> = {}) {
  const asked = await docent.ask(toBody(question, more));
  expect(asked.status).toBe(200);
  clock = new Date(clock.getTime() + 60_000);
  return {
    messageId: partOf(asked.parts, 'start')?.['messageId'] as string,
    threadId: asked.headers.get('x-thread-id') ?? '',
  };
}

const list = async (query: string) => {
  const response = await viewer.fetch(path + query);
  const body: unknown = await response.json();
  expect(response.status, JSON.stringify(body)).toBe(200);
  return ConversationsResponse.parse(body);
};
const questions = async (query: string) =>
  (await list(query)).conversations.map((one) => one.query);

beforeAll(async () => {
  docent = await startDocent({ now: () => clock });
  viewer = await addPerson(docent, 'viewer');
  const first = await ask('How do I install Kestrel?', { fp: 'jo', currentPath: '/Pricing_1' });
  threadId = first.threadId;
  const context = [{ type: 'textSelection', value: 'kestrel-setup', path: '/install' }];
  const second = await ask('What sets the storm alert threshold?', { fp: 'jo', threadId, context });
  await postJson(docent, '/discovery/v1/feedback/kestrel-docs', {
    fp: 'jo',
    messageId: second.messageId,
    rating: 'down',
    reasons: ['outdated'],
    note: 'Old 100% <b>news</b>.',
  });
  await ask('Does billing accept bitcoin invoices?', { fp: 'kim', currentPath: '/pricingX1' });
});
afterAll(() => docent[Symbol.asyncDispose]());

const install = 'How do I install Kestrel?';
const alerts = 'What sets the storm alert threshold?';
const billing = 'Does billing accept bitcoin invoices?';

test.each<[string, string[]]>([
  ['', [billing, alerts, install]],
  ['?resolutionStatus=unanswered', [billing]],
  ['?rating=down', [alerts]],
  ['?rating=up', []],
  ['?status=complete', [billing, alerts, install]],
  ['?status=failed', []],
  ['?text=BITCOIN', [billing]],
  ['?text=kestrel-setup', [install]],
  ['?text=%25', []],
  // An underscore stands for itself.
  ['?page=pricing_1', [install]],
  ['?page=/guides/alerts', [alerts]],
  ['?model=other/model', []],
  ['?dateFrom=2026-11-10T12:01:00Z&dateTo=2026-11-10T12:02:00Z', [alerts]],
])('%s finds its questions', async (query, expected) => {
  expect(await questions(query)).toEqual(expected);
});

test('the questions of one reader, and of the model that answered', async () => {
  const { conversations } = await list('');
  const { reader, model } = conversations[0] ?? { reader: '', model: '' };
  expect(await questions(`?reader=${encodeURIComponent(reader)}`)).toEqual([billing]);
  expect(await questions(`?model=${encodeURIComponent(model)}`)).toHaveLength(3);
});

test('page by page, also where two questions have the same time', async () => {
  const first = await list('?limit=2');
  expect(first).toMatchObject({
    hasMore: true,
    conversations: [{ query: billing }, { query: alerts }],
  });
  const rest = await list(`?limit=2&cursor=${first.nextCursor}`);
  expect(rest).toMatchObject({
    hasMore: false,
    nextCursor: null,
    conversations: [{ query: install }],
  });
});

test('one conversation has everything that is stored about it', async () => {
  const response = await viewer.fetch(`${path}/${threadId}`);
  const thread = ThreadResponse.parse(await response.json());
  expect(thread).toMatchObject({ threadId, hasEarlier: false });
  expect(thread.turns.map((turn) => turn.query)).toEqual([install, alerts]);
  const [first, second] = thread.turns;
  expect(first).toMatchObject({ currentPath: '/Pricing_1', finishReason: 'stop', jobId: null });
  expect(first?.response).toContain('[1]');
  expect(first?.sources[0]).toMatchObject({ id: '1' });
  expect(first?.firstTextMs).toBeGreaterThanOrEqual(first?.searchMs ?? Infinity);
  expect(first?.passages[0]?.url).toContain('/install');
  const scores = first?.passages.map((passage) => passage.score) ?? [];
  expect(Math.max(...scores)).toBeGreaterThan(0);
  expect(second).toMatchObject({
    context: [{ value: 'kestrel-setup', path: '/install' }],
    feedback: { helpful: false, reasons: ['outdated'], comment: 'Old 100% <b>news</b>.' },
  });
  const other = `/v1/analytics/kestrel-blog/assistant/${threadId}`;
  expect((await viewer.fetch(other)).status).toBe(404);
});

test('a filtered list is a file', async () => {
  const response = await viewer.fetch(`${path}?format=csv&rating=down`);
  const lines = (await response.text()).trimEnd().split('\r\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain('firstTextMs');
  expect(lines[1]).toContain(alerts);
});

test('everything of a reader is deleted by the pseudonym that a conversation has', async () => {
  const admin = await addPerson(docent, 'admin');
  const reader = (await list('?text=bitcoin')).conversations[0]?.reader;
  const forget = (body: object) =>
    admin.fetch('/v1/readers/kestrel-docs/forget', { method: 'POST', body });
  expect((await forget({ reader: 'anonymous' })).status).toBe(400);
  expect((await forget({})).status).toBe(400);
  expect(await (await forget({ reader })).json()).toMatchObject({ threads: 1, questions: 1 });
  expect(await questions('')).toEqual([alerts, install]);
});
