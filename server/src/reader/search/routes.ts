import { PageRequest, PageResponse, SearchRequest, SearchResponse } from '@docent/shared/search';
import { countedHeaders, endpointsOf, json } from '../../platform/http/endpoint.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import type { PaidSearch } from './paid-search.ts';
import { readPage, searchDocs } from './search-docs.ts';

interface SearchEndpointDeps {
  limits: Pick<Limits, 'lookups'>;
  retriever: Retriever;
  paidSearch: Pick<PaidSearch, 'search'>;
}

const endpoint = endpointsOf<SearchEndpointDeps>('Search');

/** Search without an answer (decisions, "Sibling endpoints"). */
export const searchEndpoints = [
  endpoint('POST /discovery/v1/search/{domain}', {
    id: 'searchDocumentation',
    summary: 'Search the documentation',
    who: { key: 'search' },
    body: SearchRequest,
    reply: json(SearchResponse, 'Pages, the best first.', { headers: countedHeaders }),
    errors: ['unavailable'],
    async run({ site, caller, body, request, response, signal }, { limits, paidSearch }) {
      await limits.lookups.perCaller(request, response);
      const { id: callerId, organization } = caller;
      const payer = { callerId, organization, domain: site.domain };
      return searchDocs(body, site, caller, (query) => paidSearch.search(payer, query, signal));
    },
  }),

  endpoint('POST /discovery/v1/page/{domain}', {
    id: 'getPageContent',
    summary: 'Read one page',
    who: { key: 'search' },
    body: PageRequest,
    reply: json(PageResponse, 'The page as Markdown.', { headers: countedHeaders }),
    errors: ['unavailable'],
    async run({ site, caller, body, request, response }, { limits, retriever }) {
      await limits.lookups.perCaller(request, response);
      return readPage(body, site, caller, retriever);
    },
  }),
];
