/** What the owner of a site reads, and what is deleted: the same rows on both databases. */
import { FeedbackRequest } from '@docent/shared/feedback';
import { expect, test } from 'vitest';
import { createAudit, system } from '../../notify/audit/audit.ts';
import { eachDatabase, quiet } from '../../../testing/each-database.ts';
import { createThreads, type NewTurn } from '../conversations/threads.ts';
import type { Page } from '../../retrieval/retriever.ts';
import { registerProcess } from '../../platform/store/processes.ts';
import { toCsv } from '../../platform/http/table-file.ts';
import type { Store } from '../../platform/store/database.ts';
import type { TurnOutcome } from '../tables.ts';
import {
  columns,
  eachConversation,
  listConversations,
  readThread,
  toCells,
} from './conversations.ts';
import { giveFeedback, listFeedback } from './feedback.ts';
import { findGaps } from '../gaps/gaps.ts';
import { deleteExpired, forgetReader, forgottenChannel } from '../conversations/retention.ts';
import { summarize } from './overview.ts';
import { feedbackByPage } from './summary.ts';

const start = Date.parse('2026-11-10T12:00:00.000Z');
const all = { from: '2026-01-01T00:00:00.000Z', to: '2027-01-01T00:00:00.000Z' };
const site = 'docs';
const noJobs = { outcomesOf: () => Promise.resolve(new Map()) };

/** Questions with their answers, a minute apart. */
async function fill(store: Store) {
  let clock = start;
  const now = () => new Date(clock);
  const { database, bus } = store;
  const processes = await registerProcess({ store, log: quiet });
  const threads = createThreads({ database, now, processes });
  const pages = { page: (_: string, path: string) => Promise.resolve({ path } as Page) };
  const sites = { find: () => undefined };
  const forgetWords = () => Promise.resolve();
  const deps = { database, bus, now, sites, retriever: pages, forgetWords };
  const ask = async (question: string, outcome: TurnOutcome, more: Partial<NewTurn> = {}) => {
    clock += 60_000;
    const turn = await threads.open({
      threadId: undefined,
      domain: site,
      fp: 'anonymous',
      question,
      context: [],
      currentPath: '/start',
      filter: undefined,
      isStored: true,
      model: 'm',
      isRetry: false,
      ...more,
    });
    await threads.end(turn.turnId, {
      status: 'complete',
      outcome: { status: outcome, confidence: 0.5 },
      answer: `About: ${question} [1]`,
      sources: [{ id: '1', url: '/install#linux', title: 'Install' }],
      inputTokens: 10,
      outputTokens: 5,
      microDollars: 1_500,
    });
    return turn;
  };
  const rate = (fp: string, about: object, rating: 'up' | 'down' = 'up') =>
    giveFeedback(FeedbackRequest.parse({ fp, rating, ...about }), site, { groups: [] }, deps);
  return {
    database,
    deps,
    ask,
    rate,
    open: (turn: NewTurn) => threads.open(turn),
    later: (days: number) => (clock += days * 86_400_000),
  };
}

async function read(lines: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const line of lines) text += line;
  return text;
}

eachDatabase((openNew) => {
  test('lists conversations with their feedback, page by page and as CSV', async () => {
    const { database, ask, rate } = await fill(await openNew());
    const first = await ask('How do I install it?', 'answered', { fp: 'jo' });
    await ask('=SUM(1)', 'unanswered');
    await ask('Of another site', 'answered', { domain: 'other' });
    const note = 'Not for Debian';
    await rate('jo', { messageId: first.turnId, note, reasons: ['incomplete'] }, 'down');
    await rate('jo', { messageId: first.turnId, note, reasons: ['outdated'] }, 'down');
    await rate('jo', { path: '/install' }, 'up');

    const rows = await listConversations(database, site, all, { limit: 1 });
    expect(rows.conversations).toMatchObject([{ query: '=SUM(1)', feedback: null }]);
    const cursor = rows.nextCursor ?? undefined;
    const rest = await listConversations(database, site, all, { limit: 9, cursor });
    expect(rest.conversations).toMatchObject([
      {
        query: 'How do I install it?',
        resolutionStatus: 'answered',
        confidence: 0.5,
        feedback: { helpful: false, reasons: ['outdated'], comment: note },
      },
    ]);
    const filters = {
      text: 'INSTALL',
      page: 'install#l',
      rating: 'down',
      status: 'complete',
    } as const;
    const found = await listConversations(database, site, all, {
      limit: 9,
      model: 'm',
      ...filters,
    });
    expect(found.conversations).toMatchObject([{ query: 'How do I install it?' }]);
    expect(await readThread(database, site, found.conversations[0]?.threadId ?? '')).toMatchObject({
      turns: [{ query: 'How do I install it?', jobId: null }],
    });
    const opinions = await listFeedback(database, site, all, { limit: 9 });
    expect(opinions.map(({ source, helpful }) => [source, helpful])).toEqual([
      ['page', true],
      ['assistant', false],
    ]);
    const each = eachConversation(database, site, all, { limit: 1 });
    const csv = await read(toCsv(each, columns, toCells));
    expect(csv.split('\r\n')).toHaveLength(4);
    expect(csv).toContain("'=SUM(1)");
  });

  test('counts one site and one period', async () => {
    const { database, ask, rate, later } = await fill(await openNew());
    const first = await ask('a', 'answered', { fp: 'jo' });
    await ask('b', 'unanswered', { fp: 'jo', threadId: first.threadId });
    later(1);
    await ask('c', 'refused');
    await ask('d', 'answered', { domain: 'other' });
    await rate('jo', { messageId: first.turnId });
    await rate('jo', { path: '/install' }, 'down');
    expect(await summarize(database, site, all)).toMatchObject({
      questions: 3,
      threads: 2,
      readers: 2,
      answered: 1,
      unanswered: 1,
      refused: 1,
      incomplete: 0,
      thumbsUp: 1,
      thumbsDown: 1,
      inputTokens: 30,
      outputTokens: 15,
      costUsd: 0.0045,
      days: [
        { date: '2026-11-10', questions: 2, answered: 1, costUsd: 0.003 },
        { date: '2026-11-11', questions: 1, answered: 0, costUsd: 0.0015 },
      ],
    });
    expect(await feedbackByPage(database, site, all)).toEqual([
      { path: '/install', thumbsUp: 0, thumbsDown: 1, answersUp: 1, answersDown: 0, cited: 3 },
    ]);
  });

  test('groups unanswered questions that ask for the same', async () => {
    const { database, ask } = await fill(await openNew());
    await ask('How do I run it in Docker?', 'unanswered', { fp: 'jo' });
    await ask('Is there a docker image?', 'unanswered', { fp: 'bo' });
    await ask('docker compose example', 'unanswered', { fp: 'bo' });
    await ask('Which batteries fit?', 'unanswered');
    await ask('How do I install it?', 'answered');
    const { questions, gaps } = await findGaps(database, site, all, noJobs);
    expect(questions).toBe(4);
    expect(gaps.map(({ count, readers }) => [count, readers])).toEqual([
      [3, 2],
      [1, 1],
    ]);
    expect(gaps[0]).toMatchObject({
      words: expect.arrayContaining(['docker']),
      askedOn: ['/start'],
    });
  });

  test('forgetting a reader deletes everything, including answers in memory and in progress', async () => {
    const store = await openNew();
    const { database, deps, ask, rate, open } = await fill(store);
    const mine = await ask('mine', 'answered', { fp: 'jo' });
    await open({
      threadId: mine.threadId,
      domain: site,
      fp: 'jo',
      question: 'and',
      context: [],
      currentPath: undefined,
      filter: undefined,
      isStored: true,
      model: 'm',
      isRetry: false,
    });
    await rate('jo', { messageId: mine.turnId });
    const other = await ask('theirs', 'answered', { fp: 'bo' });
    await rate('bo', { messageId: other.turnId });
    const said: string[] = [];
    store.bus.subscribe(forgottenChannel, (ids) => said.push(ids));

    const audit = createAudit({ store, now: deps.now });
    const by = { domain: site, organization: 'kestrel', actor: system };
    expect(await forgetReader({ ...deps, audit }, by, { fp: 'jo' })).toEqual({
      threads: 1,
      questions: 2,
      feedback: 1,
    });
    expect(said).toEqual([JSON.stringify([mine.threadId])]);
    expect(await forgetReader({ ...deps, audit }, by, { fp: 'jo' })).toEqual({
      threads: 0,
      questions: 0,
      feedback: 0,
    });
    expect(await database.selectFrom('turns').select('question').execute()).toEqual([
      { question: 'theirs' },
    ]);
    expect(await database.selectFrom('feedback').select('turn_id').execute()).toEqual([
      { turn_id: other.turnId },
    ]);
  });

  test('deletes what is older than the retention period, of this site only', async () => {
    const { database, deps, ask, rate, later } = await fill(await openNew());
    const old = await ask('old', 'answered');
    await rate('x', { messageId: old.turnId });
    await ask('old, of another site', 'answered', { domain: 'other' });
    later(20);
    await ask('new', 'answered', { threadId: old.threadId });
    later(20);
    const sites = [
      { domain: site, privacy: { store: true, retentionDays: 30 } },
      { domain: 'other', privacy: { store: true, retentionDays: 'forever' as const } },
    ];
    expect(await deleteExpired(deps, sites)).toBe(1);
    const questions = await database.selectFrom('turns').select('question').orderBy('id').execute();
    expect(questions.map((row) => row.question)).toEqual(['old, of another site', 'new']);
    expect(await database.selectFrom('feedback').select('id').execute()).toEqual([]);
    later(20);
    expect(await deleteExpired(deps, sites)).toBe(1);
    const left = await database.selectFrom('threads').select('domain').execute();
    expect(left).toEqual([{ domain: 'other' }]);
  });
});
