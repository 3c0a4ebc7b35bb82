/**
 * What both engines do with pages that may answer a question: rank them, and take the best passages. Hybrid
 * search combines the ranker's pages with the passages whose vectors are nearest to the
 * question's. Scores are scaled and mixed (a convex combination). Unlike a combination of ranks, this
 * keeps how much better the first result is than the second.
 */
import { similarity } from '../vectors.ts';
import { rank, type Ranked } from './ranker.ts';
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
import type { PageTerms } from './page-terms.ts';
import type { SearchIndex } from './search-index.ts';

/** The most that meaning counts; the rest is the weight of words. */
const mostMeaning = 0.3;
/** To measure vectors alone. */
export const vectorsOnly = { trust: 1, confidence: 0 };
/** The number of pages to mix from each list. */
export const maxMixed = 50;
const passagesPerPage = 4;

/** A passage whose vector is near the question's. */
export interface NearPassage<Id> {
  page: Id;
  passage: number;
  similarity: number;
}

/**
 * Both lists are sorted, best first. Meaning counts less the better the words of the question match
 * (`confidence`), and the worse the vectors are (`trust`); both are 0 to 1. So vectors help where words
 * don't, and bad vectors do no harm.
 */
export function mixRankings<Id>(
  words: readonly Ranked<Id>[],
  near: readonly NearPassage<Id>[],
  pageSize: number,
  { trust = 0.5, confidence }: { trust?: number | undefined; confidence: number },
): Ranked<Id>[] {
  const meaningShare = mostMeaning * trust * (1 - confidence) ** 2;
  const top = words[0]?.score || 1;
  const topPassage =
    words
      .flatMap(({ passages }) => passages)
      .reduce((most, { score }) => Math.max(most, score), 0) || 1;
  const nearest = near[0]?.similarity ?? 0;
  const least = near.at(-1)?.similarity ?? 0;
  const range = nearest - least || 1;
  const meaning = (value: number): number => (meaningShare * (value - least)) / range;

  const mixed = new Map<Id, { score: number; passages: Map<number, number> }>();
  for (const { page, score, passages } of words) {
    const own = passages.map((one): [number, number] => [
      one.passage,
      ((1 - meaningShare) * one.score) / topPassage,
    ]);
    mixed.set(page, { score: ((1 - meaningShare) * score) / top, passages: new Map(own) });
  }
  const seen = new Set<Id>();
  for (const { page, passage, similarity: value } of near) {
    let one = mixed.get(page);
    if (!one) mixed.set(page, (one = { score: 0, passages: new Map() }));
    // A page counts by its nearest passage.
    if (!seen.has(page)) one.score += meaning(value);
    seen.add(page);
    one.passages.set(passage, (one.passages.get(passage) ?? 0) + meaning(value));
  }
  return [...mixed]
    .map(([page, { score, passages }]): Ranked<Id> => {
      const ordered = [...passages].map(([passage, own]) => ({ passage, score: own }));
      ordered.sort((a, b) => b.score - a.score || a.passage - b.passage);
      return { page, score, passages: ordered.slice(0, passagesPerPage) };
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, pageSize);
}

/** The passages nearest to a question, from at most `maxMixed` pages. */
export function nearestPassages(
  question: Float32Array,
  values: Int8Array,
  firstPassage: Uint32Array,
  isVisible: (page: number) => boolean,
): NearPassage<number>[] {
  const best: { page: number; similarity: number; all: NearPassage<number>[] }[] = [];
  for (let page = 0; page + 1 < firstPassage.length; page += 1) {
    if (!isVisible(page)) continue;
    const all: NearPassage<number>[] = [];
    let most = -1;
    for (
      let passage = firstPassage[page] ?? 0;
      passage < (firstPassage[page + 1] ?? 0);
      passage += 1
    ) {
      const value = similarity(question, values, passage * question.length);
      all.push({ page, passage, similarity: value });
      if (value > most) most = value;
    }
    if (all.length > 0) best.push({ page, similarity: most, all });
  }
  best.sort((a, b) => b.similarity - a.similarity);
  const pages = best.slice(0, maxMixed);
  const least = pages.at(-1)?.similarity ?? 0;
  return pages
    .flatMap(({ all }) => all)
    .filter((one) => one.similarity >= least)
    .sort((a, b) => b.similarity - a.similarity);
}

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
