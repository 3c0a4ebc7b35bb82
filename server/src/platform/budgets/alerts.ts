/**
 * Alerts when a budget is nearly or wholly used up: a line in the log, and a webhook where one is set.
 * A row with a unique key makes it one alert for each budget, period and share, however many processes
 * notice.
 */
import type { BudgetsConfig } from '../config/budgets-config.ts';
import type { Logger } from '../log.ts';
import type { Database } from '../store/database.ts';
import type { BudgetAlert } from '../webhooks/deliveries.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { type Balance, limitOf } from './accounts.ts';

/** Shares of a budget, in percent. */
const shares = [80, 100] as const;

export function createAlerts(deps: {
  now: () => Date;
  log: Logger;
  budgets: BudgetsConfig;
  webhooks: Pick<Webhooks, 'enqueueAlert' | 'wake'>;
}) {
  const { now, log, budgets, webhooks } = deps;

  return {
    /** Records the shares that have been reached, in the transaction that reached them. */
    async note(transaction: Database, balances: Balance[]): Promise<BudgetAlert[]> {
      const alerts: BudgetAlert[] = [];
      // Whatever is paid for is on its organization's account too.
      const { payer: organization = '' } =
        balances.find(({ kind }) => kind === 'organization') ?? {};
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
    },

    /** Call it after that transaction. */
    announce(alerts: BudgetAlert[]): void {
      for (const { data } of alerts) log.warn(data, 'a budget reached an alert level');
      if (alerts.length > 0) webhooks.wake();
    },
  };

  function reachedShares(balance: Balance): BudgetAlert[] {
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
          type: 'budget.alert',
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
