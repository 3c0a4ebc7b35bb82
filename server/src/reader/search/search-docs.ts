import {
  PageRequest,
  PageResponse,
  type SearchHit,
  SearchRequest,
  searchPageSizeDefault,
  SearchResponse,
} from '@docent/shared/search';
import { assertGroups, type Caller } from '../../platform/auth/caller.ts';
import { DocentError } from '../../platform/errors.ts';
import {
  type FoundPage,
  type Retriever,
  type SearchQuery,
  type SearchResult,
  toReaderLine,
} from '../../retrieval/retriever.ts';
import { findPage } from '../../retrieval/page-path.ts';
import { pageUrl, type Site } from '../../platform/tenants/sites.ts';
import { countedHeaders, endpointsOf, json } from '../../platform/http/endpoint.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import type { PaidSearch } from './paid-search.ts';

/**
 * Searches a site without an answer. A page is one result, however many of its sections match.
 *
 * Engines score in different units, so the score combines what all of them return: the confidence
 * that the best passage answers, and the ratio of a page's score to the best page's score.
 */
export async function searchDocs(
  { query, pageSize, scoreThreshold = 0, filter }: SearchRequest,
  site: Site,
  caller: Caller,
  search: (query: SearchQuery) => Promise<SearchResult>,
): Promise<SearchHit[]> {
  assertGroups(caller, filter);
  const { pages, confidence } = await search({
    text: query,
    pageSize: pageSize ?? searchPageSizeDefault,
    ...(filter && { filter }),
  });
  const top = pages[0]?.score ?? 0;
  return pages
    .map((page) => toHit(page, site, top > 0 ? (confidence * page.score) / top : 0))
    .filter((hit) => hit.metadata.score >= scoreThreshold);
}

/**
 * Reads a whole page. The response is the same for a page that the filter hides, a page that doesn't exist,
 * and an address on another site.
 */
export async function readPage(
  { path, filter }: PageRequest,
  site: Site,
  caller: Caller,
  retriever: Pick<Retriever, 'page'>,
): Promise<PageResponse> {
  assertGroups(caller, filter);
  const page = await findPage(retriever, site, path, filter);
  if (!page) throw notFound();
  const url = pageUrl(site.docs, page);
  if (!isOn(url, path)) throw notFound();
  return {
    path: page.path,
    content: page.markdown,
    metadata: { title: toReaderLine(page.title), url, ...editionOf(page) },
  };
}

const notFound = () => new DocentError('not_found', 'There is no page at this path.');

/** Engines only compare paths. If the site's address is unknown, any origin is accepted. */
function isOn(url: string, asked: string): boolean {
  if (!/^https?:\/\//i.test(asked)) return true;
  const own = URL.parse(url)?.origin;
  return own === undefined || URL.parse(asked)?.origin === own;
}

function toHit(page: FoundPage, site: Site, score: number): SearchHit {
  const [best] = page.passages;
  return {
    content: page.passages.map((passage) => passage.markdown).join('\n\n'),
    path: page.path,
    metadata: {
      title: page.title,
      heading: best?.heading ?? page.title,
      url: pageUrl(site.docs, page, best?.anchor),
      score: Math.round(Math.min(1, score) * 1_000) / 1_000,
      ...editionOf(page),
    },
  };
}

function editionOf({ version, language }: { version?: string; language?: string }) {
  return {
    ...(version !== undefined && { version }),
    ...(language !== undefined && { language }),
  };
}

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
