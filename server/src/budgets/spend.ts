/**
 * Budgets for language models and embedders. An answer reserves what it is expected to cost before it
 * begins, and settles what it did cost when it ends. So parallel answers can't all spend the same last
 * cent.
 */
import type { Config } from '../platform/config/schema.ts';
import { DocentError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/log.ts';
import type { Database, Store } from '../platform/store/database.ts';
import { createLease } from '../platform/store/lease.ts';
import type { Webhooks } from '../notify/webhooks/webhooks.ts';
import {
  type Account,
  accountsOf,
  type Balance,
  isBounded,
  type Limit,
  limitOf,
  type Payer,
  readBalances,
  reserveIn,
  settleIn,
} from './accounts.ts';
import { type Cost, costOf, nothing, sumOf, type Usage } from './cost.ts';

/** How long the reservations of a process that died stay. */
const leaseSeconds = 90;
/** Call `renew` this often. */
export const renewReservationsMs = 30_000;
/** After this time, running answers may have released something. */
const reservedRetrySeconds = 15;

/** What one answer may cost, and what it has cost so far. */
export interface Reservation {
  /**
   * Adds tokens of a call to a model, reported or estimated. An answer may call models more than once.
   * `model` is its name in the configuration, if it isn't the one that the reservation names.
   */
  add(usage: Usage, model?: string): void;
  /** Adds tokens of a call to the embedder. */
  addEmbedded(tokens: number): void;
}

export interface NewReservation extends Payer {
  /** The model's name in the configuration. Without one, the answer is free: it's the built-in model's. */
  model: string | undefined;
  /** Only the embedder is called. It has a price of its own. */
  isEmbedding?: boolean;
  expected: Usage;
}

interface OpenReservation extends Reservation {
  id: string | undefined;
  reserved: Cost;
  accounts: Account[];
  total(): Cost;
}

export type Spend = ReturnType<typeof createSpend>;

export function createSpend(deps: {
  store: Pick<Store, 'database' | 'clock'>;
  now: () => Date;
  log: Logger;
  config: Pick<Config, 'budgets' | 'models' | 'search'>;
  webhooks: Pick<Webhooks, 'enqueueAlert' | 'wake'>;
}) {
  const { store, now, log, webhooks } = deps;
  const { database } = store;
  const { budgets, models, search } = deps.config;
  const embedderPrice = search.embedder?.price && { ...search.embedder.price, outputPerMillion: 0 };
  const lease = createLease(store, leaseSeconds);
  const owner = newId();
  const open = new WeakMap<Reservation, OpenReservation>();

  return {
    /**
     * Lets an answer begin while something is left of every budget that it is on. Otherwise, rejects
     * with `budget_exceeded`. Call `settle` with the result in the end.
     */
    async reserve(wanted: NewReservation): Promise<Reservation> {
      const { model, isEmbedding = false } = wanted;
      if (model === undefined && !isEmbedding) return { add() {}, addEmbedded() {} };
      const priceOf = (name: string | undefined) =>
        name === undefined ? undefined : models[name]?.price;
      const time = now();
      const accounts = accountsOf(wanted, time);
      const limits = accounts.map((account) => ({ account, limit: limitOf(budgets, account) }));
      const used = new Map<string | undefined, Usage>();
      const embedded = { inputTokens: 0, outputTokens: 0 };
      const opened: OpenReservation = {
        id: undefined,
        reserved: nothing,
        accounts,
        add({ inputTokens, outputTokens }, name = model) {
          const before = used.get(name) ?? { inputTokens: 0, outputTokens: 0 };
          used.set(name, {
            inputTokens: before.inputTokens + inputTokens,
            outputTokens: before.outputTokens + outputTokens,
          });
        },
        addEmbedded(tokens) {
          embedded.inputTokens += tokens;
        },
        total: () =>
          [...used].reduce(
            (sum, [name, usage]) => sumOf(sum, costOf(usage, priceOf(name))),
            costOf(embedded, embedderPrice),
          ),
      };
      if (limits.some(({ limit }) => isBounded(limit))) {
        opened.reserved = costOf(wanted.expected, isEmbedding ? embedderPrice : priceOf(model));
        opened.id = newId();
        await insert(opened.id, wanted, limits, opened.reserved, time);
      }
      open.set(opened, opened);
      return opened;
    },

    /** Books what was added to the reservation, and returns it. After it has succeeded, a further call books nothing. */
    async settle(reservation: Reservation): Promise<Cost> {
      const opened = open.get(reservation);
      if (!opened) return nothing;
      open.delete(reservation);
      const { id, reserved, accounts } = opened;
      const cost = opened.total();
      if (id === undefined && cost.tokens === 0) return nothing;
      const booking = database.transaction().execute(async (transaction) => {
        // A reservation whose lease was over has been released already.
        const isReserved = id !== undefined && (await remove(transaction, id));
        const change = { cost, reserved: isReserved ? reserved : nothing };
        return noteAlerts(transaction, await settleIn(transaction, accounts, change));
      });
      const alerts = await booking.catch((error: unknown) => {
        open.set(reservation, opened);
        throw error;
      });
      for (const { data } of alerts) log.warn(data, 'a budget reached an alert level');
      if (alerts.length > 0) webhooks.wake();
      return cost;
    },

    /** Renews the reservations of this process, and releases those of processes that died. */
    async renew(): Promise<void> {
      await database
        .updateTable('budget_reservations')
        .set(lease.renew())
        .where('owner', '=', owner)
        .execute();
      await database.transaction().execute(async (transaction) => {
        const expired = await transaction
          .deleteFrom('budget_reservations')
          .where(lease.isFree('budget_reservations'))
          .returningAll()
          .execute();
        for (const row of expired) {
          const payer = {
            callerId: row.caller_id || undefined,
            organization: row.organization,
            domain: row.domain || undefined,
          };
          const reserved = { tokens: Number(row.tokens), microDollars: Number(row.micro_dollars) };
          const accounts = accountsOf(payer, new Date(row.created_at));
          await settleIn(transaction, accounts, { cost: nothing, reserved });
        }
      });
    },
  };

  async function insert(
    id: string,
    payer: Payer,
    limits: { account: Account; limit: Limit }[],
    amount: Cost,
    time: Date,
  ): Promise<void> {
    await database.transaction().execute(async (transaction) => {
      const count = await reserveIn(transaction, limits, amount);
      if (count < limits.length) {
        const accounts = limits.map(({ account }) => account);
        throw refuse(await readBalances(transaction, accounts), time);
      }
      await transaction
        .insertInto('budget_reservations')
        .values({
          id,
          ...lease.claim(owner),
          caller_id: payer.callerId ?? '',
          domain: payer.domain ?? '',
          organization: payer.organization,
          tokens: amount.tokens,
          micro_dollars: amount.microDollars,
          created_at: time.toISOString(),
        })
        .execute();
    });
  }

  /** The longest period of the used-up budgets says when to come back. */
  function refuse(balances: Balance[], time: Date): DocentError {
    const spentUp = balances
      .filter((balance) => {
        const limit = limitOf(budgets, balance);
        return (
          balance.spent.tokens >= (limit.tokens ?? Infinity) ||
          balance.spent.microDollars >= (limit.microDollars ?? Infinity)
        );
      })
      .toSorted((a, b) => b.window.end.getTime() - a.window.end.getTime());
    const longest = spentUp[0];
    if (!longest) {
      return new DocentError(
        'budget_exceeded',
        'The answers in progress might use up the rest of the budget. Please try again in a moment.',
        { retryAfter: reservedRetrySeconds },
      );
    }
    const retryAfter = Math.ceil((longest.window.end.getTime() - time.getTime()) / 1000);
    const when = longest.period === 'day' ? ['today', 'tomorrow'] : ['this month', 'next month'];
    return new DocentError(
      'budget_exceeded',
      `The budget of this ${longest.kind} for ${when[0]} is used up. It starts again ${when[1]}.`,
      { retryAfter },
    );
  }

  /**
   * Alerts when a budget is nearly or wholly used up: a line in the log, and a webhook where one is set. A row with
   * a unique key makes it one alert for each budget, period, and share, however many processes notice. Part of
   * the transaction that reached these shares.
   */
  async function noteAlerts(transaction: Database, balances: Balance[]) {
    const alerts: ReturnType<typeof reachedShares> = [];
    // Whatever is paid for is on its organization's account too.
    const { payer: organization = '' } = balances.find(({ kind }) => kind === 'organization') ?? {};
    for (const alert of balances.flatMap(reachedShares)) {
      const { budget, period, periodStart, unit, percent } = alert.data;
      const { numInsertedOrUpdatedRows } = await transaction
        .insertInto('budget_alerts')
        .values({
          payer_kind: budget.of,
          payer: budget.name,
          organization,
          period,
          window_start: periodStart,
          unit,
          percent,
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows !== 1n) continue;
      await webhooks.enqueueAlert(transaction, alert, organization);
      alerts.push(alert);
    }
    return alerts;
  }

  function reachedShares(balance: Balance) {
    const { kind, payer, period, window, spent } = balance;
    const limit = limitOf(budgets, balance);
    const units = [
      { unit: 'tokens', spent: spent.tokens, limit: limit.tokens, one: 1 },
      { unit: 'dollars', spent: spent.microDollars, limit: limit.microDollars, one: 1_000_000 },
    ] as const;
    return units.flatMap(({ unit, spent, limit, one }) =>
      shares
        .filter((percent) => limit !== undefined && spent * 100 >= limit * percent)
        .map((percent) => ({
          type: 'budget.alert' as const,
          timestamp: now().toISOString(),
          data: {
            budget: { of: kind, name: payer },
            period,
            periodStart: window.start.toISOString(),
            periodEnd: window.end.toISOString(),
            unit,
            percent,
            limit: (limit ?? 0) / one,
            spent: spent / one,
          },
        })),
    );
  }
}

async function remove(transaction: Database, id: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('budget_reservations')
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

const shares = [80, 100] as const;
