/** How much language models may cost. Every name here is a setting; none is set by default. */
import { z } from 'zod';
import { count, write } from './fields.ts';

const Amount = z
  .strictObject(
    {
      /** Input and output tokens together. */
      tokens: count('a whole number of tokens').optional(),
      /** US dollars, by the `price` of the model. */
      dollars: z
        .number(write('an amount of US dollars, such as 5'))
        .positive(write('an amount of US dollars above 0, such as 5'))
        .optional(),
    },
    write('an amount, such as { dollars: 5 }'),
  )
  .refine(({ tokens, dollars }) => tokens !== undefined || dollars !== undefined, {
    error: 'is empty; write "tokens", "dollars" or both',
  });

const Budget = z.strictObject(
  {
    /** A day in UTC. */
    perDay: Amount.optional(),
    /** A calendar month in UTC. */
    perMonth: Amount.optional(),
  },
  write('a budget, such as { perMonth: { dollars: 50 } }'),
);
export type Budget = z.infer<typeof Budget>;

const own = (whose: string) =>
  z.record(z.string(), Budget, write(`budgets by the ${whose}`)).default({});

export const BudgetsConfig = z
  .strictObject(
    {
      /** What each may use that has no budget of its own below. */
      perKey: Budget.optional(),
      perSite: Budget.optional(),
      perOrganization: Budget.optional(),
      /** Budgets of their own; each takes the whole place of the general one. */
      keys: own('id of a key'),
      sites: own('domain of a site'),
      organizations: own('name of an organization'),
    },
    write('an object of budgets'),
  )
  .prefault({});
export type BudgetsConfig = z.infer<typeof BudgetsConfig>;
