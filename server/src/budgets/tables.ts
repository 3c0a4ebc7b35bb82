/** The rows of this feature, as `platform/store/tables.ts` says. */
import { bigint, integer, type RowsOf, text } from '../platform/store/columns.ts';

/** Who pays for an answer: its key, its site, and its organization. */
export type PayerKind = 'key' | 'organization' | 'site';

/** The periods of budgets: days and calendar months in UTC. */
export type SpendPeriod = 'day' | 'month';

export const budgetTables = {
  /** `budgets/accounts.ts` */
  spend: {
    payer_kind: text<PayerKind>().primary,
    /** A key's id, a person's, an organization's name, a site's domain. */
    payer: text().primary,
    /** A person may spend in several. */
    organization: text().primary,
    period: text<SpendPeriod>().primary,
    window_start: text().primary,
    window_end: text(),
    /** The cost of ended answers. Money is in whole millionths of a US dollar. */
    tokens: bigint(),
    micro_dollars: bigint(),
    /** What running answers may cost. */
    reserved_tokens: bigint(),
    reserved_micro_dollars: bigint(),
    /** The budget in the configuration at the last answer; null: none. */
    limit_tokens: bigint().orNull,
    limit_micro_dollars: bigint().orNull,
  },

  /** `budgets/spend.ts`: what one running answer reserved, so that it's released if its process dies. */
  budget_reservations: {
    id: text().primary,
    owner: text(),
    /** Empty for a job that no key created. */
    caller_id: text(),
    /** Empty for a job. */
    domain: text(),
    organization: text(),
    tokens: bigint(),
    micro_dollars: bigint(),
    /** Determines the periods that it counts in. */
    created_at: text(),
    lease_until: text(),
  },

  /** `budgets/spend.ts`: the unique key makes it one alert for each budget, period and share. */
  budget_alerts: {
    payer_kind: text<PayerKind>().primary,
    payer: text().primary,
    organization: text().primary,
    period: text<SpendPeriod>().primary,
    window_start: text().primary,
    unit: text<'tokens' | 'dollars'>().primary,
    percent: integer().primary,
  },
};

export const budgetIndexes = `
create index spend_window_end on spend (window_end);
create index budget_reservations_owner on budget_reservations (owner);
create index budget_reservations_lease on budget_reservations (lease_until);
`;

declare module '../platform/store/tables.ts' {
  interface Tables extends RowsOf<typeof budgetTables> {}
}
