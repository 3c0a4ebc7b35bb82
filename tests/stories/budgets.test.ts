/** What language models may cost: a hard end, exact under parallel questions, in tokens and in money. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toBody } from '../support/ask.ts';
import { getJson } from '../support/call.ts';
import { embeddingDimensions } from '../support/embeddings-wire.ts';
import {
  gate,
  type ScriptedModel,
  silence,
  startScriptedModel,
} from '../support/scripted-model.ts';
import {
  startDocent,
  type StartOptions,
  type TestDocent,
  toModel,
} from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const question = 'How do I install Kestrel?';
/** The scripted model counts 100 tokens in, and one for each piece out. */
const answerOf = (tokens: number) => Array.from({ length: tokens }, () => 'word ');

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel();
});
beforeEach(() => model.reply(answerOf(20)));
afterAll(() => model.close());

/** A clock that a test sets. */
function clock(start: string) {
  let time = new Date(start);
  return { now: () => time, set: (next: string) => (time = new Date(next)) };
}

const price = { inputPerMillion: 2, outputPerMillion: 10 };

const start = (budgets: StartOptions['budgets'], more: StartOptions = {}) =>
  startDocent({ models: { main: { ...toModel(model.url), price } }, budgets, ...more });

async function status(docent: TestDocent, options: Parameters<TestDocent['post']>[1] = {}) {
  const response = await docent.post(toBody(question), options);
  await response.text();
  return response.status;
}

async function spent(docent: TestDocent) {
  const rows = await docent.docent.services.database.selectFrom('spend').selectAll().execute();
  return Object.fromEntries(
    rows.map((row) => [
      `${row.payer_kind}/${row.period}`,
      [row.tokens, row.micro_dollars, row.reserved_tokens, row.reserved_micro_dollars].map(Number),
    ]),
  );
}

test('an answer is on six accounts: its key, site and organization, by day and month', async () => {
  await using docent = await start({});
  expect(await status(docent)).toBe(200);
  // 100 tokens at 2 and 20 at 10 millionths of a dollar.
  const all = [120, 400, 0, 0];
  expect(await spent(docent)).toEqual({
    'key/day': all,
    'key/month': all,
    'organization/day': all,
    'organization/month': all,
    'site/day': all,
    'site/month': all,
  });
});

test('the cost of an answer stands in the analytics of its site', async () => {
  await using docent = await start({});
  expect(await status(docent)).toBe(200);
  const admin = { kind: 'admin', organization: 'kestrel', name: 'admin' } as const;
  const { token: key } = await docent.keys.create(admin);
  const read = async (path: string) =>
    (await getJson(docent, `/v1/analytics/kestrel-docs${path}`, { key })).body;
  const costUsd = 0.0004;
  expect(await read('')).toMatchObject({ costUsd, days: [{ costUsd }] });
  expect(await read('/assistant')).toMatchObject({ conversations: [{ costUsd }] });
});

describe('at 100 % the next question is refused', () => {
  test.each([
    ['tokens of a key a day', { perKey: { perDay: { tokens: 240 } } }],
    ['tokens of a site a month', { perSite: { perMonth: { tokens: 240 } } }],
    ['tokens of an organization a day', { perOrganization: { perDay: { tokens: 240 } } }],
    ['money of a key a month', { perKey: { perMonth: { dollars: 0.0008 } } }],
    ['money of a site a day', { perSite: { perDay: { dollars: 0.0008 } } }],
    ['money of an organization a month', { perOrganization: { perMonth: { dollars: 0.0008 } } }],
    ['a site’s own budget', { sites: { 'kestrel-docs': { perDay: { tokens: 240 } } } }],
    ['an organization’s own budget', { organizations: { kestrel: { perDay: { tokens: 240 } } } }],
  ])('%s', async (_name, budgets) => {
    await using docent = await start(budgets);
    expect(await status(docent)).toBe(200);
    expect(await status(docent)).toBe(200);
    const asked = model.requests.length;
    expect(await status(docent)).toBe(429);
    expect(model.requests).toHaveLength(asked);
  });

  test.each([
    ['perSite', 'perDay', '2026-03-10T22:00:00Z', 7_200, 'site for today', 'tomorrow'],
    [
      'perOrganization',
      'perMonth',
      '2026-03-31T23:59:00Z',
      60,
      'organization for this month',
      'next month',
    ],
  ] as const)(
    '%s %s: it says when to come back',
    async (payer, period, at, seconds, what, next) => {
      await using docent = await start({ [payer]: { [period]: { tokens: 1 } } }, clock(at));
      expect(await status(docent)).toBe(200);
      const refused = await docent.ask(question);
      expect(refused.status).toBe(429);
      expect(refused.json).toEqual({
        code: 'budget_exceeded',
        error: `The budget of this ${what} is used up. It starts again ${next}.`,
        retryAfter: seconds,
        requestId: refused.headers.get('x-request-id'),
      });
      expect(refused.headers.get('retry-after')).toBe(String(seconds));
    },
  );

  test('and may be asked again when the period has ended', async () => {
    const time = clock('2026-03-10T23:59:00Z');
    await using docent = await start({ perKey: { perDay: { tokens: 1 } } }, time);
    expect(await status(docent)).toBe(200);
    expect(await status(docent)).toBe(429);
    time.set('2026-03-11T00:00:00Z');
    expect(await status(docent)).toBe(200);
    expect(await status(docent)).toBe(429);
  });
});

test('other keys and sites go on', async () => {
  await using docent = await start({ perKey: { perDay: { tokens: 1 } } });
  const other = await docent.keys.create({
    kind: 'assistant',
    organization: 'kestrel',
    name: 'other',
  });
  expect(await status(docent)).toBe(200);
  expect(await status(docent)).toBe(429);
  expect(await status(docent, { key: other.token })).toBe(200);
});

test('running answers finish, and hold what they may cost: of fifty at once few are let in', async () => {
  await using docent = await start({ perSite: { perDay: { tokens: 20_000 } } });
  const { wait, open } = gate();
  model.reply([{ wait }, ...answerOf(20)]);
  const asked = model.requests.length;
  // Each has its status while the model is still waiting for the gate.
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => docent.post(toBody(question))),
  );
  expect((await spent(docent))['site/day']?.[0]).toBe(0);
  open();
  const bodies = await Promise.all(answers.map((response) => response.text()));
  const passed = answers.filter((response) => response.status === 200).length;
  expect(passed).toBe(model.requests.length - asked);
  // Each holds some 5,360 tokens: the fourth takes what the third has left.
  expect(passed).toBe(4);
  expect(bodies.filter((body) => body.includes('"type":"finish"'))).toHaveLength(4);
  expect(bodies.find((body) => body.startsWith('{'))).toContain('"retryAfter":15');
  // What was not used is given back.
  expect((await spent(docent))['site/day']).toEqual([480, 1600, 0, 0]);
  expect(await status(docent)).toBe(200);
});

test('money is held, too: of fifty at once few are let in', async () => {
  await using docent = await start({ perSite: { perDay: { dollars: 0.04 } } });
  const { wait, open } = gate();
  model.reply([{ wait }, ...answerOf(20)]);
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => docent.post(toBody(question))),
  );
  open();
  await Promise.all(answers.map((response) => response.text()));
  // Each holds two cents or more, and costs a twentieth of one.
  const passed = answers.filter((response) => response.status === 200).length;
  expect(passed).toBeGreaterThan(0);
  expect(passed).toBeLessThan(4);
  expect(await status(docent)).toBe(200);
});

describe('where the provider says nothing, tokens are estimated', () => {
  test('an answer that the reader stopped', async () => {
    await using docent = await start({ perSite: { perDay: { tokens: 1_000_000 } } });
    model.reply(['a word or two', silence]);
    const leaving = new AbortController();
    const response = await docent.post(toBody(question), { signal: leaving.signal });
    const reader = response.body?.getReader();
    for (let text = ''; !text.includes('a word');)
      text += new TextDecoder().decode((await reader?.read())?.value);
    leaving.abort();
    const [tokens = 0, , held] = await waitFor('the end of the answer', async () => {
      const row = (await spent(docent))['site/day'];
      return row?.[2] === 0 ? row : undefined;
    });
    expect(tokens).toBeGreaterThan(300);
    expect(tokens).toBeLessThan(5_000);
    expect(held).toBe(0);
  });

  test('but a model that refused costs nothing', async () => {
    await using docent = await start({ perSite: { perDay: { tokens: 1_000_000 } } });
    model.reply({ status: 500 });
    await status(docent);
    expect((await spent(docent))['site/day']).toEqual([0, 0, 0, 0]);
  });

  test('and neither does a question that never got to it', async () => {
    await using docent = await start({ perSite: { perDay: { tokens: 1_000_000 } } });
    const lost = await docent.post(toBody(question, { threadId: '01KAKQ4T8W6Z9V1B7M3C5D2E0F' }));
    expect(lost.status).toBe(404);
    expect((await spent(docent))['site/day']).toEqual([0, 0, 0, 0]);
  });
});

test('the built-in model costs nothing and is never refused', async () => {
  await using docent = await startDocent({
    budgets: { perSite: { perDay: { tokens: 1, dollars: 0.000001 } } },
  });
  for (let i = 0; i < 3; i++) expect(await status(docent)).toBe(200);
  expect(await spent(docent)).toEqual({});
});

test('what a dead process held is given back', async () => {
  const time = clock('2026-03-10T12:00:00Z');
  await using docent = await start({ perSite: { perDay: { tokens: 100 } } }, time);
  const { spend } = docent.docent.services;
  await spend.reserve({
    callerId: docent.keyInfo.id,
    organization: 'kestrel',
    domain: 'kestrel-docs',
    model: 'main',
    expected: { inputTokens: 1_000, outputTokens: 0 },
  });
  time.set('2026-03-10T12:01:00Z');
  await spend.renew();
  time.set('2026-03-10T12:02:00Z');
  expect(await status(docent)).toBe(429);
  // The lease runs out once nobody renews it.
  time.set('2026-03-10T12:04:00Z');
  await docent.docent.services.database
    .updateTable('budget_reservations')
    .set({ owner: 'a process that is gone' })
    .execute();
  await spend.renew();
  expect(await status(docent)).toBe(200);
});

describe('what an embedder takes for searches', () => {
  const embedder = (more: object = { price: { inputPerMillion: 3 } }) => ({
    search: {
      engine: 'embedded' as const,
      embedder: {
        baseUrl: model.url,
        model: 'scripted',
        dimensions: embeddingDimensions,
        ...more,
      },
    },
  });
  const embedded = () => model.requests.filter(({ path }) => path.endsWith('/embeddings')).length;

  /** The fixture's pages have no vectors until a page changes. */
  async function startWithVectors(budgets: StartOptions['budgets'], more: StartOptions = {}) {
    const docent = await start(budgets, { ...embedder(), ...more });
    const text = 'Dogs are not allowed in the server room.';
    const passage = {
      anchor: '',
      heading: 'Dogs',
      headingPath: [],
      markdown: text,
      text,
      code: '',
    };
    await docent.docent.services.retriever.apply('kestrel-docs', {
      upsert: [{ path: '/dogs', title: 'Dogs', markdown: text, hash: 'd', passages: [passage] }],
      remove: [],
    });
    return docent;
  }

  async function search(docent: TestDocent, query: string) {
    const response = await fetch(`${docent.url}/discovery/v1/search/kestrel-docs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${docent.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, pageSize: 3 }),
    });
    const hits = (await response.json()) as { path: string }[];
    return { status: response.status, paths: hits.map(({ path }) => path) };
  }

  test('is on the accounts of the key, the site and the organization; where one is used up, words do', async () => {
    await using docent = await startWithVectors({ perKey: { perDay: { tokens: 200 } } });
    const before = embedded();
    // Only the vectors know that a hound is a dog. A search takes 100 tokens, at 3 millionths.
    expect((await search(docent, 'hound')).paths).toContain('/dogs');
    expect((await spent(docent))['key/day']).toEqual([100, 300, 0, 0]);
    expect((await spent(docent))['site/month']).toEqual([100, 300, 0, 0]);
    await search(docent, 'hound');
    expect(embedded() - before).toBe(2);
    expect(await search(docent, 'hound')).toEqual({ status: 200, paths: [] });
    expect(await search(docent, 'dogs')).toEqual({ status: 200, paths: ['/dogs'] });
    expect(embedded() - before).toBe(2);
    expect((await spent(docent))['key/day']).toEqual([200, 600, 0, 0]);
    expect(await status(docent)).toBe(429);
  });

  test('twenty at once on the last tokens: the embedder is not asked twenty times', async () => {
    await using docent = await startWithVectors({ perSite: { perDay: { tokens: 1 } } });
    const before = embedded();
    const all = await Promise.all(Array.from({ length: 20 }, () => search(docent, 'dogs')));
    expect(all.map(({ status: code }) => code)).toEqual(all.map(() => 200));
    expect(embedded() - before).toBe(1);
  });

  test('of an answer is in its cost; suggestions take nothing', async () => {
    await using docent = await startWithVectors({});
    const before = embedded();
    // The embedder's turn comes first.
    model.once([]);
    model.once(['Run the installer of Kestrel. [1]']);
    const asked = await docent.ask(question);
    expect(asked.parts.map(({ type }) => type)).toContain('data-suggestions');
    expect(embedded() - before).toBe(1);
    // The answer's 100 and 1, and 100 of the embedder.
    expect((await spent(docent))['site/day']).toEqual([201, 510, 0, 0]);
  });

  test('the built-in model answers on by words when a budget is used up', async () => {
    await using docent = await startWithVectors(
      { perSite: { perDay: { tokens: 100 } } },
      { models: {}, site: { model: undefined } },
    );
    const before = embedded();
    expect([await status(docent), await status(docent)]).toEqual([200, 200]);
    expect(embedded() - before).toBe(1);
  });

  test('a budget in dollars wants to know its price', async () => {
    const budgets = { perSite: { perDay: { dollars: 1 } } };
    await expect(start(budgets, embedder({}))).rejects.toThrow(
      'search.embedder has no "price", so a budget in dollars cannot be enforced',
    );
  });
});
