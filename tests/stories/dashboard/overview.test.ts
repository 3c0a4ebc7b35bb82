/** The figures of the overview and of usage, counted by hand. */
import type { OverviewReply, UsageReply } from '@docent/shared/overview';
import { expect, test } from 'vitest';
import { newId } from '../../../server/src/platform/ids.ts';
import { addPerson } from '../../support/person.ts';
import { startDocent, type TestDocent } from '../../support/start-docent.ts';

const now = new Date('2026-11-20T12:30:00.000Z');
const hourMs = 3_600_000;

interface Told {
  hoursAgo: number;
  domain?: string;
  outcome?: 'answered' | 'unanswered' | 'refused' | null;
  firstTextMs?: number;
  fp?: string;
}

async function tell({ docent }: TestDocent, turns: readonly Told[]): Promise<void> {
  const { database } = docent.services;
  for (const each of turns) {
    const { hoursAgo, domain = 'kestrel-docs', outcome = 'answered', fp = 'ada' } = each;
    const created_at = new Date(now.getTime() - hoursAgo * hourMs).toISOString();
    const thread = newId();
    await database.insertInto('threads').values({ id: thread, domain, fp, created_at }).execute();
    await database
      .insertInto('turns')
      .values({
        id: newId(),
        thread_id: thread,
        domain,
        status: outcome === null ? 'failed' : 'complete',
        question: 'Why?',
        context: '[]',
        answer: 'Because.',
        sources: '[]',
        model: 'm',
        input_tokens: 100,
        output_tokens: 10,
        micro_dollars: 250_000,
        created_at,
        owner: 'p',
        outcome,
        first_text_ms: each.firstTextMs ?? null,
      } as never)
      .execute();
  }
}

test('a period against the one before, by hour, and only the own organization', async () => {
  await using docent = await startDocent({ now: () => now });
  const person = await addPerson(docent, 'viewer');
  await tell(docent, [
    { hoursAgo: 1, firstTextMs: 100 },
    { hoursAgo: 1, outcome: 'unanswered', fp: 'bob', firstTextMs: 205 },
    { hoursAgo: 3, outcome: null, domain: 'kestrel-blog' },
    { hoursAgo: 4, outcome: 'refused', firstTextMs: 3_000 },
    { hoursAgo: 4, outcome: 'refused' },
    { hoursAgo: 30 },
    { hoursAgo: 2, domain: 'osprey-docs' },
    { hoursAgo: 60 },
  ]);
  const read = async (query: string) =>
    (await (await person.fetch(`/v1/overview${query}`)).json()) as OverviewReply;
  const day = await read('?period=24h');
  expect(day.current).toEqual({
    questions: 5,
    readers: 2,
    answered: 1,
    unanswered: 1,
    refused: 2,
    incomplete: 1,
    thumbsUp: 0,
    thumbsDown: 0,
    deflected: 0,
    inputTokens: 500,
    outputTokens: 50,
    costUsd: 1.25,
    firstTextMs: { p50: 200, p95: 3_000 },
  });
  expect(day.previous).toMatchObject({ questions: 1, answered: 1, firstTextMs: null });
  expect(day.hours).toMatchObject([
    { time: '2026-11-20T08:00:00.000Z', refused: 2, tokens: 220, costUsd: 0.5 },
    { time: '2026-11-20T09:00:00.000Z', incomplete: 1 },
    { time: '2026-11-20T11:00:00.000Z', answered: 1, unanswered: 1, tokens: 220, costUsd: 0.5 },
  ]);
  expect((await read('?period=7d')).current.questions).toBe(7);
  // Days of the reader's zone: as much of the week before is compared.
  const week = await read('?period=7d&from=2026-11-18T05:00:00.000Z');
  expect([week.current.questions, week.previous.questions]).toEqual([6, 0]);
  expect(week.from).toBe('2026-11-18T05:00:00.000Z');
  expect((await read('?period=24h&from=2020-01-01T00:00:00.000Z')).current.questions).toBe(5);
  expect((await read('?period=24h&site=kestrel-blog')).current.questions).toBe(1);
  expect((await person.fetch('/v1/overview?site=osprey-docs')).status).toBe(404);
  expect((await person.fetch('/v1/overview?period=1y')).status).toBe(400);
});

test('the steps of a new owner tick themselves off', async () => {
  await using docent = await startDocent();
  const person = await addPerson(docent, 'owner');
  const done = async () =>
    ((await (await person.fetch('/v1/overview')).json()) as OverviewReply).steps
      .filter(({ isDone }) => isDone)
      .map(({ id }) => id);
  expect(await done()).toEqual(['index']);
  await docent.ask('How do I install Kestrel?');
  await addPerson(docent, 'viewer');
  expect(await done()).toEqual(['index', 'ask', 'install', 'people']);
});

test('usage by site, model, and key, and what is left of budgets', async () => {
  await using docent = await startDocent({
    budgets: {
      perSite: { perMonth: { dollars: 2 } },
      organizations: { kestrel: { perDay: { tokens: 50 } } },
    },
    now: () => now,
  });
  const person = await addPerson(docent, 'viewer');
  await tell(docent, [{ hoursAgo: 1 }, { hoursAgo: 2, domain: 'kestrel-blog' }, { hoursAgo: 3 }]);
  const spent = {
    payer_kind: 'key' as const,
    payer: docent.keyInfo.id,
    organization: 'kestrel',
    window_start: '2026-11-20T00:00:00.000Z',
    window_end: '2026-11-21T00:00:00.000Z',
    tokens: 330,
    micro_dollars: 750_000,
    reserved_tokens: 0,
    reserved_micro_dollars: 0,
  };
  // The month counts the same answers again.
  const periods = [{ period: 'day' as const }, { period: 'month' as const }];
  await docent.docent.services.database
    .insertInto('spend')
    .values(periods.map((period) => ({ ...spent, ...period })))
    .execute();
  const usage = (await (await person.fetch('/v1/usage?period=24h')).json()) as UsageReply;
  expect(usage.sites).toEqual(
    expect.arrayContaining([
      { domain: 'kestrel-docs', questions: 2, tokens: 220, costUsd: 0.5 },
      { domain: 'kestrel-blog', questions: 1, tokens: 110, costUsd: 0.25 },
    ]),
  );
  expect(usage.models).toEqual([{ model: 'm', questions: 3, tokens: 330, costUsd: 0.75 }]);
  expect(usage.keys).toEqual([
    { id: docent.keyInfo.id, name: 'tests', tokens: 330, costUsd: 0.75 },
  ]);
  expect(usage.budgets).toHaveLength(3);
  expect(usage.budgets).toContainEqual({
    of: 'organization',
    name: 'kestrel',
    period: 'day',
    unit: 'tokens',
    limit: 50,
    spent: 0,
    reserved: 0,
    endsAt: '2026-11-21T00:00:00.000Z',
    alerted: null,
  });
});
