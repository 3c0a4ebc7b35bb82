/** The owner hears of a budget that is nearly or wholly used up: once, signed, and sooner or later. */
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toBody } from '../support/ask.ts';
import { temporaryFolder } from '../support/fixture.ts';
import { startReceiver } from '../support/receiver.ts';
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import {
  startDocent,
  type StartOptions,
  type TestDocent,
  toModel,
} from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

/** Each answer has 100 tokens in and 20 out: 120 tokens, 400 millionths of a dollar. */
let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel(Array.from({ length: 20 }, () => 'word '));
});
afterAll(() => model.close());

const secret = `whsec_${Buffer.from('a secret of thirty-two bytes ....').toString('base64')}`;
const price = { inputPerMillion: 2, outputPerMillion: 10 };

const start = (
  webhook: string,
  budgets: StartOptions['budgets'],
  { variables, ...more }: StartOptions = {},
) =>
  startDocent({
    models: { main: { ...toModel(model.url), price } },
    budgets: { ...budgets, alerts: { webhook, secretEnv: 'ALERT_SECRET' } },
    variables: { ALERT_SECRET: secret, ...variables },
    ...more,
  });

async function ask(docent: TestDocent): Promise<number> {
  const response = await docent.post(toBody('How do I install Kestrel?'));
  await response.text();
  return response.status;
}

const rows = (docent: TestDocent) =>
  docent.docent.services.database
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('type', '=', 'budget.alert')
    .orderBy('id')
    .execute();

/** Sends what is due now. */
const send = (docent: TestDocent) => docent.docent.services.webhooks.sender.work();

const delivered = (docent: TestDocent, count: number) =>
  waitFor(`${count} delivered alerts`, async () => {
    const done = (await rows(docent)).filter((row) => row.delivered_at !== null);
    return done.length >= count && done;
  });

/** A clock that a test sets. */
function clock(start: string) {
  let time = new Date(start);
  return { now: () => time, set: (next: string) => (time = new Date(next)) };
}

test('at 80 % and at 100 %, each once, with what a receiver wants to know', async () => {
  await using receiver = await startReceiver();
  const time = clock('2026-03-10T12:00:00Z');
  await using docent = await start(
    receiver.url,
    { perSite: { perMonth: { dollars: 0.002 } } },
    { now: time.now },
  );
  for (let i = 0; i < 3; i++) expect(await ask(docent)).toBe(200);
  expect(receiver.received).toHaveLength(0);
  expect(await ask(docent)).toBe(200);
  await delivered(docent, 1);
  const data = {
    budget: { of: 'site', name: 'kestrel-docs' },
    period: 'month',
    periodStart: '2026-03-01T00:00:00.000Z',
    periodEnd: '2026-04-01T00:00:00.000Z',
    unit: 'dollars',
    limit: 0.002,
  };
  const at = '2026-03-10T12:00:00.000Z';
  expect(receiver.received.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    { type: 'budget.alert', timestamp: at, data: { ...data, percent: 80, spent: 0.0016 } },
  ]);
  expect(await ask(docent)).toBe(200);
  await delivered(docent, 2);
  expect(JSON.parse(receiver.received[1]?.body ?? '')).toEqual({
    type: 'budget.alert',
    timestamp: at,
    data: { ...data, percent: 100, spent: 0.002 },
  });
  expect(await ask(docent)).toBe(429);
  await send(docent);
  expect(receiver.received).toHaveLength(2);

  // A new period alerts anew.
  time.set('2026-04-01T00:00:00Z');
  for (let i = 0; i < 4; i++) expect(await ask(docent)).toBe(200);
  await delivered(docent, 3);
  expect(receiver.received).toHaveLength(3);
});

test('signed as the Standard Webhooks specification has it', async () => {
  await using receiver = await startReceiver();
  await using docent = await start(receiver.url, { perKey: { perDay: { tokens: 100 } } });
  await ask(docent);
  await delivered(docent, 2);
  for (const { headers, body } of receiver.received) {
    expect(headers['content-type']).toBe('application/json');
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
    expect(() => new Webhook('whsec_b3RoZXI=').verify(body, headers)).toThrow();
  }
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
});

describe('a receiver that is away harms no answer and hears of it later', () => {
  test.each([
    ['an error', 500] as const,
    ['a redirect', { status: 307, location: '/other' }] as const,
  ])('%s', async (_name, fault) => {
    await using receiver = await startReceiver();
    receiver.reply(fault);
    const time = clock('2026-03-10T12:00:00Z');
    await using docent = await start(
      receiver.url,
      { perKey: { perDay: { tokens: 121 } } },
      { now: time.now },
    );
    expect(await ask(docent)).toBe(200);
    await waitFor('the first attempt', () => receiver.received.length === 1);
    expect(await ask(docent)).toBe(200);
    await waitFor('both attempts noted', async () =>
      (await rows(docent)).every((row) => row.last_fault !== null),
    );
    // Not before its time.
    await send(docent);
    expect(receiver.received).toHaveLength(2);
    receiver.reply(200);
    time.set('2026-03-10T12:00:06Z');
    await send(docent);
    await delivered(docent, 2);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(4);
    expect(new Set(ids.slice(2))).toEqual(new Set(ids.slice(0, 2)));
    time.set('2026-03-10T23:00:00Z');
    await send(docent);
    expect(receiver.received).toHaveLength(4);
  });

  test('one that stays away is given up after 32 hours', async () => {
    await using receiver = await startReceiver();
    receiver.reply(503);
    const time = clock('2026-03-10T00:00:00Z');
    await using docent = await start(
      receiver.url,
      { perKey: { perMonth: { tokens: 121 } } },
      { now: time.now },
    );
    await ask(docent);
    await waitFor('the first attempt', async () => (await rows(docent))[0]?.last_fault);
    for (let day = 11; day < 25; day++) {
      time.set(`2026-03-${day}T00:00:00Z`);
      await send(docent);
    }
    expect(receiver.received).toHaveLength(9);
    expect(await rows(docent)).toMatchObject([{ status: 'failed', due_at: null, attempts: 9 }]);
  });

  test('a restart in the middle loses none', async () => {
    await using receiver = await startReceiver();
    await using folder = await temporaryFolder();
    receiver.reply('nothing');
    const budgets = { perSite: { perMonth: { tokens: 121 } } };
    const time = clock('2026-03-10T12:00:00Z');
    const options = { dataFolder: folder.path, now: time.now };
    {
      await using docent = await start(receiver.url, budgets, options);
      expect(await ask(docent)).toBe(200);
      await waitFor('the attempt', () => receiver.received.length === 1);
    }
    receiver.reply(204);
    time.set('2026-03-10T12:02:00Z');
    await using docent = await start(receiver.url, budgets, options);
    await send(docent);
    await delivered(docent, 1);
    expect(receiver.received).toHaveLength(2);
  });
});

test('parallel answers that all go past 80 % alert once', async () => {
  await using receiver = await startReceiver();
  await using docent = await start(receiver.url, { perSite: { perDay: { tokens: 100_000 } } });
  const { spend } = docent.docent.services;
  const payer = { callerId: 'k', organization: 'kestrel', domain: 'kestrel-docs', model: 'main' };
  const expected = { inputTokens: 1, outputTokens: 1 };
  const open = await Promise.all(
    Array.from({ length: 30 }, () => spend.reserve({ ...payer, expected })),
  );
  for (const reservation of open) reservation.add({ inputTokens: 90_000, outputTokens: 0 });
  await Promise.all(open.map((reservation) => spend.settle(reservation)));
  await delivered(docent, 2);
  await send(docent);
  expect(receiver.received).toHaveLength(2);
});

test('without a webhook the budget still ends, and nothing waits to be sent', async () => {
  await using docent = await startDocent({
    models: { main: toModel(model.url) },
    budgets: { perKey: { perDay: { tokens: 100 } } },
  });
  expect(await ask(docent)).toBe(200);
  expect(await ask(docent)).toBe(429);
  expect(await rows(docent)).toEqual([]);
});
