/**
 * What models have cost, in rows: one for each payer and period. Each change is one statement over all
 * rows of an answer, in one transaction, so it is exact under parallel answers and across processes.
 */
import { sql } from 'kysely';
import { dayMs, dayOf, monthOf, type Window } from '../limits/windows.ts';
import type { Database } from '../store/database.ts';
import type { PayerKind, SpendPeriod, SpendTable } from '../store/tables.ts';
import type { Limit } from './budgets.ts';
import type { Cost } from './price.ts';

/** Who pays for an answer, or for a step of a job: that may have no key, and is no site's. */
export interface Payer {
  keyId?: string | undefined;
  organization: string;
  domain?: string | undefined;
}

/** One row that an answer is on. */
export interface Account {
  kind: PayerKind;
  payer: string;
  period: SpendPeriod;
  window: Window;
}

/** How an account stands. */
export interface Balance extends Account {
  spent: Cost;
  held: Cost;
}

/** Always in this order, so that two answers that lock the same rows never wait for each other in a ring. */
export function accountsOf(payer: Payer, time: Date): Account[] {
  const payers = [
    ['key', payer.keyId],
    ['organization', payer.organization],
    ['site', payer.domain],
  ] as const;
  return payers.flatMap(([kind, payer]) =>
    payer === undefined
      ? []
      : [
          { kind, payer, period: 'day', window: dayOf(time) },
          { kind, payer, period: 'month', window: monthOf(time) },
        ],
  );
}

const key = ['payer_kind', 'payer', 'period', 'window_start'] as const;

const addHeld = {
  held_tokens: sql<number>`spend.held_tokens + excluded.held_tokens`,
  held_micro_dollars: sql<number>`spend.held_micro_dollars + excluded.held_micro_dollars`,
};

/**
 * Holds an amount in all accounts that still have something left, and answers which these are. Where
 * one is missing, the caller must roll back.
 */
export async function hold(
  transaction: Database,
  accounts: { account: Account; limit: Limit }[],
  amount: Cost,
): Promise<number> {
  const rows = await transaction
    .insertInto('spend')
    .values(
      accounts.map(({ account, limit }) => ({
        ...toRow(account),
        held_tokens: amount.tokens,
        held_micro_dollars: amount.microDollars,
        limit_tokens: limit.tokens ?? null,
        limit_micro_dollars: limit.microDollars ?? null,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(key)
        .doUpdateSet({
          ...addHeld,
          limit_tokens: sql<number | null>`excluded.limit_tokens`,
          limit_micro_dollars: sql<number | null>`excluded.limit_micro_dollars`,
        })
        .where(
          sql<boolean>`(excluded.limit_tokens is null
            or spend.tokens + spend.held_tokens < excluded.limit_tokens)
          and (excluded.limit_micro_dollars is null
            or spend.micro_dollars + spend.held_micro_dollars < excluded.limit_micro_dollars)`,
        ),
    )
    .returning('payer_kind')
    .execute();
  return rows.length;
}

/** Writes down what an answer has cost, gives back what it held, and answers how its accounts stand. */
export async function settle(
  transaction: Database,
  accounts: Account[],
  { cost, held }: { cost: Cost; held: Cost },
): Promise<Balance[]> {
  const rows = await transaction
    .insertInto('spend')
    .values(
      accounts.map((account) => ({
        ...toRow(account),
        tokens: cost.tokens,
        micro_dollars: cost.microDollars,
        held_tokens: -held.tokens,
        held_micro_dollars: -held.microDollars,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(key).doUpdateSet({
        ...addHeld,
        tokens: sql<number>`spend.tokens + excluded.tokens`,
        micro_dollars: sql<number>`spend.micro_dollars + excluded.micro_dollars`,
      }),
    )
    .returningAll()
    .execute();
  return accounts.flatMap((account) => toBalances(account, rows));
}

/** How accounts stand; one that nothing was spent on yet is left out. */
export async function read(database: Database, accounts: Account[]): Promise<Balance[]> {
  const rows = await database
    .selectFrom('spend')
    .selectAll()
    .where((where) =>
      where.or(
        accounts.map(({ kind, payer, period, window }) =>
          where.and({ payer_kind: kind, payer, period, window_start: window.start.toISOString() }),
        ),
      ),
    )
    .execute();
  return accounts.flatMap((account) => toBalances(account, rows));
}

/** Sums are kept for a good year, so that months can be compared; alerts as long as their period. */
export async function deleteOldSpend(database: Database, now: Date): Promise<void> {
  const oldest = new Date(now.getTime() - 400 * dayMs).toISOString();
  await database.deleteFrom('spend').where('window_end', '<=', oldest).execute();
  await database.deleteFrom('budget_alerts').where('window_start', '<=', oldest).execute();
}

function toRow({ kind, payer, period, window }: Account): SpendTable {
  return {
    payer_kind: kind,
    payer,
    period,
    window_start: window.start.toISOString(),
    window_end: window.end.toISOString(),
    tokens: 0,
    micro_dollars: 0,
    held_tokens: 0,
    held_micro_dollars: 0,
    limit_tokens: null,
    limit_micro_dollars: null,
  };
}

function toBalances(account: Account, rows: SpendTable[]): Balance[] {
  const row = rows.find(
    (each) => each.payer_kind === account.kind && each.period === account.period,
  );
  if (!row) return [];
  const spent = { tokens: Number(row.tokens), microDollars: Number(row.micro_dollars) };
  const held = { tokens: Number(row.held_tokens), microDollars: Number(row.held_micro_dollars) };
  return [{ ...account, spent, held }];
}
