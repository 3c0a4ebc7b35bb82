/** What both engines do with pages that may answer a question: rank them, and take the best passages. */
import { createNearness } from '../page-path.ts';
import {
  type FoundPage,
  type Page,
  type Passage,
  passagesOfPage,
  type SearchQuery,
  type SearchResult,
  toFoundPage,
} from '../retriever.ts';
import { maxMixed, mixRankings, type NearPassage, vectorsOnly } from './hybrid.ts';
import type { PageTerms } from './page-terms.ts';
import { rank } from './ranker.ts';
import type { SearchIndex } from './search-index.ts';

export interface Searched {
  index: SearchIndex;
  /** The longest folder that all pages share. */
  baseFolder: string;
  /** How much vectors count, 0 to 1. */
  trust: number | undefined;
  headOf: (page: number) => Omit<Page, 'markdown' | 'passages'> | undefined;
  termsOf: (page: number) => PageTerms;
  /** A passage by its number in the whole index. */
  passageOf: (page: number, passage: number) => Passage | undefined;
}

/** `near` has the passages by vector, the nearest first; `undefined` without vectors. */
export function findPages(
  { index, baseFolder, trust, headOf, termsOf, passageOf }: Searched,
  { text, before, context = [], pageSize, currentPath, only }: SearchQuery,
  near: readonly NearPassage<number>[] | undefined,
  isVisible?: (page: number) => boolean,
): SearchResult {
  const nearness = currentPath ? createNearness(currentPath, baseFolder) : undefined;
  const { pages: byWords, confidence } = rank(index, {
    text,
    before,
    context,
    pageSize: near ? Math.max(pageSize, maxMixed) : pageSize,
    termsOf,
    isVisible,
    nearness: nearness && ((page) => nearness(headOf(page)?.path ?? '')),
  });
  const ranked = !near
    ? byWords
    : only === 'vectors'
      ? mixRankings([], near, pageSize, vectorsOnly)
      : mixRankings(byWords, near, pageSize, { trust, confidence });
  const pages = ranked.flatMap(({ page, score, passages }, position): FoundPage[] => {
    const head = headOf(page);
    if (!head) return [];
    const found = passages.slice(0, passagesOfPage(position)).flatMap((one) => {
      const passage = passageOf(page, one.passage);
      return passage ? [{ ...passage, score: one.score }] : [];
    });
    return [toFoundPage(head, score, found)];
  });
  return { pages, confidence };
}
