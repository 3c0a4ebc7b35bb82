/**
 * Figures of an organization or of one of its sites. Not in the service document.
 *   GET /v1/overview   a period against the one before, its hours, and what a new owner does next
 *   GET /v1/usage      questions, tokens, and money by site, model, and key, and what is left of budgets
 */
import { type OverviewReply, OverviewQuery, type UsageReply } from '@docent/shared/overview';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { countPages, type Indexer } from '../../docs/indexer/indexer.ts';
import { readBudgets } from '../../budgets/budget-states.ts';
import type { Config } from '../../platform/config/schema.ts';
import { parse } from '../../platform/http/request.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import type { Site, Sites } from '../../platform/tenants/sites.ts';
import { hoursOf, periodsOf, spentBy, totalsOf } from './overview.ts';
import { callerOf } from '../../platform/auth/caller.ts';

export interface OverviewRouteDeps {
  config: Pick<Config, 'budgets'>;
  database: Database;
  mayAccess: RequestHandler[];
  sites: Pick<Sites, 'forCaller' | 'ofCaller'>;
  indexer: Pick<Indexer, 'runs'>;
  retriever: Pick<Retriever, 'hashes'>;
  now: () => Date;
}

export function createOverviewRoutes(deps: OverviewRouteDeps): Router {
  const { config, database, mayAccess, sites, now } = deps;
  const router = Router({ strict: true, caseSensitive: true });
  const sitesOf = (site: string | undefined, response: Response): Site[] => {
    const caller = callerOf(response);
    return site === undefined ? sites.ofCaller(caller) : [sites.forCaller(site, caller)];
  };

  router.get('/v1/overview', ...mayAccess, async (request: Request, response: Response) => {
    const query = parse(OverviewQuery, request.query);
    const chosen = sitesOf(query.site, response);
    const domains = domainsOf(chosen);
    const { current, previous } = periodsOf(query, now());
    const [totals, before, hours, steps] = await Promise.all([
      totalsOf(database, domains, current),
      totalsOf(database, domains, previous),
      hoursOf(database, domains, current),
      stepsOf(chosen, callerOf(response).organization),
    ]);
    response.json({
      ...current,
      current: totals,
      previous: before,
      hours,
      steps,
    } satisfies OverviewReply);
  });

  router.get('/v1/usage', ...mayAccess, async (request: Request, response: Response) => {
    const query = parse(OverviewQuery, request.query);
    const { organization } = callerOf(response);
    const domains = domainsOf(sitesOf(query.site, response));
    const { current } = periodsOf(query, now());
    const payers = domains.map((domain) => ({ domain, organization }));
    const [hours, spent, budgets] = await Promise.all([
      hoursOf(database, domains, current),
      spentBy(database, { organization, domains }, current),
      readBudgets(database, config.budgets, payers, now()),
    ]);
    response.json({ ...current, hours, ...spent, budgets } satisfies UsageReply);
  });

  return router;

  async function stepsOf(chosen: readonly Site[], organization: string) {
    const domains = domainsOf(chosen);
    const [pages, asked, used, people] = await Promise.all([
      Promise.all(
        chosen.map(async ({ domain }) =>
          countPages(domain, await deps.indexer.runs.read(domain), deps.retriever),
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
}

/** An organization without sites has an empty one, because SQL has no empty lists. */
const domainsOf = (sites: readonly Site[]): string[] =>
  sites.length === 0 ? [''] : sites.map(({ domain }) => domain);
