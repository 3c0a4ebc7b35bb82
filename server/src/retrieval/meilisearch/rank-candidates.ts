/** Ranks the candidates with the same ranker as the embedded engine. */
import {
  type FoundPage,
  passagesOfPage,
  type SearchQuery,
  type SearchResult,
  toFoundPage,
} from '../retriever.ts';
import { maxMixed, mixRankings, type NearPassage } from '../ranker/hybrid.ts';
import { buildIndex } from '../ranker/index-builder.ts';
import {
  createTermReader,
  firstTerm,
  type PageAnalyzer,
  type PageTerms,
  storedFields,
} from '../ranker/page-terms.ts';
import { createNearness } from '../page-path.ts';
import { contentWords, possibleTerms } from '../ranker/question.ts';
import { rank } from '../ranker/ranker.ts';
import { findTerm, type SearchIndex } from '../ranker/search-index.ts';
import type { CachedPage } from './page-cache.ts';
import type { SiteState } from './site-state.ts';

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
  { analyzer, state, counts, near }: Site,
  query: SearchQuery,
): SearchResult {
  const built = indexCandidates(candidates, analyzer, query);
  const index: SearchIndex = { ...built, corpus: corpusOf(built, state, counts) };
  const nearness = query.currentPath
    ? createNearness(query.currentPath, state.baseFolder)
    : undefined;
  const { pages: ranked, coverage } = rank(index, {
    text: query.text,
    before: query.before,
    context: query.context ?? [],
    pageSize: near.length > 0 ? Math.max(query.pageSize, maxMixed) : query.pageSize,
    termsOf: (page) => candidates[page]?.terms ?? noTerms,
    nearness: nearness && ((page) => nearness(candidates[page]?.page.path ?? '')),
  });
  const numbers = new Map(candidates.map(({ id }, number) => [id, number]));
  const meant = near.flatMap((one): NearPassage<number>[] => {
    const page = numbers.get(one.page);
    if (page === undefined) return [];
    const passage = (index.firstPassage[page] ?? 0) + one.passage;
    return [{ page, passage, similarity: one.similarity }];
  });
  const mixed = meant.length > 0 ? mixRankings(ranked, meant, query.pageSize) : ranked;
  const pages = mixed.flatMap((one, position): FoundPage[] => {
    const page = candidates[one.page]?.page;
    if (!page) return [];
    const first = index.firstPassage[one.page] ?? 0;
    const passages = one.passages
      .slice(0, passagesOfPage(position))
      .flatMap(({ passage, score }) => {
        const found = page.passages[passage - first];
        return found ? [{ ...found, score }] : [];
      });
    return [toFoundPage(page, one.score, passages)];
  });
  return { pages, coverage };
}

const noTerms: PageTerms = { bytes: new Uint8Array(), starts: new Uint32Array(1) };

/** Builds an index with only the terms that this question can search for. */
function indexCandidates(
  candidates: readonly Candidate[],
  analyzer: PageAnalyzer,
  query: SearchQuery,
): SearchIndex {
  const pages = candidates.map(({ terms }) => terms);
  const steps = buildIndex({ analyzer, pages, wanted: wantedTerms(pages, analyzer, query) });
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The terms of the question, and possible corrections of misspelled words. */
function wantedTerms(
  pages: readonly PageTerms[],
  analyzer: PageAnalyzer,
  query: SearchQuery,
): Uint8Array {
  const { termBytes, termStarts } = analyzer.terms();
  const wanted = new Uint8Array(termStarts.length - 1);
  for (const word of possibleTerms(query)) wanted[analyzer.numberOf(word)] = 1;
  const present = presentTerms(pages, wanted.length);
  /** The first bytes of misspelled words. */
  const initials = new Set<number | undefined>();
  for (const word of contentWords(query.text).keys())
    if (!present[analyzer.numberOf(word)]) initials.add(Buffer.from(word)[0]);
  if (initials.size === 0) return wanted;
  for (const [term, isPresent] of present.entries())
    if (isPresent && initials.has(termBytes[termStarts[term] ?? 0])) wanted[term] = 1;
  return wanted;
}

function presentTerms(pages: readonly PageTerms[], termCount: number): Uint8Array {
  const present = new Uint8Array(termCount);
  const reader = createTermReader();
  for (const page of pages) {
    for (let passage = 0; passage + 1 < page.starts.length; passage += 1) {
      const count = reader.read(page, passage, storedFields.length);
      for (let at = 0; at < count; at += 1) {
        const value = reader.values[at] ?? 0;
        if (value >= firstTerm) present[value - firstTerm] = 1;
      }
    }
  }
  return present;
}

function corpusOf(
  built: SearchIndex,
  state: SiteState,
  counts: Site['counts'],
): NonNullable<SearchIndex['corpus']> {
  const all = Uint32Array.from(built.counts);
  for (const [word, count] of counts) {
    const term = findTerm(built, Buffer.from(word));
    if (term >= 0) all[term] = Math.max(count, all[term] ?? 0);
  }
  return { passageCount: Math.max(state.passages, built.passageCount), counts: all };
}
