import { createPageAnalyzer, sizeOfTerms } from '../ranker/page-terms.ts';
import type { PageAnalyzer, PageTerms } from '../ranker/page-terms.ts';
import type { Page } from '../retriever.ts';

/** A page as the ranker reads it: without the Markdown that nobody ranks. */
export type ReadPage = Omit<Page, 'markdown'>;

export interface CachedPage {
  page: ReadPage;
  terms: PageTerms;
}

export interface PageShelf {
  /** Whose numbers the terms of all its pages are. */
  analyzer: PageAnalyzer;
  get(id: string): CachedPage | undefined;
  /** `length` is that of its JSON. */
  add(id: string, page: ReadPage, length: number): CachedPage;
}

export interface CacheLimits {
  bytes: number;
  terms: number;
}

/** Some thousand pages, and a vocabulary of at most about as many bytes again. */
const defaultLimits: CacheLimits = { bytes: 96_000_000, terms: 500_000 };

/**
 * The pages asked for last, with what the analysis has made of them. Their ids name one version each,
 * so nothing in it can be out of date. Terms of pages that are gone stay in the vocabulary, so now and
 * then another shelf begins; who still reads the one before keeps it.
 */
export function createPageCache(limits: CacheLimits = defaultLimits): () => PageShelf {
  let shelf = createShelf(limits.bytes);
  return () => {
    if (shelf.analyzer.words.length > limits.terms) shelf = createShelf(limits.bytes);
    return shelf;
  };
}

function createShelf(maxBytes: number): PageShelf {
  const analyzer = createPageAnalyzer();
  const pages = new Map<string, CachedPage & { bytes: number }>();
  let total = 0;
  return {
    analyzer,
    get(id) {
      const found = pages.get(id);
      if (!found) return undefined;
      pages.delete(id);
      pages.set(id, found);
      return found;
    },
    add(id, page, length) {
      const before = pages.get(id);
      if (before) return before;
      const terms = analyzer.analyze(page);
      const added = { page, terms, bytes: 2 * length + sizeOfTerms(terms) };
      // One huge page must not push out all others.
      if (added.bytes > maxBytes / 10) return added;
      pages.set(id, added);
      total += added.bytes;
      for (const [oldest, { bytes }] of pages) {
        if (total <= maxBytes) break;
        pages.delete(oldest);
        total -= bytes;
      }
      return added;
    },
  };
}
