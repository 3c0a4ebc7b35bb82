/**
 * Ranks pages for a question. A page's score mixes two levels: its best passages and the page as a
 * whole.
 */
import { createCloseLook } from './closeness.ts';
import type { PageTerms } from './page-terms.ts';
import { type PlannedQuestion, planQuestion } from './question.ts';
import { addPostings, type Postings, type SearchIndex } from './search-index.ts';

/** The weights of a page's second, third, and fourth best passage; the best one has 1. */
const passageShares = [0.3, 0.09, 0.027] as const;
const passagesPerPage = 4;
/** The weight of the page as a whole. It falls with each content word after the first `fewTerms`. */
const pageShare = { start: 0.5, perTerm: 0.05, least: 0.25, fewTerms: 3 };
/** Prefers documents with all the words to documents with one word often. */
const coverageEffect = Math.sqrt;
/** The maximum that nearness to the reader's page adds, relative to the best page's score. */
const nearnessShare = 0.15;
/** How fast the share of its words that a question needs falls with their number. */
const lengthEffect = 0.6;
/** A logistic regression over four sites: the match whose confidence is 0.5, and how steeply it rises. */
const certainty = { even: 0.434, slope: 5 };
/** The number of pages to rerank, and of passages to read in each. */
const reranking = { pages: 20, passages: 2 };

export interface RankQuery {
  text: string;
  before?: readonly string[] | undefined;
  context?: readonly string[];
  pageSize: number;
  termsOf: (page: number) => PageTerms;
  /** Whether the reader may see a page. */
  isVisible?: ((page: number) => boolean) | undefined;
  /** How near a page is to the reader's page, 0 to 1. */
  nearness?: ((page: number) => number) | undefined;
}

export interface Ranked<Id> {
  page: Id;
  score: number;
  /** The best passages, at most four, best first; of the ranker, by their numbers in the whole index. */
  passages: { passage: number; score: number }[];
}

export type RankedPage = Ranked<number>;

export function rank(
  index: SearchIndex,
  query: RankQuery,
): { pages: RankedPage[]; confidence: number } {
  const question = planQuestion(index, query);
  if (question.terms.length === 0) return { pages: [], confidence: 0 };
  const passages = score(index.passages, index.passageCount, question);
  const pages = score(index.pages, index.pageCount, question);
  const share = Math.max(
    pageShare.least,
    pageShare.start - pageShare.perTerm * Math.max(0, question.contentCount - pageShare.fewTerms),
  );
  const mixed = new Float32Array(index.pageCount);
  const found: number[] = [];
  for (let page = 0; page < index.pageCount; page += 1) {
    const whole = pages[page] ?? 0;
    if (whole === 0 || (query.isVisible && !query.isVisible(page))) continue;
    mixed[page] = (1 - share) * bestParts(index, page, passages) + share * whole;
    found.push(page);
  }
  const nearer = addNearness(mixed, found, query.nearness);
  const best = highest(nearer, found, Math.max(query.pageSize, reranking.pages));
  const ranked = best.map((page): RankedPage => {
    return { page, score: mixed[page] ?? 0, passages: bestPassages(index, page, passages) };
  });
  const confidence = confidenceOf(ranked.slice(0, reranking.pages), question);
  rerank(index, question, ranked, query);
  // Nearness decided which pages are reranked; now it counts in addition to the new scores.
  addNearnessTo(ranked, query.nearness);
  return { pages: ranked.slice(0, query.pageSize), confidence };
}

/** Raises scores only, so that pages that aren't reranked stay behind the others. */
function rerank(
  index: SearchIndex,
  question: PlannedQuestion,
  ranked: RankedPage[],
  { termsOf }: RankQuery,
): void {
  const look = createCloseLook(index, question);
  for (const one of ranked.slice(0, reranking.pages)) {
    const first = index.firstPassage[one.page] ?? 0;
    const best = one.passages.slice(0, reranking.passages);
    const { factor, sections } = look(
      termsOf(one.page),
      best.map(({ passage }) => passage - first),
    );
    one.score *= factor;
    for (const found of one.passages) found.score *= sections[found.passage - first] ?? 1;
    one.passages.sort((a, b) => b.score - a.score || a.passage - b.passage);
  }
}

function score(postings: Postings, count: number, question: PlannedQuestion): Float32Array {
  const scores = new Float32Array(count);
  /** The IDF-weighted share of the question's words in each document. */
  const covered = new Float32Array(count);
  const all = question.askedWeight || 1;
  for (const { term, weight, isAsked } of question.terms) {
    addPostings(postings, term, weight, isAsked ? weight / all : 0, scores, covered);
  }
  for (let document = 0; document < count; document += 1) {
    const value = scores[document] ?? 0;
    if (value > 0)
      scores[document] = value * coverageEffect(Math.max(covered[document] ?? 0, 0.01));
  }
  return scores;
}

/** Combines the scores of a page's best four passages. It runs for every page found, so it allocates nothing. */
function bestParts(index: SearchIndex, page: number, scores: Float32Array): number {
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  const end = index.firstPassage[page + 1] ?? 0;
  for (let passage = index.firstPassage[page] ?? 0; passage < end; passage += 1) {
    const value = scores[passage] ?? 0;
    if (value <= fourth) continue;
    fourth = value;
    if (value > third) [fourth, third] = [third, value];
    if (value > second) [third, second] = [second, value];
    if (value > first) [second, first] = [first, value];
  }
  return first + passageShares[0] * second + passageShares[1] * third + passageShares[2] * fourth;
}

function bestPassages(
  index: SearchIndex,
  page: number,
  scores: Float32Array,
): RankedPage['passages'] {
  const found: RankedPage['passages'] = [];
  const end = index.firstPassage[page + 1] ?? 0;
  for (let passage = index.firstPassage[page] ?? 0; passage < end; passage += 1) {
    const value = scores[passage] ?? 0;
    if (value > 0) found.push({ passage, score: value });
  }
  found.sort((a, b) => b.score - a.score || a.passage - b.passage);
  return found.slice(0, passagesPerPage);
}

function addNearness(
  mixed: Float32Array,
  found: number[],
  nearness: RankQuery['nearness'],
): Float32Array {
  if (!nearness) return mixed;
  const nearer = new Float32Array(mixed.length);
  const top = found.reduce((most, page) => Math.max(most, mixed[page] ?? 0), 0);
  for (const page of found)
    nearer[page] = (mixed[page] ?? 0) + nearnessShare * top * nearness(page);
  return nearer;
}

function addNearnessTo(ranked: RankedPage[], nearness: RankQuery['nearness']): void {
  const top = ranked.reduce((most, { score: value }) => Math.max(most, value), 0);
  for (const one of ranked) one.score += nearnessShare * top * (nearness?.(one.page) ?? 0);
  ranked.sort((a, b) => b.score - a.score || a.page - b.page);
}

/** The best pages, best first; on ties, the earlier page. Faster than sorting all of them. */
function highest(mixed: Float32Array, found: number[], count: number): number[] {
  const best: number[] = [];
  for (const page of found) {
    const value = mixed[page] ?? 0;
    if (best.length === count && value <= (mixed[best.at(-1) ?? 0] ?? 0)) continue;
    let position = best.length;
    while (position > 0 && (mixed[best[position - 1] ?? 0] ?? 0) < value) position -= 1;
    best.splice(position, 0, page);
    if (best.length > count) best.pop();
  }
  return best;
}

/**
 * How well the best passage matches the question: the mean impact of the question's words, weighted by
 * rarity. A long question needs a smaller share of its words, because not all of them matter.
 */
function confidenceOf(pages: RankedPage[], { askedWeight, askedCount }: PlannedQuestion): number {
  let best = 0;
  for (const page of pages)
    for (const passage of page.passages) best = Math.max(best, passage.score);
  const match = (best / (askedWeight || 1)) * askedCount ** lengthEffect;
  return 1 / (1 + (certainty.even / match) ** certainty.slope);
}
