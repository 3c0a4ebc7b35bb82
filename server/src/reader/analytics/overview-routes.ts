/** Figures of an organization or of one of its sites. Not in the service document. */
import { OverviewQuery, OverviewReply, UsageReply } from '@docent/shared/overview';
import { readBudgets } from '../../budgets/accounts.ts';
import { countPages, type Indexer } from '../../docs/indexer/indexer.ts';
import type { Caller } from '../../platform/auth/caller.ts';
import type { Config } from '../../platform/config/schema.ts';
import { endpointsOf, viewerReads } from '../../platform/http/endpoint.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Site, Sites } from '../../platform/tenants/sites.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import { loopOf, hoursOf, periodsOf, spentBy, totalsOf } from './overview.ts';

interface OverviewDeps {
  config: Pick<Config, 'budgets'>;
  database: Database;
  sites: Pick<Sites, 'forCaller' | 'ofCaller'>;
  indexer: Pick<Indexer, 'runs'>;
  retriever: Pick<Retriever, 'hashes'>;
  now: () => Date;
}

const endpoint = endpointsOf<OverviewDeps>('Analytics');

export const overviewEndpoints = [
  endpoint('GET /v1/overview', {
    id: 'getOverview',
    summary: 'Figures of an organization, against the period before',
    who: viewerReads,
    query: OverviewQuery,
    reply: OverviewReply,
    errors: ['not_found'],
    async run({ query, caller }, deps) {
      const { database, sites, now } = deps;
      const chosen = sitesOf(query.site, caller, sites);
      const domains = domainsOf(chosen);
      const { current, previous } = periodsOf(query, now());
      const [totals, before, hours, loop, steps] = await Promise.all([
        totalsOf(database, domains, current),
        totalsOf(database, domains, previous),
        hoursOf(database, domains, current),
        loopOf(database, domains, { current, previous }, now()),
        stepsOf(chosen, caller.organization, deps),
      ]);
      return { ...current, current: totals, previous: before, loop, hours, steps };
    },
  }),
  endpoint('GET /v1/usage', {
    id: 'getUsage',
    summary: 'Questions, tokens, and money by site, model, and key, and what is left of budgets',
    who: viewerReads,
    query: OverviewQuery,
    reply: UsageReply,
    errors: ['not_found'],
    async run({ query, caller }, { config, database, sites, now }) {
      const { organization } = caller;
      const domains = domainsOf(sitesOf(query.site, caller, sites));
      const { current } = periodsOf(query, now());
      const payers = domains.map((domain) => ({ domain, organization }));
      const [hours, spent, budgets] = await Promise.all([
        hoursOf(database, domains, current),
        spentBy(database, { organization, domains }, current),
        readBudgets(database, config.budgets, payers, now()),
      ]);
      return { ...current, hours, ...spent, budgets };
    },
  }),
];

const sitesOf = (
  site: string | undefined,
  caller: Caller,
  sites: Pick<Sites, 'forCaller' | 'ofCaller'>,
): Site[] => (site === undefined ? sites.ofCaller(caller) : [sites.forCaller(site, caller)]);

async function stepsOf(
  chosen: readonly Site[],
  organization: string,
  { database, indexer, retriever }: OverviewDeps,
) {
  const domains = domainsOf(chosen);
  const [pages, asked, used, people] = await Promise.all([
    Promise.all(
      chosen.map(async ({ domain }) =>
        countPages(domain, await indexer.runs.read(domain), retriever),
      ),
    ),
    database.selectFrom('turns').select('id').where('domain', 'in', domains).limit(1).execute(),
    database
      .selectFrom('keys')
      .select('id')
      .where('organization', '=', organization)
      .where('kind', '=', 'assistant')
      .where('last_used_at', 'is not', null)
      .limit(1)
      .execute(),
    database
      .selectFrom('memberships')
      .select('person_id')
      .where('organization', '=', organization)
      .limit(2)
      .execute(),
  ]);
  const done: Record<OverviewReply['steps'][number]['id'], boolean> = {
    index: pages.some((count) => count > 0),
    ask: asked.length > 0,
    install: used.length > 0,
    model: chosen.some(({ model }) => model !== undefined),
    people: people.length > 1,
  };
  return (Object.keys(done) as (keyof typeof done)[]).map((id) => ({ id, isDone: done[id] }));
}
/** An organization without sites has an empty one, because SQL has no empty lists. */
const domainsOf = (sites: readonly Site[]): string[] =>
  sites.length === 0 ? [''] : sites.map(({ domain }) => domain);
