import type { Budget, BudgetsConfig } from '../config/budgets-config.ts';
import type { SpendPeriod } from '../store/tables.ts';
import type { Account } from './accounts.ts';
import { toMicroDollars } from './price.ts';

/** What an account may reach; a unit that is not set has no end. */
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
