/**
 * Alerts when a budget is nearly or wholly used up: a line in the log, and a request to the webhook
 * where one is set. A row with a unique key makes it one alert for each budget, period and share,
 * however many processes notice; the row is also what is tried again until it has been delivered.
 */
import { sql } from 'kysely';
import type { BudgetsConfig } from '../config/budgets-config.ts';
import type { NewId } from '../ids.ts';
import type { Logger } from '../log.ts';
import type { Database } from '../store/database.ts';
import type { BudgetAlertTable } from '../store/tables.ts';
import type { Balance } from './accounts.ts';
import { limitOf } from './budgets.ts';
import { sendWebhook } from '../webhooks/send-webhook.ts';

/** Shares of a budget, in percent. */
const shares = [80, 100] as const;

/** Pauses before the next attempts; after the last one it is given up. */
const retryMs = [30_000, 120_000, 600_000, 3_600_000, 6 * 3_600_000];

/** A process that dies while it sends lets another one try after this. */
const leaseMs = 60_000;

/** What is sent, in the envelope of the Standard Webhooks specification. */
interface BudgetAlert {
  type: 'budget.alert';
  timestamp: string;
  data: {
    budget: { of: 'key' | 'organization' | 'site'; name: string };
    period: 'day' | 'month';
    periodStart: string;
    periodEnd: string;
    unit: 'tokens' | 'dollars';
    percent: number;
    limit: number;
    spent: number;
  };
}

export function createAlerts(parts: {
  database: Database;
  now: () => Date;
  newId: NewId;
  log: Logger;
  budgets: BudgetsConfig;
  /** Signs what is sent. */
  secret: string | undefined;
}) {
  const { database, now, newId, log, budgets, secret } = parts;
  const webhook = budgets.alerts?.webhook;
  /** Rows that are known to be there, so that each further answer need not try to write them. */
  const known = new Set<string>();
  const stop = new AbortController();
  let delivering: Promise<void> | undefined;

  return {
    /** Writes down which shares have been reached; part of the transaction that reached them. */
    async note(transaction: Database, balances: Balance[]): Promise<BudgetAlert[]> {
      const reached = balances.flatMap(reachedShares);
      const alerts: BudgetAlert[] = [];
      for (const alert of reached) {
        const { budget, period, periodStart, unit, percent } = alert.data;
        const name = [budget.of, budget.name, period, periodStart, unit, percent].join(' ');
        if (known.has(name)) continue;
        const { numInsertedOrUpdatedRows } = await transaction
          .insertInto('budget_alerts')
          .values({
            id: newId(),
            payer_kind: budget.of,
            payer: budget.name,
            period,
            window_start: periodStart,
            unit,
            percent,
            body: JSON.stringify(alert),
            attempts: 0,
            due_at: webhook === undefined ? null : now().toISOString(),
            delivered_at: null,
          })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        if (numInsertedOrUpdatedRows === 1n) alerts.push(alert);
        else rememberAsKnown(name);
      }
      return alerts;
    },

    /** Once that transaction holds: says it in the log, and sends what is due. */
    announce(alerts: BudgetAlert[]): void {
      if (alerts.length === 0) return;
      for (const { data } of alerts) log.warn(data, 'budget reached a share');
      void this.deliver();
    },

    /** Sends what is due. A webhook that is away harms nothing: the next call tries again. */
    async deliver(): Promise<void> {
      if (webhook === undefined || stop.signal.aborted) return;
      delivering ??= deliverDue(webhook)
        .catch((err: unknown) => log.error({ err }, 'budget alerts could not be sent'))
        .finally(() => (delivering = undefined));
      await delivering;
    },

    async close(): Promise<void> {
      stop.abort();
      await delivering;
    },
  };

  /** Only what an earlier transaction wrote: this one may still be rolled back. */
  function rememberAsKnown(name: string): void {
    if (known.size > 10_000) known.clear();
    known.add(name);
  }

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

  async function deliverDue(url: string): Promise<void> {
    for (let alert = await claim(); alert && !stop.signal.aborted; alert = await claim()) {
      const { id, body, attempts } = alert;
      const message = { id, body, time: now(), secrets: secret === undefined ? [] : [secret] };
      // It may be a host of one's own network: no reader, page or model can change the configuration.
      const reach = { privateHosts: [new URL(url).hostname.replace(/^\[|\]$/g, '')] };
      const { fault } = await sendWebhook(url, message, reach, stop.signal);
      // Stopped in the middle: the lease runs out, and the alert is sent after the restart.
      if (stop.signal.aborted) return;
      const pause = retryMs[attempts - 1];
      const isOver = fault === undefined || pause === undefined;
      await database
        .updateTable('budget_alerts')
        .set({
          due_at: isOver ? null : new Date(now().getTime() + pause).toISOString(),
          delivered_at: fault === undefined ? now().toISOString() : null,
        })
        .where('id', '=', id)
        .execute();
      if (fault === undefined) continue;
      const words = isOver ? 'a budget alert is given up' : 'a budget alert was not delivered';
      log[isOver ? 'error' : 'warn']({ alert: id, attempts, fault }, words);
    }
  }

  /** Takes one alert that is due, so that no other process sends it meanwhile. */
  function claim(): Promise<BudgetAlertTable | undefined> {
    const time = now();
    const isDue = (table: 'budget_alerts' | 'due') =>
      sql<boolean>`${sql.ref(`${table}.due_at`)} <= ${time.toISOString()}`;
    return database
      .updateTable('budget_alerts')
      .set({
        due_at: new Date(time.getTime() + leaseMs).toISOString(),
        attempts: sql<number>`attempts + 1`,
      })
      .where('id', '=', (select) =>
        select
          .selectFrom('budget_alerts as due')
          .select('due.id')
          .where(isDue('due'))
          .orderBy('due.due_at')
          .orderBy('due.percent')
          .limit(1),
      )
      .where(isDue('budget_alerts'))
      .returningAll()
      .executeTakeFirst();
  }
}
