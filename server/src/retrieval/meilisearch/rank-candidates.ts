/** Keeps the pages of candidates, and ranks them with the same ranker as the embedded engine. */
import type { Page, SearchQuery, SearchResult } from '../retriever.ts';
import { findPages, type NearPassage } from '../ranker/hybrid.ts';
import { buildIndex, countPassages } from '../ranker/index-builder.ts';
import { createPageAnalyzer, type PageAnalyzer, type PageTerms } from '../ranker/page-terms.ts';
import { contentWords, possibleTerms } from '../ranker/question.ts';
import { findTerm, type SearchIndex } from '../ranker/search-index.ts';
import type { SiteState } from './site-state.ts';
import { createLru } from '../../platform/lru.ts';

/** A page without its Markdown, which the ranker doesn't need. */
export type ReadPage = Omit<Page, 'markdown'>;

export interface CachedPage {
  page: ReadPage;
  terms: PageTerms;
}

export type PageShelf = ReturnType<typeof createShelf>;

/** A few thousand pages; the vocabulary takes at most about the same amount of memory again. */
const defaultLimits = { bytes: 96_000_000, terms: 500_000 };

/**
 * Caches the pages used last, with their terms. Ids contain the page's version, so entries never become
 * stale. The vocabulary keeps the terms of evicted pages; when it's full, a new shelf begins, and current
 * readers keep the old one.
 */
export function createPageCache(limits = defaultLimits): () => PageShelf {
  let shelf = createShelf(limits.bytes);
  return () => {
    if (shelf.analyzer.termCount() > limits.terms) shelf = createShelf(limits.bytes);
    return shelf;
  };
}

function createShelf(maxBytes: number) {
  const analyzer = createPageAnalyzer();
  const pages = createLru<string, CachedPage & { bytes: number }>(maxBytes, ({ bytes }) => bytes);
  return {
    /** The analyzer whose numbers the terms of all pages are. */
    analyzer,
    get: (id: string): CachedPage | undefined => pages.get(id),
    /** `length` is the length of the page's JSON. */
    add(id: string, page: ReadPage, length: number): CachedPage {
      const before = pages.get(id);
      if (before) return before;
      const terms = analyzer.analyze(page);
      const added = { page, terms, bytes: 2 * length + terms.bytes.length };
      // One huge page must not evict all others.
      if (added.bytes <= maxBytes / 10) pages.set(id, added);
      return added;
    },
  };
}

export interface Candidate extends CachedPage {
  id: string;
}

/** Facts about the whole site. */
export interface Site {
  analyzer: PageAnalyzer;
  state: SiteState;
  /** The number of passages on the whole site with each word of the question. */
  counts: ReadonlyMap<string, number>;
  /** Passages by vector, the nearest first; empty without vectors. */
  near: readonly NearPassage<string>[];
}

export function rankCandidates(
  candidates: readonly Candidate[],
  site: Site,
  query: SearchQuery,
): SearchResult {
  const { state, near } = site;
  const index = indexCandidates(candidates, site, query);
  const firstOf = (page: number) => index.firstPassage[page] ?? 0;
  const numbers = new Map(candidates.map(({ id }, number) => [id, number]));
  const meant = near.flatMap((one): NearPassage<number>[] => {
    const page = numbers.get(one.page);
    return page === undefined ? [] : [{ ...one, page, passage: firstOf(page) + one.passage }];
  });
  const searched = {
    index,
    baseFolder: state.baseFolder,
    trust: state.embedder?.trust,
    headOf: (page: number) => candidates[page]?.page,
    termsOf: (page: number) => candidates[page]?.terms ?? noTerms,
    passageOf: (page: number, passage: number) =>
      candidates[page]?.page.passages[passage - firstOf(page)],
  };
  return findPages(searched, query, meant.length > 0 ? meant : undefined);
}

const noTerms: PageTerms = { bytes: new Uint8Array(), starts: new Uint32Array(1) };

/** Builds an index with only the terms that this question can search for. */
function indexCandidates(
  candidates: readonly Candidate[],
  { analyzer, state, counts: siteCounts }: Site,
  query: SearchQuery,
): SearchIndex {
  const pages = candidates.map(({ terms }) => terms);
  const counts = countPassages(pages, analyzer.termCount());
  const steps = buildIndex({ analyzer, pages, limits: wantedTerms(counts, analyzer, query) });
  let step = steps.next();
  while (!step.done) step = steps.next();
  const index = step.value;
  for (const [word, count] of siteCounts) {
    const term = findTerm(index, Buffer.from(word));
    if (term >= 0) counts[term] = Math.max(count, counts[term] ?? 0);
  }
  const passageCount = Math.max(state.passages, index.passageCount);
  return { ...index, corpus: { passageCount, counts } };
}

/** The counts of the terms of the question and of possible corrections of misspelled words. */
function wantedTerms(counts: Uint32Array, analyzer: PageAnalyzer, query: SearchQuery): Uint32Array {
  const wanted = new Uint32Array(counts.length);
  for (const word of possibleTerms(query)) {
    const term = analyzer.numberOf(word);
    if (term >= 0) wanted[term] = counts[term] ?? 0;
  }
  /** The first bytes of misspelled words. */
  const initials = new Set<number | undefined>();
  for (const word of contentWords(query.text).keys())
    if (!counts[analyzer.numberOf(word)]) initials.add(Buffer.from(word)[0]);
  if (initials.size === 0) return wanted;
  const { termBytes, termStarts } = analyzer.terms();
  for (const [term, count] of counts.entries())
    if (initials.has(termBytes[termStarts[term] ?? 0])) wanted[term] = count;
  return wanted;
}
