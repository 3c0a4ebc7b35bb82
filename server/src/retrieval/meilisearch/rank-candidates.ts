/** The order of the candidates, by the ranker of the embedded engine. */
import { toFoundPage } from '../found-page.ts';
import { mixRankings, mostMixed } from '../hybrid.ts';
import type { NearPassage } from '../hybrid.ts';
import { createIndexBuilder } from '../index-builder.ts';
import { createNearness } from '../page-path.ts';
import { rank } from '../ranker.ts';
import { passagesOfPage } from '../retriever.ts';
import type { FoundPage, Page, SearchQuery, SearchResult } from '../retriever.ts';
import { findTerm } from '../search-index.ts';
import type { SearchIndex } from '../search-index.ts';
import type { SiteState } from './site-state.ts';

export interface Candidate {
  id: string;
  page: Page;
}

/** What the candidates cannot say of themselves. */
export interface Site {
  state: SiteState;
  /** In how many passages of the whole site each word of the question is. */
  counts: ReadonlyMap<string, number>;
  /** Passages near in meaning, the nearest first; empty where there are no vectors. */
  near: readonly NearPassage<string>[];
}

export function rankCandidates(
  candidates: readonly Candidate[],
  { state, counts, near }: Site,
  query: SearchQuery,
): SearchResult {
  const built = buildIndex(candidates);
  const index: SearchIndex = { ...built, corpus: corpusOf(built, state, counts) };
  const nearness = query.currentPath
    ? createNearness(query.currentPath, state.baseFolder)
    : undefined;
  const { pages: ranked, coverage } = rank(index, {
    text: query.text,
    before: query.before,
    context: query.context ?? [],
    pageSize: near.length > 0 ? Math.max(query.pageSize, mostMixed) : query.pageSize,
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
  const pages = mixed.flatMap((one, place): FoundPage[] => {
    const page = candidates[one.page]?.page;
    if (!page) return [];
    const first = index.firstPassage[one.page] ?? 0;
    const passages = one.passages.slice(0, passagesOfPage(place)).flatMap(({ passage, score }) => {
      const found = page.passages[passage - first];
      return found ? [{ ...found, score }] : [];
    });
    return [toFoundPage(page, one.score, passages)];
  });
  return { pages, coverage };
}

function buildIndex(candidates: readonly Candidate[]): SearchIndex {
  const builder = createIndexBuilder();
  for (const { page } of candidates) builder.add(page);
  const steps = builder.finish();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
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
