/** The engine for several servers and large sites: Meilisearch stores and finds pages, our ranker sorts them. */
import { join } from 'node:path';
import type { SearchFilter } from '@docent/shared/assistant';
import type { MultiSearchParams } from 'meilisearch';
import { DocentError } from '../../platform/errors.ts';
import { type Embedder, embedQuestion } from '../embedder.ts';
import {
  isVisible,
  maximumPageSize,
  notFoundBelow,
  type Page,
  type Retriever,
  type SearchQuery,
  type SearchResult,
} from '../retriever.ts';
import { languageAttempts } from '../languages.ts';
import { folderName, normalizePath } from '../page-path.ts';
import { isComparable, isOfUse } from '../vectors.ts';
import { candidateQuery, type Hit, mergeCandidates } from './candidates.ts';
import {
  createMeilisearchClient,
  defaultTimeouts,
  isMissing,
  type MeilisearchServer,
  type Timeouts,
  toCallerError,
} from './client.ts';
import {
  addressOf,
  type PageDocument,
  pageOfDocument,
  visibilityFilter,
  namesOf,
  type SiteNames,
} from './documents.ts';
import {
  createPageCache,
  type PageShelf,
  type ReadPage,
  type Candidate,
  rankCandidates,
} from './rank-candidates.ts';
import { createSiteStates, type SiteState, type SiteStates } from './site-state.ts';
import { validFilter } from './site-reader.ts';
import { createSiteWriter, isCurrent, type SiteWriter } from './site-writer.ts';

export interface MeilisearchRetrieverOptions extends MeilisearchServer {
  /** The prefix of our index names. */
  indexPrefix?: string;
  timeouts?: Partial<Timeouts>;
  embedder?: Embedder | undefined;
  /** Where vectors of incomplete runs are kept, in a folder for each site. */
  folder?: string | undefined;
  log?: { warn(fields: object, message: string): void };
}

interface Site {
  names: SiteNames;
  states: SiteStates;
  writer: SiteWriter;
  /** Indexing runs of this process, one after another. */
  applying: Promise<void>;
}

/** How often to read again if the index was replaced in the meantime. */
const maxAttempts = 3;

export function createMeilisearchRetriever(options: MeilisearchRetrieverOptions): Retriever {
  const { indexPrefix = 'docent', embedder, log } = options;
  const client = createMeilisearchClient(options, { ...defaultTimeouts, ...options.timeouts });
  const sites = new Map<string, Site>();
  const currentShelf = createPageCache();
  const closing = new AbortController();

  function siteOf(domain: string): Site {
    if (closing.signal.aborted)
      throw new DocentError('unavailable', 'The search engine is closed.');
    let site = sites.get(domain);
    if (!site) {
      const names = namesOf(indexPrefix, domain);
      const states = createSiteStates(client, names);
      const kept = options.folder && join(options.folder, folderName(domain));
      const writer = createSiteWriter({ client, names, states, embedder, kept });
      site = { names, states, writer, applying: Promise.resolve() };
      sites.set(domain, site);
    }
    return site;
  }

  /** Reads again from the newest state if an indexing run replaced the current one. */
  async function read<Result>(
    site: Site,
    use: (state: SiteState, documents: string) => Promise<Result>,
  ): Promise<Result | undefined> {
    let state = await site.states.current();
    for (let attempt = 1; ; attempt += 1) {
      if (!state) return undefined;
      try {
        return await use(state, site.names.documents(state.documents));
      } catch (error) {
        if (!isMissing(error)) throw error;
        const newest = await site.states.newest();
        if (attempt === maxAttempts || newest?.mark === state.mark) {
          throw new DocentError(
            'unavailable',
            'The search index is incomplete; index the site again.',
            {
              cause: error,
            },
          );
        }
        state = newest;
      }
    }
  }

  async function pagesOf(
    shelf: PageShelf,
    documents: string,
    ids: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<Candidate[]> {
    // Taken from the cache now, because other requests may evict them in the meantime.
    const known = new Map(ids.map((id) => [id, shelf.get(id)]));
    const missing = ids.filter((id) => !known.get(id));
    const { results } =
      missing.length === 0
        ? { results: [] }
        : await client.request(
            (api, init) =>
              // `getDocuments` takes no signal.
              api.httpRequest.post<{ results: Pick<PageDocument, 'id' | 'json'>[] }>({
                path: `indexes/${documents}/documents/fetch`,
                body: { ids: missing, fields: ['id', 'json'], limit: missing.length },
                extraRequestInit: init,
              }),
            { signal },
          );
    const fetched = new Map(results.map(({ id, json }) => [id, json]));
    return ids.flatMap((id) => {
      const json = fetched.get(id);
      const page =
        json === undefined
          ? known.get(id)
          : shelf.add(id, JSON.parse(json) as ReadPage, json.length);
      return page ? [{ id, ...page }] : [];
    });
  }

  async function search(
    domain: string,
    query: SearchQuery,
    signal?: AbortSignal,
  ): Promise<SearchResult> {
    signal?.throwIfAborted();
    const pageSize = Math.min(Math.max(1, Math.trunc(query.pageSize)), maximumPageSize);
    let vector: Float32Array | undefined;
    const found = await read(siteOf(domain), async (state, documents) => {
      if (embedder && isComparable(state.embedder, embedder) && isOfUse(state.embedder, query))
        vector ??= await embedQuestion(embedder, state.embedder, query, log, signal);
      let found: SearchResult | undefined;
      for (const languages of languageAttempts(state.languages ?? [], query)) {
        const asked = candidateQuery(documents, state, { ...query, pageSize }, vector, languages);
        if (!asked) return undefined;
        // oxlint-disable-next-line no-await-in-loop -- the next attempt only if this one has no answer
        const { results } = await client.request(
          (api, init) => api.multiSearch<MultiSearchParams, Hit>({ queries: asked.queries }, init),
          { signal },
        );
        const { ids, counts, near } = mergeCandidates(asked, results, pageSize);
        const shelf = currentShelf();
        // oxlint-disable-next-line no-await-in-loop -- as above
        const pages = await pagesOf(shelf, documents, ids, signal);
        // Meilisearch has already filtered, but one function decides for both engines who sees a page.
        const visible = pages.filter(({ page }) => isVisible(page, query.filter, languages));
        const { analyzer } = shelf;
        found = rankCandidates(visible, { analyzer, state, counts, near }, { ...query, pageSize });
        if (found.confidence >= notFoundBelow) break;
      }
      return found;
    });
    return found ?? { pages: [], confidence: 0 };
  }

  return {
    search,

    async page(domain, path, filter) {
      return read(siteOf(domain), async (state, documents) => {
        const found = await findPage(documents, state, path, filter);
        return found && isVisible(found, filter) ? found : undefined;
      });
    },

    async hashes(domain) {
      const site = siteOf(domain);
      // Not `current`, because an indexing run must compare with the newest state.
      const state = await site.states.newest();
      const held = await read(site, (current) => site.writer.held(current));
      // With other settings or another embedder, every page counts as changed.
      const isSame = !state || isCurrent(state, embedder);
      return new Map(held?.map(({ path, hash }) => [path, isSame ? hash : '']));
    },

    async apply(domain, changes, applyOptions) {
      const site = siteOf(domain);
      const result = site.applying.then(() => site.writer.apply(changes, applyOptions));
      site.applying = result.catch(() => undefined);
      return result.catch((error: unknown) => {
        throw toCallerError(error);
      });
    },

    async check() {
      // Unlike Meilisearch's health endpoint, this one needs the key.
      await client.request((api) => api.getRawIndexes({ limit: 1 }));
      return 'ready';
    },

    embedderState: () => embedder?.state(),
    trust: async (domain) => (await siteOf(domain).states.current())?.embedder?.trust,

    async close() {
      closing.abort();
      await Promise.allSettled([...sites.values()].map((site) => site.applying));
    },
  };

  async function findPage(
    documents: string,
    state: SiteState,
    path: string,
    filter: SearchFilter | undefined,
  ): Promise<Page | undefined> {
    const address = addressOf(path);
    const { results } = await client.request((api) =>
      api.index<Pick<PageDocument, 'json' | 'markdown'>>(documents).getDocuments({
        filter: [
          'kind = page',
          `address = ${address}`,
          ...validFilter(state),
          ...visibilityFilter(filter),
        ],
        fields: ['json', 'markdown'],
        limit: 1,
      }),
    );
    const page = results[0] && pageOfDocument(results[0]);
    return page && normalizePath(page.path) === normalizePath(path) ? page : undefined;
  }
}
