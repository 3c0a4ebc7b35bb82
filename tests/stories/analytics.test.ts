/** What readers think, and what the owner of a site learns from it. */
import {
  ConversationsResponse,
  FeedbackListResponse,
  GapsResponse,
  PageFeedbackResponse,
  SummaryResponse,
} from '@docent/shared/analytics';
import { FeedbackResponse } from '@docent/shared/feedback';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partOf, toBody } from '../support/ask.ts';
import { getJson, postJson } from '../support/call.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';

let docent: TestDocent;
let admin: string;
let clock = new Date('2026-11-10T12:00:00.000Z');

beforeAll(async () => {
  docent = await startDocent({ now: () => clock });
  admin = await adminOf(docent, 'kestrel');
});
afterAll(() => docent[Symbol.asyncDispose]());

async function adminOf(of: TestDocent, organization: string): Promise<string> {
  return (await of.keys.create({ kind: 'admin', organization, name: 'admin' })).token;
}

const feedbackPath = '/discovery/v1/feedback/kestrel-docs';

async function ask(question: string, more: Record<string, unknown> = {}) {
  const asked = await docent.ask(toBody(question, more));
  expect(asked.status).toBe(200);
  return {
    messageId: partOf(asked.parts, 'start')?.['messageId'] as string,
    threadId: asked.headers.get('x-thread-id') ?? '',
  };
}

const rate = (body: object, options = {}) =>
  postJson(docent, feedbackPath, { fp: 'anonymous', rating: 'up', ...body }, options);

async function read<Body>(path: string, schema: { parse(body: unknown): Body }): Promise<Body> {
  const { status, body } = await getJson(docent, `/v1/analytics/kestrel-docs${path}`, {
    key: admin,
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return schema.parse(body);
}

describe('feedback', () => {
  test('is kept with the answer; the last word counts', async () => {
    const { messageId, threadId } = await ask('How do I install Kestrel?', { fp: 'jo' });
    const first = await rate({ fp: 'jo', messageId, reasons: ['accurate'] });
    expect(first.status).toBe(200);
    const given = FeedbackResponse.parse(first.body);
    expect(given).toMatchObject({ messageId, rating: 'up' });
    const changed = await rate({
      fp: 'jo',
      threadId,
      rating: 'down',
      reasons: ['incomplete', 'incomplete', 'outdated'],
      note: 'Write to me@canary.example about Debian.',
    });
    expect(changed.body).toMatchObject({ id: given.id, rating: 'down' });

    const { feedback } = await read('/feedback', FeedbackListResponse);
    const mine = feedback.filter((entry) => entry.messageId === messageId);
    expect(mine).toMatchObject([{ helpful: false, reasons: ['incomplete', 'outdated'] }]);
    expect(mine[0]?.comment).toContain('about Debian.');
    expect(mine[0]?.comment).not.toContain('me@canary.example');
  });

  test('of a page: one of each reader with a name, all of those without', async () => {
    const path = 'https://docs.kestrel.example/guides/alerts.html#set-the-threshold';
    for (const fp of ['sam', 'sam', 'anonymous', 'anonymous']) {
      const { body } = await rate({ path, fp, rating: 'down' });
      expect(body).toMatchObject({ path: '/guides/alerts' });
    }
    const { pages } = await read('/feedback/by-page', PageFeedbackResponse);
    const page = pages.find((each) => each.path === '/guides/alerts');
    expect(page).toMatchObject({ thumbsUp: 0, thumbsDown: 3 });
  });

  test('about the page that made an answer wrong is one opinion, of the answer', async () => {
    const { messageId } = await ask('How do I install Kestrel?', { fp: 'kim' });
    const first = await rate({ fp: 'kim', messageId, rating: 'down' });
    const path = 'https://docs.kestrel.example/guides/alerts#x';
    const { body } = await rate({ fp: 'kim', messageId, path, rating: 'down', note: 'Old.' });
    expect(body).toMatchObject({ id: first.body['id'], messageId, path: '/guides/alerts' });
    expect(body).not.toHaveProperty('report');
    const { feedback } = await read('/feedback', FeedbackListResponse);
    expect(feedback.filter((entry) => entry.messageId === messageId)).toMatchObject([
      { source: 'assistant', path: '/guides/alerts', comment: 'Old.' },
    ]);
  });

  test('can be taken back, by whoever gave it', async () => {
    const { messageId } = await ask('How do I install Kestrel?', { fp: 'lou' });
    const { body } = await rate({ fp: 'lou', messageId, note: 'Great.' });
    const id = String(body['id']);
    const takeBack = async (fp?: string, key = docent.key) =>
      (
        await fetch(`${docent.url}${feedbackPath}/${id}`, {
          method: 'DELETE',
          headers: { authorization: `Bearer ${key}`, ...(fp && { 'x-fp': fp }) },
        })
      ).status;
    const mine = async () => {
      const { feedback } = await read('/feedback', FeedbackListResponse);
      return feedback.filter((entry) => entry.messageId === messageId).length;
    };
    expect(await takeBack('eve')).toBe(204);
    expect(await takeBack()).toBe(204);
    expect(await takeBack('lou', admin)).toBe(403);
    expect(await mine()).toBe(1);
    expect(await takeBack('lou')).toBe(204);
    expect(await takeBack('lou')).toBe(204);
    expect(await mine()).toBe(0);
    const again = await rate({ fp: 'lou', messageId, rating: 'down' });
    expect(again.status).toBe(200);
    expect(await mine()).toBe(1);
  });

  test('is only for an answer of this site and this reader', async () => {
    const { messageId, threadId } = await ask('How do I install Kestrel?', { fp: 'jo' });
    const words = 'There is no such answer to give feedback on.';
    for (const body of [
      { fp: 'eve', messageId },
      { messageId },
      { fp: 'eve', threadId },
      { fp: 'jo', messageId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' },
      { fp: 'jo', messageId, threadId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' },
    ]) {
      expect(await rate(body)).toMatchObject({ status: 404, body: { error: words } });
    }
    const { keys } = docent;
    const other = await keys.create({ kind: 'assistant', organization: 'osprey', name: 'o' });
    const path = '/discovery/v1/feedback/osprey-docs';
    const body = { fp: 'jo', messageId, rating: 'up' };
    expect((await postJson(docent, path, body, { key: other.token })).status).toBe(404);
    expect((await rate({ fp: 'jo', messageId }, { key: other.token })).status).toBe(404);
  });

  test.each<[string, object, number]>([
    ['about nothing', {}, 400],
    ['about a page, and an answer that is not there', { path: '/install', messageId: 'x' }, 404],
    ['about a page that is not there', { path: '/none' }, 404],
    ['no rating', { path: '/install', rating: undefined }, 400],
    ['another rating', { path: '/install', rating: 'great' }, 400],
    ['a reason of their own', { path: '/install', reasons: ['it rains'] }, 400],
    ['a long note', { path: '/install', note: 'x'.repeat(1_001) }, 400],
    ['no reader', { path: '/install', fp: '' }, 400],
  ])('%s is refused', async (_what, body, status) => {
    expect((await rate(body)).status).toBe(status);
  });
});

describe('what the owner learns', () => {
  let owner: TestDocent;
  let key: string;
  const get = async <Body>(path: string, schema: { parse(body: unknown): Body }) => {
    const { status, body } = await getJson(owner, `/v1/analytics/kestrel-docs${path}`, { key });
    expect(status, JSON.stringify(body)).toBe(200);
    return schema.parse(body);
  };

  beforeAll(async () => {
    owner = await startDocent({ now: () => clock });
    key = await adminOf(owner, 'kestrel');
    const days = ['2026-10-01', '2026-11-01', '2026-11-02'];
    const questions = [
      'How do I install Kestrel?',
      'Does billing accept bitcoin invoices?',
      '=cmd|"/c calc"!A1, bitcoin billing invoices?',
      'What sets the storm alert threshold?',
    ];
    for (const day of days) {
      for (const [hour, question] of questions.entries()) {
        clock = new Date(`${day}T0${hour}:00:00.000Z`);
        const fp = `reader-${hour % 2}`;
        const asked = await owner.ask(toBody(question, { fp, currentPath: '/pricing' }));
        const messageId = partOf(asked.parts, 'start')?.['messageId'];
        if (hour === 0) await postJson(owner, feedbackPath, { fp, messageId, rating: 'down' });
      }
    }
    clock = new Date('2026-11-03T00:00:00.000Z');
  });
  afterAll(() => owner[Symbol.asyncDispose]());

  test('numbers of a period', async () => {
    const summary = await get('?dateFrom=2026-11-01&dateTo=2026-11-02', SummaryResponse);
    expect(summary).toMatchObject({
      questions: 8,
      readers: 2,
      answered: 4,
      unanswered: 4,
      refused: 0,
      incomplete: 0,
      thumbsUp: 0,
      thumbsDown: 2,
      days: [
        { date: '2026-11-01', questions: 4, answered: 2 },
        { date: '2026-11-02', questions: 4, answered: 2 },
      ],
    });
    const install = summary.topPages.find((page) => page.path === '/install');
    expect(install?.cited).toBeGreaterThanOrEqual(2);
    expect(install?.answersDown).toBe(2);
    // 30 days, where nothing is said.
    expect((await get('', SummaryResponse)).questions).toBe(8);
    expect((await get('?dateFrom=2026-09-01', SummaryResponse)).questions).toBe(12);
  });

  test('all conversations, page by page', async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const next: string = cursor === null ? '' : `&cursor=${cursor}`;
      const page: ConversationsPage = await get(
        `/assistant?dateFrom=2026-09-01&limit=5${next}`,
        ConversationsResponse,
      );
      expect(page.conversations.length).toBeLessThanOrEqual(5);
      expect(page.hasMore).toBe(page.nextCursor !== null);
      seen.push(...page.conversations.map((conversation) => conversation.id));
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor !== null);
    expect(pages).toBe(3);
    expect(new Set(seen).size).toBe(12);
    expect(seen).toEqual(seen.toSorted().toReversed());
  });

  test('a conversation with its sources, how it came out and what the reader thought', async () => {
    const { conversations } = await get('/assistant?dateFrom=2026-11-02', ConversationsResponse);
    const first = conversations.at(-1);
    expect(first).toMatchObject({
      query: 'How do I install Kestrel?',
      resolutionStatus: 'answered',
      status: 'complete',
      currentPath: '/pricing',
      feedback: { helpful: false, reasons: [], comment: null },
    });
    expect(first?.sources[0]?.url).toMatch(/^https:\/\/docs\.kestrel\.example\/install/);
    expect(first?.response).toContain('kestrel-setup');
    // A pseudonym: the same for the same reader, and not what was sent.
    expect(first?.reader).not.toContain('reader-0');
    expect(new Set(conversations.map((one) => one.reader)).size).toBe(2);
    const gaps = await get('/assistant?resolutionStatus=unanswered', ConversationsResponse);
    expect(gaps.conversations).toHaveLength(4);
  });

  test('as JSON lines and as CSV, in which no reader can put a formula', async () => {
    const file = async (format: string) => {
      const path = `/v1/analytics/kestrel-docs/assistant?format=${format}&dateFrom=2026-09-01`;
      const response = await fetch(owner.url + path, {
        headers: { authorization: `Bearer ${key}` },
      });
      expect(response.headers.get('content-disposition')).toContain(`.${format}`);
      return response.text();
    };
    for (const days of ['dateFrom=2026-09-01', 'dateFrom=2026-01-01&dateTo=2026-01-02']) {
      const path = `/v1/analytics/kestrel-docs/assistant?format=jsonl&${days}`;
      const headers = { authorization: `Bearer ${key}` };
      const { headers: sent } = await fetch(owner.url + path, { headers });
      expect(sent.get('content-type')).toMatch(/^application\/jsonl/);
    }
    const lines = (await file('jsonl')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as { query: string })).toHaveLength(12);
    const csv = await file('csv');
    expect(csv.split('\r\n')[0]).toMatch(/^id,threadId,timestamp,query,response/);
    expect(csv).toContain(`"'=cmd|""/c calc""!A1, bitcoin billing invoices?"`);
    expect(csv).not.toMatch(/(^|,)"?=cmd/m);
  });

  test('questions without an answer, those that ask for the same together', async () => {
    const { questions, gaps } = await get('/unanswered', GapsResponse);
    expect(questions).toBe(4);
    expect(gaps).toHaveLength(1);
    expect(gaps[0]).toMatchObject({ count: 4, readers: 2, askedOn: ['/pricing'] });
    expect(gaps[0]?.words.slice(0, 3)).toContain('bitcoin');
    expect(gaps[0]?.examples).toHaveLength(2);
    expect(gaps[0]?.firstAskedAt).toBe('2026-11-01T01:00:00.000Z');
  });

  test.each([
    '?dateFrom=yesterday',
    '?dateFrom=2026-11-02&dateTo=2026-11-01',
    '?from=2026-11-02',
    '/assistant?limit=0',
    '/assistant?limit=1001',
    '/assistant?cursor=x',
    '/assistant?format=xml',
    '/feedback?source=x',
  ])('%s is refused', async (path) => {
    const { status } = await getJson(owner, `/v1/analytics/kestrel-docs${path}`, { key });
    expect(status).toBe(400);
  });

  const paths = ['', '/assistant', '/feedback', '/feedback/by-page', '/unanswered'];
  test.each(paths)('%s is for an admin key of the organization alone', async (path) => {
    const status = async (token: string, domain = 'kestrel-docs') =>
      (await getJson(owner, `/v1/analytics/${domain}${path}`, { key: token })).status;
    expect(await status('')).toBe(401);
    expect(await status(owner.key)).toBe(403);
    expect(await status(await adminOf(owner, 'osprey'))).toBe(404);
    expect(await status(key, 'none')).toBe(404);
    expect(await status(key, 'kestrel-blog')).toBe(200);
  });

  test('no page of a browser may read it', async () => {
    const path = '/v1/analytics/kestrel-docs';
    const headers = { origin: 'https://docs.kestrel.example' };
    const response = await getJson(owner, path, { key, headers });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });
});

type ConversationsPage = ReturnType<typeof ConversationsResponse.parse>;
