import type { UsageReply } from '@docent/shared/overview';
import type { BudgetsConfig } from '../config/budgets-config.ts';
import type { Database } from '../store/database.ts';
import { accountsOf, limitOf, type Payer, readBalances } from './accounts.ts';
import { toDollars } from './cost.ts';

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
  const balances = await Promise.all(accounts.map((each) => readBalances(database, [each])));
  const alerts = await database
    .selectFrom('budget_alerts')
    .selectAll()
    .where('payer', 'in', [...new Set(accounts.map(({ payer }) => payer))])
    .execute();
  return accounts.flatMap((account, index) => {
    const [balance] = balances[index] ?? [];
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
