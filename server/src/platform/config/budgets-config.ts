/** How much language models may cost. No budget is set by default. */
import { z } from 'zod';
import { amount, count, object, section, variable, webAddress, write } from './fields.ts';

const Amount = object('an amount, such as { dollars: 5 }', {
  /** Input and output tokens together. */
  tokens: count('a whole number of tokens').optional(),
  /** US dollars, by the `price` of the model. */
  dollars: amount('an amount of US dollars above 0, such as 5').optional(),
}).refine(({ tokens, dollars }) => tokens !== undefined || dollars !== undefined, {
  error: 'is empty; write "tokens", "dollars" or both',
});

const Budget = object('a budget, such as { perMonth: { dollars: 50 } }', {
  /** A day in UTC. */
  perDay: Amount.optional(),
  /** A calendar month in UTC. */
  perMonth: Amount.optional(),
});
export type Budget = z.infer<typeof Budget>;

const own = (whose: string) =>
  z.record(z.string(), Budget, write(`budgets by the ${whose}`)).default({});

export const BudgetsConfig = section('an object of budgets', {
  /** For each that has no budget of its own below. */
  perKey: Budget.optional(),
  perSite: Budget.optional(),
  perOrganization: Budget.optional(),
  /** Own budgets. Each replaces the general one as a whole. */
  keys: own('id of a key'),
  sites: own('domain of a site'),
  organizations: own('name of an organization'),
  /** Where to send alerts when 80 % and 100 % of a budget are used. */
  alerts: object('an object with the address of a "webhook"', {
    webhook: webAddress('https://ops.example.com/hooks/docent'),
    /** The variable with the secret that signs alerts. */
    secretEnv: variable.optional(),
  }).optional(),
});
export type BudgetsConfig = z.infer<typeof BudgetsConfig>;
