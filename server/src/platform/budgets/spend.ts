/**
 * Budgets for language models. An answer holds what it is expected to cost from before it begins until
 * it has ended, and then pays what it did cost: answers that run at the same moment cannot all be let
 * in on the same last cent.
 */
import type { Config } from '../config/schema.ts';
import { DocentError } from '../errors.ts';
import type { NewId } from '../ids.ts';
import type { Logger } from '../log.ts';
import type { Database, Store } from '../store/database.ts';
import { createLease } from '../store/lease.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import {
  type Account,
  accountsOf,
  type Balance,
  hold,
  type Payer,
  read,
  settle,
} from './accounts.ts';
import { createAlerts } from './alerts.ts';
import { isBounded, type Limit, limitOf } from './budgets.ts';
import { type Cost, costOf, nothing, sumOf, type Usage } from './price.ts';

/** How long what a dead process held is withheld from the others. */
const leaseSeconds = 90;
/** How often `tend` is to be called. */
export const tendEveryMs = 30_000;
/** When room may come back that running answers hold. */
const heldRetrySeconds = 15;

/** What one answer costs, from its beginning to its end. */
export interface Expense {
  /** Tokens that a model took, as it says or as estimated. An answer may ask models more than once. */
  add(usage: Usage): void;
  /** Tokens that the embedder took to search for it. */
  addEmbedded(tokens: number): void;
}

export interface NewExpense extends Payer {
  /** The model's name in the configuration; without one the answer is free: the built-in model. */
  model: string | undefined;
  /** Nothing but an embedder is asked: it has a price of its own. */
  isEmbedding?: boolean;
  /** What is held until it is known. */
  expected: Usage;
}

interface OpenExpense extends Expense {
  holdId: string | undefined;
  held: Cost;
  accounts: Account[];
  total(): Cost;
}

export type Spend = ReturnType<typeof createSpend>;

export function createSpend(parts: {
  store: Pick<Store, 'database' | 'clock'>;
  now: () => Date;
  newId: NewId;
  log: Logger;
  config: Pick<Config, 'budgets' | 'models' | 'search'>;
  webhooks: Pick<Webhooks, 'enqueueAlert' | 'wake'>;
}) {
  const { store, now, newId } = parts;
  const { database } = store;
  const { budgets, models, search } = parts.config;
  const embedderPrice = search.embedder?.price && { ...search.embedder.price, outputPerMillion: 0 };
  const alerts = createAlerts({ ...parts, budgets });
  const lease = createLease(store, leaseSeconds);
  const owner = newId();
  const open = new WeakMap<Expense, OpenExpense>();
  let holding = 0;

  return {
    /**
     * Lets an answer begin while something is left of every budget that it is on; rejects with
     * `budget_exceeded` otherwise. What it answers must be given to `record` in the end.
     */
    async assertOpen(expense: NewExpense): Promise<Expense> {
      const { model, isEmbedding = false } = expense;
      if (model === undefined && !isEmbedding) return { add() {}, addEmbedded() {} };
      const price = model === undefined ? undefined : models[model]?.price;
      const time = now();
      const accounts = accountsOf(expense, time);
      const limits = accounts.map((account) => ({ account, limit: limitOf(budgets, account) }));
      const usage = { inputTokens: 0, outputTokens: 0 };
      const embedded = { inputTokens: 0, outputTokens: 0 };
      const opened: OpenExpense = {
        holdId: undefined,
        held: nothing,
        accounts,
        add({ inputTokens, outputTokens }) {
          usage.inputTokens += inputTokens;
          usage.outputTokens += outputTokens;
        },
        addEmbedded(tokens) {
          embedded.inputTokens += tokens;
        },
        total: () => sumOf(costOf(usage, price), costOf(embedded, embedderPrice)),
      };
      if (limits.some(({ limit }) => isBounded(limit))) {
        opened.held = costOf(expense.expected, isEmbedding ? embedderPrice : price);
        opened.holdId = newId();
        await reserve(opened.holdId, expense, limits, opened.held, time);
        holding += 1;
      }
      open.set(opened, opened);
      return opened;
    },

    /** Ends an expense with what was added to it; a second time does nothing. */
    async record(expense: Expense): Promise<void> {
      const opened = open.get(expense);
      if (!opened) return;
      open.delete(expense);
      const { holdId, held, accounts } = opened;
      const cost = opened.total();
      if (holdId === undefined && cost.tokens === 0) return;
      if (holdId !== undefined) holding -= 1;
      const reached = await database.transaction().execute(async (transaction) => {
        const isHeld = holdId !== undefined && (await takeHold(transaction, holdId));
        const change = { cost, held: isHeld ? held : nothing };
        return alerts.note(transaction, await settle(transaction, accounts, change));
      });
      alerts.announce(reached);
    },

    /** Renews what this process holds, and gives back what dead ones held. */
    async tend(): Promise<void> {
      if (holding > 0) {
        await database
          .updateTable('spend_holds')
          .set(lease.renew())
          .where('owner', '=', owner)
          .execute();
      }
      await database.transaction().execute(async (transaction) => {
        const expired = await transaction
          .deleteFrom('spend_holds')
          .where(lease.isFree('spend_holds'))
          .returningAll()
          .execute();
        for (const row of expired) {
          const payer = {
            keyId: row.key_id || undefined,
            organization: row.organization,
            domain: row.domain || undefined,
          };
          const held = { tokens: Number(row.tokens), microDollars: Number(row.micro_dollars) };
          const accounts = accountsOf(payer, new Date(row.created_at));
          await settle(transaction, accounts, { cost: nothing, held });
        }
      });
    },
  };

  async function reserve(
    id: string,
    payer: Payer,
    limits: { account: Account; limit: Limit }[],
    amount: Cost,
    time: Date,
  ): Promise<void> {
    await database.transaction().execute(async (transaction) => {
      const count = await hold(transaction, limits, amount);
      if (count < limits.length) {
        const accounts = limits.map(({ account }) => account);
        throw refusal(await read(transaction, accounts), budgets, time);
      }
      await transaction
        .insertInto('spend_holds')
        .values({
          id,
          ...lease.claim(owner),
          key_id: payer.keyId ?? '',
          domain: payer.domain ?? '',
          organization: payer.organization,
          tokens: amount.tokens,
          micro_dollars: amount.microDollars,
          created_at: time.toISOString(),
        })
        .execute();
    });
  }
}

/** Whether there was something to take: an expired hold has been given back already. */
async function takeHold(transaction: Database, id: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('spend_holds')
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** The budget that lasts longest says when to come back. */
function refusal(balances: Balance[], budgets: Config['budgets'], time: Date): DocentError {
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
      'The answers that are being written now may use up what is left of the budget. Please try again in a moment.',
      { retryAfter: heldRetrySeconds },
    );
  }
  const retryAfter = Math.ceil((longest.window.end.getTime() - time.getTime()) / 1000);
  const when = longest.period === 'day' ? ['today', 'tomorrow'] : ['this month', 'next month'];
  return new DocentError(
    'budget_exceeded',
    `The assistant of this site has used up its budget for ${when[0]}. Please ask again ${when[1]}.`,
    { retryAfter },
  );
}
