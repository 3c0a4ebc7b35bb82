/** The engine inside the process: one folder per site, nothing to install. */
import { join } from 'node:path';
import type { SearchFilter } from '@docent/shared/assistant';
import { DocentError } from '../../platform/errors.ts';
import { type Embedder, embedQuestion } from '../embedder.ts';
import {
  isVisible as isPageVisible,
  maximumPageSize,
  notFoundBelow,
  type Retriever,
  type SearchResult,
} from '../retriever.ts';
import { languageAttempts } from '../languages.ts';
import { findPages, type Searched, nearestPassages } from '../ranker/hybrid.ts';
import { folderName, normalizePath } from '../page-path.ts';
import { createSiteIndex, type OpenSite, type SiteIndex } from './site-index.ts';
import { isComparable, isMadeBy, isOfUse } from '../vectors.ts';

export interface EmbeddedRetrieverOptions {
  /** The folder for indexes; each domain has a subfolder. */
  folder: string;
  log?: { warn(fields: object, message: string): void };
  embedder?: Embedder | undefined;
}

export function createEmbeddedRetriever(options: EmbeddedRetrieverOptions): Retriever {
  const { folder, log, embedder } = options;
  const sites = new Map<string, SiteIndex>();
  let isClosed = false;

  function siteOf(domain: string): SiteIndex {
    if (isClosed) throw new DocentError('unavailable', 'The search index is closed.');
    let site = sites.get(domain);
    if (!site) {
      site = createSiteIndex(
        join(folder, folderName(domain)),
        (message, error) => log?.warn({ domain, error }, message),
        embedder,
      );
      sites.set(domain, site);
    }
    return site;
  }

  return {
    async search(domain, query, signal) {
      signal?.throwIfAborted();
      const vectors = (await siteOf(domain).current())?.vectors;
      const vector =
        embedder && isComparable(vectors, embedder) && isOfUse(vectors, query)
          ? await embedQuestion(embedder, vectors, query, log, signal)
          : undefined;
      // From here on, nothing awaits, because the file must not be replaced during a search.
      const site = await siteOf(domain).current();
      signal?.throwIfAborted();
      if (!site) return { pages: [], confidence: 0 };
      const pageSize = Math.min(Math.max(1, Math.trunc(query.pageSize)), maximumPageSize);
      // An indexing run may have removed the vectors in the meantime.
      const hasVectors = site.vectors?.dimensions === vector?.length;
      const values = hasVectors ? site.vectors?.values : undefined;
      const searched: Searched = {
        index: site.index,
        baseFolder: site.baseFolder,
        trust: site.vectors?.trust,
        headOf: (page) => site.heads[page],
        termsOf: (page) => site.readTerms(page),
        passageOf: (page, passage) => site.readPassage(page, passage),
      };
      let found: SearchResult = { pages: [], confidence: 0 };
      for (const languages of languageAttempts(site.languages, query)) {
        const isVisible = (page: number) => isSeen(site, page, query.filter, languages);
        const near =
          vector && values && nearestPassages(vector, values, site.index.firstPassage, isVisible);
        found = findPages(searched, { ...query, pageSize }, near, isVisible);
        if (found.confidence >= notFoundBelow) break;
      }
      return found;
    },

    async page(domain, path, filter) {
      const site = await siteOf(domain).current();
      const page = site?.pageAt(normalizePath(path));
      if (!site || page === undefined || !isSeen(site, page, filter)) return undefined;
      return site.readPage(page);
    },

    async hashes(domain) {
      const site = await siteOf(domain).newest();
      // With another embedder, every page counts as changed.
      const isCurrent = isMadeBy(site?.vectors, embedder);
      return new Map(site?.heads.map((head) => [head.path, isCurrent ? head.hash : '']));
    },

    async apply(domain, changes, applyOptions) {
      await siteOf(domain).apply(changes, applyOptions);
    },

    async check() {
      return 'ready';
    },

    embedderState: () => embedder?.state(),
    trust: async (domain) => (await siteOf(domain).current())?.vectors?.trust,

    async close() {
      isClosed = true;
      for (const site of sites.values()) site.close();
      sites.clear();
    },
  };
}

function isSeen(
  site: OpenSite,
  page: number,
  filter: SearchFilter | undefined,
  languages?: readonly string[],
): boolean {
  const head = site.heads[page];
  return head !== undefined && isPageVisible(head, filter, languages);
}
