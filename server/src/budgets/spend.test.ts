/** Budgets as two processes keep them together: two of the same over one database. */
import { beforeEach, describe, expect, test } from 'vitest';
import { eachDatabase } from '../../testing/each-database.ts';
import { checkConfig } from '../platform/config/load.ts';
import { createLog } from '../platform/log.ts';
import { type Database, type Store, testClock } from '../platform/store/database.ts';
import { createSpend } from './spend.ts';

eachDatabase((openNew) => {
  let store: Store;
  let database: Database;
  beforeEach(async () => {
    store = await openNew();
    ({ database } = store);
  });

  const price = { inputPerMillion: 1, outputPerMillion: 1 };

  function create(budgets: object, time = new Date('2026-03-10T12:00:00Z')) {
    const { config } = checkConfig(
      {
        models: { main: { provider: 'openai-compatible', baseUrl: 'http://x', model: 'm', price } },
        sites: [
          { domain: 'd', organization: 'o', name: 'D', docs: { folder: '.' }, allowedOrigins: [] },
        ],
        budgets,
      },
      { folder: '.', variables: {} },
    );
    const clock = { time };
    const lines: string[] = [];
    const log = createLog('warn', { write: (line) => void lines.push(line) });
    const now = () => clock.time;
    const ownStore = { ...store, clock: testClock(now) };
    const webhooks = { async enqueueAlert() {}, wake() {} };
    return { clock, lines, ...createSpend({ store: ownStore, now, log, config, webhooks }) };
  }

  const tokens = (inputTokens: number) => ({ inputTokens, outputTokens: 0 });
  const payer = { callerId: 'k', organization: 'o', domain: 'd', model: 'main' };

  async function totals() {
    const rows = await database.selectFrom('spend').selectAll().execute();
    return rows.map((row) => [Number(row.tokens), Number(row.reserved_tokens)]);
  }

  /** The same figures on every run: a small linear congruential generator. */
  function random(seed: number) {
    let state = seed;
    return (below: number) => {
      state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
      return Math.floor((state / 4_294_967_296) * below);
    };
  }

  describe('whatever the order of answers', () => {
    test.each(Array.from({ length: 5 }, (_, seed) => seed))(
      'the sums are exact, and no more is let in than the budget has left: run %i',
      async (seed) => {
        const next = random(seed);
        const limit = 5_000;
        // A token costs a millionth of a dollar, so both kinds of limits let in the same.
        const perDay = seed % 2 === 0 ? { tokens: limit } : { dollars: limit / 1_000_000 };
        const processes = [create({ perKey: { perDay } }), create({ perKey: { perDay } })];
        const running: { open: Awaited<ReturnType<typeof begin>>; reserved: number; by: number }[] =
          [];
        let spent = 0;
        let reserved = 0;
        const begin = async (by: number, expected: number) =>
          processes[by]?.reserve({ ...payer, expected: tokens(expected) });

        for (let step = 0; step < 60; step++) {
          if (running.length === 0 || next(2) === 0) {
            const expected = 1 + next(900);
            const by = next(2);
            const hasRoom = spent + reserved < limit;
            const open = await begin(by, expected).catch((error: { code?: string }) => {
              expect(error.code).toBe('budget_exceeded');
            });
            expect(open !== undefined).toBe(hasRoom);
            if (!open) continue;
            running.push({ open, reserved: expected, by });
            reserved += expected;
          } else {
            const [ended] = running.splice(next(running.length), 1);
            if (!ended?.open) continue;
            const cost = next(1_200);
            ended.open.add(tokens(cost));
            await processes[ended.by]?.settle(ended.open);
            spent += cost;
            reserved -= ended.reserved;
          }
          const all = await totals();
          expect(all.every(([each, all]) => each === spent && all === reserved)).toBe(true);
        }
      },
    );
  });

  test('of a hundred answers at the same time in two processes, as many start as the budget allows', async () => {
    const budgets = { perOrganization: { perDay: { tokens: 500 } } };
    const processes = [create(budgets), create(budgets)];
    const all = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        const spend = processes[n % 2];
        const reservation = {
          ...payer,
          callerId: `k${n % 7}`,
          domain: `d${n % 3}`,
          expected: tokens(50),
        };
        return spend?.reserve(reservation).then(
          (open) => ({ open, spend }),
          () => undefined,
        );
      }),
    );
    const running = all.filter((each) => each !== undefined);
    expect(running).toHaveLength(10);
    await Promise.all(
      running.map(({ open, spend }) => {
        open.add(tokens(7));
        return spend.settle(open);
      }),
    );
    const rows = await database
      .selectFrom('spend')
      .selectAll()
      .where('payer_kind', '=', 'organization')
      .execute();
    expect(rows.map((row) => [Number(row.tokens), Number(row.reserved_tokens)])).toEqual([
      [70, 0],
      [70, 0],
    ]);
  });

  test('the log names a budget that is used up, once per period', async () => {
    const spend = create({ sites: { d: { perDay: { tokens: 10 } } } });
    const usedUp = () =>
      spend.lines
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ msg, percent }) => msg === 'a budget reached an alert level' && percent === 100);
    const reserve = () => spend.reserve({ ...payer, expected: tokens(1) });
    const ask = async (open = reserve()) => {
      const opened = await open;
      opened.add(tokens(10));
      await spend.settle(opened);
    };
    // The second one uses up what is used up already.
    const both = [await reserve(), await reserve()];
    for (const open of both) await ask(Promise.resolve(open));
    await expect(ask()).rejects.toThrow('of this site for today');
    const budget = { of: 'site', name: 'd' };
    expect(usedUp()).toMatchObject([{ budget, periodEnd: '2026-03-11T00:00:00.000Z' }]);
    spend.clock.time = new Date('2026-03-11T12:00:00Z');
    await ask();
    await expect(ask()).rejects.toThrow('of this site for today');
    expect(usedUp()).toHaveLength(2);
  });

  test('a full account reserves nothing in the others', async () => {
    const spend = create({
      perSite: { perDay: { tokens: 10 } },
      perKey: { perDay: { tokens: 99 } },
    });
    await spend.reserve({ ...payer, expected: tokens(10) });
    await expect(spend.reserve({ ...payer, expected: tokens(10) })).rejects.toMatchObject({
      code: 'budget_exceeded',
      retryAfter: 15,
    });
    expect(await totals()).toEqual(Array.from({ length: 6 }, () => [0, 10]));
    expect(await database.selectFrom('budget_reservations').selectAll().execute()).toHaveLength(1);
  });

  test('an answer is on the account of the day on which it began', async () => {
    const spend = create({ perSite: { perDay: { tokens: 10 } } }, new Date('2026-03-31T23:59:59Z'));
    const open = await spend.reserve({ ...payer, expected: tokens(10) });
    spend.clock.time = new Date('2026-04-01T00:00:10Z');
    open.add(tokens(7));
    await spend.settle(open);
    await spend.settle(open);
    const rows = await database.selectFrom('spend').selectAll().execute();
    expect(
      rows.map((row) => [
        row.window_start.slice(0, 10),
        Number(row.tokens),
        Number(row.reserved_tokens),
      ]),
    ).toEqual([
      ['2026-03-31', 7, 0],
      ['2026-03-01', 7, 0],
      ['2026-03-31', 7, 0],
      ['2026-03-01', 7, 0],
      ['2026-03-31', 7, 0],
      ['2026-03-01', 7, 0],
    ]);
  });

  test('the reservations of a dead process are released once when its lease is over', async () => {
    const budgets = { perSite: { perDay: { tokens: 10 } } };
    const [dead, living] = [create(budgets), create(budgets)];
    const lost = await dead.reserve({ ...payer, expected: tokens(10) });
    living.clock.time = new Date('2026-03-10T12:01:29Z');
    await living.renew();
    await expect(living.reserve({ ...payer, expected: tokens(1) })).rejects.toThrow(/in a moment/);
    living.clock.time = new Date('2026-03-10T12:01:30Z');
    await living.renew();
    const open = await living.reserve({ ...payer, expected: tokens(4) });
    // It was not dead after all, only slow: it pays, and gives back nothing a second time.
    lost.add(tokens(3));
    await dead.settle(lost);
    expect(await totals()).toEqual(Array.from({ length: 6 }, () => [3, 4]));
    await living.settle(open);
    expect(await totals()).toEqual(Array.from({ length: 6 }, () => [3, 0]));
  });

  test('the reservations of a living process are renewed', async () => {
    const spend = create({ perSite: { perDay: { tokens: 10 } } });
    await spend.reserve({ ...payer, expected: tokens(10) });
    for (let minute = 1; minute < 10; minute++) {
      spend.clock.time = new Date(Date.UTC(2026, 2, 10, 12, minute));
      await spend.renew();
    }
    expect(await totals()).toEqual(Array.from({ length: 6 }, () => [0, 10]));
  });

  describe('which budget applies', () => {
    test.each([
      [
        'a site’s own is above the general one',
        { sites: { d: { perDay: { tokens: 100 } } } },
        true,
      ],
      [
        'a site’s own is below the general one',
        { sites: { d: { perDay: { tokens: 20 } } } },
        false,
      ],
      [
        'its own for the month leaves the day free',
        { sites: { d: { perMonth: { tokens: 99 } } } },
        true,
      ],
      ['the key’s', { keys: { k: { perDay: { tokens: 20 } } } }, false],
      ['another key’s', { keys: { other: { perDay: { tokens: 20 } } } }, true],
      ['the organization’s', { organizations: { o: { perMonth: { dollars: 0.00002 } } } }, false],
    ])('%s', async (_name, own, isOpen) => {
      const general = 'sites' in own ? { perSite: { perDay: { tokens: 50 } } } : {};
      const spend = create({ ...general, ...own });
      const open = await spend.reserve({ ...payer, expected: tokens(0) });
      open.add(tokens('sites' in own && isOpen ? 60 : 30));
      await spend.settle(open);
      const again = spend.reserve({ ...payer, expected: tokens(0) });
      expect(await again.then(Boolean, () => false)).toBe(isOpen);
    });
  });
});
