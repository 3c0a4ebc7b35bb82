/** How much language models may cost. No budget is set by default. */
import { z } from 'zod';
import type { Environment } from './environment.ts';
import { amount, count, missingSecret, variable, webAddress, write } from './fields.ts';
import type { Config } from './schema.ts';

const Amount = z
  .strictObject(
    {
      /** Input and output tokens together. */
      tokens: count('a whole number of tokens').optional(),
      /** US dollars, by the `price` of the model. */
      dollars: amount('an amount of US dollars above 0, such as 5').optional(),
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
      /** For each that has no budget of its own below. */
      perKey: Budget.optional(),
      perSite: Budget.optional(),
      perOrganization: Budget.optional(),
      /** Own budgets. Each replaces the general one as a whole. */
      keys: own('id of a key'),
      sites: own('domain of a site'),
      organizations: own('name of an organization'),
      /** Where to send alerts when 80 % and 100 % of a budget are used. */
      alerts: z
        .strictObject(
          {
            webhook: webAddress('https://ops.example.com/hooks/docent'),
            /** The variable with the secret that signs alerts. */
            secretEnv: variable.optional(),
          },
          write('an object with the address of a "webhook"'),
        )
        .optional(),
    },
    write('an object of budgets'),
  )
  .prefault({});
export type BudgetsConfig = z.infer<typeof BudgetsConfig>;

/** A budget that doesn't take effect is worse than none. */
export function budgetMistakes(
  { budgets, models, sites, search }: Pick<Config, 'budgets' | 'models' | 'sites' | 'search'>,
  environment: Environment,
): string[] {
  const mistakes: string[] = [];
  const known = {
    sites: new Set(sites.map(({ domain }) => domain)),
    organizations: new Set(sites.map(({ organization }) => organization)),
  };
  for (const kind of ['sites', 'organizations'] as const) {
    for (const name of Object.keys(budgets[kind])) {
      if (known[kind].has(name)) continue;
      const names = [...known[kind]].join(', ');
      mistakes.push(`budgets.${kind}."${name}" isn't one of ${names}; correct its spelling`);
    }
  }
  const all = [
    budgets.perKey,
    budgets.perSite,
    budgets.perOrganization,
    ...[budgets.keys, budgets.sites, budgets.organizations].flatMap(Object.values<Budget>),
  ];
  const isInMoney = all.some((budget) => budget?.perDay?.dollars ?? budget?.perMonth?.dollars);
  const used = isInMoney ? new Set(sites.flatMap(({ model, fallback }) => [model, fallback])) : [];
  for (const name of used) {
    if (name === undefined || !models[name] || models[name].price) continue;
    mistakes.push(
      `models.${name} has no "price", so a budget in dollars cannot be enforced; add { inputPerMillion, outputPerMillion }, 0 where it costs nothing`,
    );
  }
  if (isInMoney && search.embedder && !search.embedder.price) {
    mistakes.push(
      'search.embedder has no "price", so a budget in dollars cannot be enforced; add { inputPerMillion }, 0 where it costs nothing',
    );
  }
  const what = 'a secret that the receiver knows';
  return [
    ...mistakes,
    ...missingSecret(environment, 'budgets.alerts', budgets.alerts?.secretEnv, what),
  ];
}
