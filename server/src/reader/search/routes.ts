/**
 * Search without an answer (decisions, "Sibling endpoints"):
 *   POST /discovery/v1/search/{domain}  finds pages that match a query, with their best sections
 *   POST /discovery/v1/page/{domain}    reads a whole page
 */
import { PageRequest, SearchRequest } from '@docent/shared/search';
import { type Request, type Response, Router } from 'express';
import { clientGone, jsonBody, parse } from '../../platform/http/request.ts';
import { callerOf, requireKey } from '../../platform/http/require-key.ts';
import type { Keys } from '../../platform/auth/keys.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import type { PaidSearch } from './paid-search.ts';
import type { Sites } from '../../platform/tenants/sites.ts';
import { readPage, searchDocs } from './search-docs.ts';

export interface SearchDeps {
  keys: Keys;
  limits: Limits;
  sites: Sites;
  retriever: Retriever;
  paidSearch: Pick<PaidSearch, 'search'>;
}

type OfSite = Request<{ domain: string }>;

export function createSearchRoutes(deps: SearchDeps): Router {
  const { keys, limits, sites, retriever, paidSearch } = deps;
  const router = Router({ strict: true, caseSensitive: true });
  const { lookups } = limits;
  const isAllowed = [lookups.perAddress, requireKey(keys, 'search'), jsonBody];

  router.post(
    '/discovery/v1/search/:domain',
    ...isAllowed,
    async (request: OfSite, response: Response) => {
      const site = sites.forCaller(request.params.domain, callerOf(response));
      const search = parse(SearchRequest, request.body);
      await lookups.perCaller(request, response);
      const caller = callerOf(response);
      const { keyId, organization } = caller;
      const payer = { keyId, organization, domain: site.domain };
      const gone = clientGone(response);
      response.json(
        await searchDocs(search, site, caller, (query) => paidSearch.search(payer, query, gone)),
      );
    },
  );

  router.post(
    '/discovery/v1/page/:domain',
    ...isAllowed,
    async (request: OfSite, response: Response) => {
      const site = sites.forCaller(request.params.domain, callerOf(response));
      const page = parse(PageRequest, request.body);
      await lookups.perCaller(request, response);
      response.json(await readPage(page, site, callerOf(response), retriever));
    },
  );

  return router;
}
