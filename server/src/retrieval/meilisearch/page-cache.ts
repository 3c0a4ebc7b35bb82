import { createPageAnalyzer, type PageTerms } from '../ranker/page-terms.ts';
import type { Page } from '../retriever.ts';
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
