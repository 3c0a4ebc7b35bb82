/** Ranks the candidates with the same ranker as the embedded engine. */
import {
  type FoundPage,
  passagesOfPage,
  type SearchQuery,
  type SearchResult,
  toFoundPage,
} from '../retriever.ts';
import { maxMixed, mixRankings, type NearPassage } from '../ranker/hybrid.ts';
import { createIndexBuilder } from '../ranker/index-builder.ts';
import type { PageAnalyzer } from '../ranker/page-terms.ts';
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
  const built = buildIndex(candidates, analyzer, query);
  const index: SearchIndex = { ...built, corpus: corpusOf(built, state, counts) };
  const nearness = query.currentPath
    ? createNearness(query.currentPath, state.baseFolder)
    : undefined;
  const { pages: ranked, coverage } = rank(index, {
    text: query.text,
    before: query.before,
    context: query.context ?? [],
    analyze: analyzer.analyzeText,
    pageSize: near.length > 0 ? Math.max(query.pageSize, maxMixed) : query.pageSize,
    textOf: (number, passage) => {
      const page = candidates[number]?.page;
      const found = page?.passages[passage - (index.firstPassage[number] ?? 0)];
      return { title: page?.title ?? '', heading: found?.heading ?? '', text: found?.text ?? '' };
    },
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

/** Builds an index with only the terms that this question can search for. */
function buildIndex(
  candidates: readonly Candidate[],
  analyzer: PageAnalyzer,
  query: SearchQuery,
): SearchIndex {
  const wanted = wantedTerms(candidates, analyzer, query);
  const builder = createIndexBuilder({ analyzer, isWanted: (term) => wanted[term] === 1 });
  for (const { terms } of candidates) builder.addTerms(terms);
  const steps = builder.finish();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The terms of the question, and possible corrections of misspelled words. */
function wantedTerms(
  candidates: readonly Candidate[],
  analyzer: PageAnalyzer,
  query: SearchQuery,
): Uint8Array {
  const wanted = new Uint8Array(analyzer.words.length);
  const present = new Uint8Array(analyzer.words.length);
  for (const { terms } of candidates) {
    for (const term of terms.terms) present[term] = 1;
  }
  for (const word of possibleTerms(query)) {
    const term = analyzer.numberOf(word);
    if (term !== undefined) wanted[term] = 1;
  }
  const misspelledInitials = new Set<string>();
  for (const word of contentWords(query.text).keys()) {
    const term = analyzer.numberOf(word);
    if (term === undefined || !present[term]) misspelledInitials.add(word.slice(0, 1));
  }
  if (misspelledInitials.size === 0) return wanted;
  for (const [term, word] of analyzer.words.entries())
    if (present[term] && misspelledInitials.has(word.slice(0, 1))) wanted[term] = 1;
  return wanted;
}

function corpusOf(
  built: SearchIndex,
  state: SiteState,
  counts: Site['counts'],
): NonNullable<SearchIndex['corpus']> {
  const all = Uint32Array.from(built.passages.counts);
  for (const [word, count] of counts) {
    const term = findTerm(built, Buffer.from(word));
    if (term >= 0) all[term] = Math.max(count, all[term] ?? 0);
  }
  return { passageCount: Math.max(state.passages, built.passageCount), counts: all };
}
