/** Settings about limits, budgets and abuse: a mistake in one of them must not become no limit at all. */
import { checkConfig, ConfigError } from '@docent/server/docent';
import { expect, test } from 'vitest';
import { fixtureDocs, kestrel } from '../support/fixture.ts';

function mistakesOf(input: object, variables: Record<string, string> = {}): string[] {
  try {
    checkConfig({ sites: [kestrel], ...input }, { folder: fixtureDocs, variables });
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}

const models = (more: object) => ({
  models: { main: { provider: 'openai-compatible', baseUrl: 'http://x', model: 'm', ...more } },
  sites: [{ ...kestrel, model: 'main' }],
});
const webhook = 'https://ops.example.com/hooks';

test.each<[string, object, RegExp]>([
  ['no amount', { budgets: { perKey: { perDay: {} } } }, /^budgets.perKey.perDay is empty; write/],
  [
    'no tokens',
    { budgets: { perKey: { perDay: { tokens: 0 } } } },
    /^budgets.perKey.perDay.tokens is 0; write a whole number/,
  ],
  [
    'less than no money',
    { budgets: { perSite: { perMonth: { dollars: -5 } } } },
    /^budgets.perSite.perMonth.dollars is -5; write an amount .* above 0/,
  ],
  [
    'another period',
    { budgets: { perSite: { perWeek: { dollars: 5 } } } },
    /^budgets.perSite.perWeek isn't a setting/,
  ],
  [
    'a site that is not there',
    { budgets: { sites: { kestrl: { perDay: { tokens: 1 } } } } },
    /^budgets.sites."kestrl" isn't one of kestrel-docs; correct/,
  ],
  [
    'an organization that is not there',
    { budgets: { organizations: { acme: { perDay: { tokens: 1 } } } } },
    /^budgets.organizations."acme" isn't one of kestrel; correct/,
  ],
  [
    'money, and a model without a price',
    { ...models({}), budgets: { sites: { 'kestrel-docs': { perDay: { dollars: 1 } } } } },
    /^models.main has no "price"/,
  ],
  [
    'half a price',
    models({ price: { inputPerMillion: 1 } }),
    /^models.main.price.outputPerMillion is missing; write US dollars for a million/,
  ],
  [
    'a price below nothing',
    models({ price: { inputPerMillion: 1, outputPerMillion: -1 } }),
    /^models.main.price.outputPerMillion is -1; write/,
  ],
  [
    'a webhook that is no address',
    { budgets: { alerts: { webhook: 'ops.example.com' } } },
    /^budgets.alerts.webhook is "ops.example.com"; write a full address/,
  ],
  [
    'a secret that is not set',
    { budgets: { alerts: { webhook, secretEnv: 'ALERT_SECRET' } } },
    /^budgets.alerts needs the environment variable ALERT_SECRET/,
  ],
])('%s', (_name, input, words) => {
  expect(mistakesOf(input)).toEqual([expect.stringMatching(words)]);
});

test.each<[string, object, Record<string, string>]>([
  ['a budget in tokens without a price', { budgets: { perKey: { perDay: { tokens: 1 } } } }, {}],
  [
    'a model that costs nothing',
    {
      ...models({ price: { inputPerMillion: 0, outputPerMillion: 0 } }),
      budgets: { perSite: { perMonth: { dollars: 1, tokens: 2 } } },
    },
    {},
  ],
  [
    'alerts with a secret',
    { budgets: { alerts: { webhook, secretEnv: 'ALERT_SECRET' } } },
    { ALERT_SECRET: 'x' },
  ],
])('is fine: %s', (_name, input, variables) => {
  expect(mistakesOf(input, variables)).toEqual([]);
});
