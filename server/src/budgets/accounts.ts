/**
 * What models cost: one row for each payer and period. Each change is one statement over all rows of an
 * answer, so it is exact for parallel answers and across processes.
 */
import type { Tables } from '../platform/store/tables.ts';
import type { PayerKind, SpendPeriod } from './tables.ts';
import { sql } from 'kysely';
import type { Budget, BudgetsConfig } from '../platform/config/budgets-config.ts';
import { type Window, windowOf } from '../platform/limits/counters.ts';
import { dayMs } from '../platform/time.ts';
import type { Database } from '../platform/store/database.ts';
import { type Cost, toMicroDollars, toDollars } from './cost.ts';
import type { UsageReply } from '@docent/shared/overview';

/** The payers of an answer or of a step of a job. A job may have no key, and has no site. */
export interface Payer {
  callerId?: string | undefined;
  organization: string;
  domain?: string | undefined;
}

export interface Account {
  kind: PayerKind;
  payer: string;
  organization: string;
  period: SpendPeriod;
  window: Window;
}

export interface Balance extends Account {
  spent: Cost;
  reserved: Cost;
}

/** Always in this order, so that two answers that lock the same rows can't deadlock. */
export function accountsOf(payer: Payer, time: Date): Account[] {
  const { organization } = payer;
  const payers = [
    ['key', payer.callerId],
    ['organization', organization],
    ['site', payer.domain],
  ] as const;
  return payers.flatMap(([kind, payer]) =>
    payer === undefined
      ? []
      : [
          { kind, payer, organization, period: 'day', window: windowOf('day', time) },
          { kind, payer, organization, period: 'month', window: windowOf('month', time) },
        ],
  );
}

/** The limit of an account; `undefined` for a unit without one. */
export interface Limit {
  tokens: number | undefined;
  microDollars: number | undefined;
}

/** The budget of an account: its own, or the general one for accounts of its kind. */
export function limitOf(budgets: BudgetsConfig, { kind, payer, period }: Account): Limit {
  const { perKey, perSite, perOrganization, keys, sites, organizations } = budgets;
  const [own, general] = {
    key: [keys, perKey] as const,
    site: [sites, perSite] as const,
    organization: [organizations, perOrganization] as const,
  }[kind];
  const budget = Object.hasOwn(own, payer) ? own[payer] : general;
  const amount = budget?.[settingOf[period]];
  return {
    tokens: amount?.tokens,
    microDollars: amount?.dollars === undefined ? undefined : toMicroDollars(amount.dollars),
  };
}

const settingOf = { day: 'perDay', month: 'perMonth' } as const satisfies Record<
  SpendPeriod,
  keyof Budget
>;

export const isBounded = ({ tokens, microDollars }: Limit) =>
  tokens !== undefined || microDollars !== undefined;

const key = ['payer_kind', 'payer', 'organization', 'period', 'window_start'] as const;

const addReserved = {
  reserved_tokens: sql<number>`spend.reserved_tokens + excluded.reserved_tokens`,
  reserved_micro_dollars: sql<number>`spend.reserved_micro_dollars + excluded.reserved_micro_dollars`,
};

/**
 * Reserves an amount in all accounts that have something left, and returns how many these are. If one
 * is missing, the caller must roll back.
 */
export async function reserveIn(
  transaction: Database,
  accounts: { account: Account; limit: Limit }[],
  amount: Cost,
): Promise<number> {
  const rows = await transaction
    .insertInto('spend')
    .values(
      accounts.map(({ account, limit }) => ({
        ...toRow(account),
        reserved_tokens: amount.tokens,
        reserved_micro_dollars: amount.microDollars,
        limit_tokens: limit.tokens ?? null,
        limit_micro_dollars: limit.microDollars ?? null,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(key)
        .doUpdateSet({
          ...addReserved,
          limit_tokens: sql<number | null>`excluded.limit_tokens`,
          limit_micro_dollars: sql<number | null>`excluded.limit_micro_dollars`,
        })
        .where(
          sql<boolean>`(excluded.limit_tokens is null
            or spend.tokens + spend.reserved_tokens < excluded.limit_tokens)
          and (excluded.limit_micro_dollars is null
            or spend.micro_dollars + spend.reserved_micro_dollars < excluded.limit_micro_dollars)`,
        ),
    )
    .returning('payer_kind')
    .execute();
  return rows.length;
}

/** Books what an answer cost, releases what it reserved, and returns the balances of its accounts. */
export async function settleIn(
  transaction: Database,
  accounts: Account[],
  { cost, reserved }: { cost: Cost; reserved: Cost },
): Promise<Balance[]> {
  const rows = await transaction
    .insertInto('spend')
    .values(
      accounts.map((account) => ({
        ...toRow(account),
        tokens: cost.tokens,
        micro_dollars: cost.microDollars,
        reserved_tokens: -reserved.tokens,
        reserved_micro_dollars: -reserved.microDollars,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(key).doUpdateSet({
        ...addReserved,
        tokens: sql<number>`spend.tokens + excluded.tokens`,
        micro_dollars: sql<number>`spend.micro_dollars + excluded.micro_dollars`,
      }),
    )
    .returningAll()
    .execute();
  return accounts.flatMap((account) => toBalances(account, rows));
}

export async function readBalances(database: Database, accounts: Account[]): Promise<Balance[]> {
  const rows = await database
    .selectFrom('spend')
    .selectAll()
    .where((where) =>
      where.or(
        accounts.map(({ kind, payer, organization, period, window }) =>
          where.and({
            payer_kind: kind,
            payer,
            organization,
            period,
            window_start: window.start.toISOString(),
          }),
        ),
      ),
    )
    .execute();
  return accounts.flatMap((account) => toBalances(account, rows));
}

/** Sums are kept for a good year, so that you can compare months. */
export async function deleteOldSpend(database: Database, now: Date): Promise<void> {
  const oldest = new Date(now.getTime() - 400 * dayMs).toISOString();
  await database.deleteFrom('spend').where('window_end', '<=', oldest).execute();
  await database.deleteFrom('budget_alerts').where('window_start', '<=', oldest).execute();
}

function toRow({ kind, payer, organization, period, window }: Account): Tables['spend'] {
  return {
    payer_kind: kind,
    payer,
    organization,
    period,
    window_start: window.start.toISOString(),
    window_end: window.end.toISOString(),
    tokens: 0,
    micro_dollars: 0,
    reserved_tokens: 0,
    reserved_micro_dollars: 0,
    limit_tokens: null,
    limit_micro_dollars: null,
  };
}

function toBalances(account: Account, rows: Tables['spend'][]): Balance[] {
  const row = rows.find(
    (each) =>
      each.payer_kind === account.kind &&
      each.payer === account.payer &&
      each.period === account.period,
  );
  if (!row) return [];
  const spent = { tokens: Number(row.tokens), microDollars: Number(row.micro_dollars) };
  const reserved = {
    tokens: Number(row.reserved_tokens),
    microDollars: Number(row.reserved_micro_dollars),
  };
  return [{ ...account, spent, reserved }];
}

/** What is left of the budgets of these payers in their current periods. */
export async function readBudgets(
  database: Database,
  budgets: BudgetsConfig,
  payers: readonly Payer[],
  now: Date,
): Promise<UsageReply['budgets']> {
  const all = payers.flatMap((payer) => accountsOf(payer, now));
  // The organization is among the payers of each site.
  const accounts = [...new Map(all.map((each) => [nameOf(each), each])).values()].filter(
    (account) => Object.values(limitOf(budgets, account)).some((limit) => limit !== undefined),
  );
  if (accounts.length === 0) return [];
  const balances = await readBalances(database, accounts);
  const alerts = await database
    .selectFrom('budget_alerts')
    .selectAll()
    .where('payer', 'in', [...new Set(accounts.map(({ payer }) => payer))])
    .execute();
  return accounts.flatMap((account) => {
    const balance = balances.find((each) => nameOf(each) === nameOf(account));
    const limit = limitOf(budgets, account);
    const { kind, payer, organization, period, window } = account;
    const of = (unit: 'tokens' | 'dollars', most: number | undefined) => {
      if (most === undefined) return [];
      const pick = (cost = { tokens: 0, microDollars: 0 }) =>
        unit === 'tokens' ? cost.tokens : toDollars(cost.microDollars);
      const reached = alerts.filter(
        (alert) =>
          alert.payer_kind === kind &&
          alert.payer === payer &&
          alert.organization === organization &&
          alert.period === period &&
          alert.unit === unit &&
          alert.window_start === window.start.toISOString(),
      );
      return [
        {
          of: kind,
          name: payer,
          period,
          unit,
          limit: unit === 'tokens' ? most : toDollars(most),
          spent: pick(balance?.spent),
          reserved: pick(balance?.reserved),
          endsAt: window.end.toISOString(),
          alerted: reached.length === 0 ? null : Math.max(...reached.map(({ percent }) => percent)),
        },
      ];
    };
    return [...of('tokens', limit.tokens), ...of('dollars', limit.microDollars)];
  });
}

const nameOf = (account: { kind: string; payer: string; period: string }) =>
  `${account.kind} ${account.payer} ${account.period}`;
