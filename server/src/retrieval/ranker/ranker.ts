/**
 * Question -> pages in order. Evidence of two levels is mixed: the best passages of a page and the
 * page as a whole.
 */
import { createCloseLook } from './closeness.ts';
import type { PassageText } from './closeness.ts';
import { planQuestion } from './question.ts';
import type { PlannedQuestion } from './question.ts';
import { addPostings } from './search-index.ts';
import type { Postings, SearchIndex } from './search-index.ts';

/** What the second, third and fourth best passage of a page add to the best one's score. */
const passageShares = [0.3, 0.09, 0.027] as const;
const passagesPerPage = 4;
/** Share of the page as a whole for a question of up to `fewTerms` content words, and how it falls. */
const pageShare = { start: 0.5, perTerm: 0.05, least: 0.25, fewTerms: 3 };
/** How much it counts that a document has all the words rather than one of them often. */
const coverageEffect = Math.sqrt;
/** The most that nearness to the reader's page adds, where the best page has 1. */
const nearnessShare = 0.15;
/** How many pages get a second look, and how many of their best passages are read for it. */
const reranking = { pages: 20, passages: 2 };

export interface RankQuery {
  text: string;
  before?: readonly string[] | undefined;
  context?: readonly string[];
  pageSize: number;
  /** Heading and prose of a passage, by its number in the whole index, and the title of its page. */
  textOf: (page: number, passage: number) => PassageText;
  /** Who reads the same texts again and again remembers their terms. */
  analyze?: ((text: string, emit: (term: string) => void) => void) | undefined;
  /** Whether the reader may see a page. */
  isVisible?: ((page: number) => boolean) | undefined;
  /** 0 to 1: how near a page is to the one that the reader looks at. */
  nearness?: ((page: number) => number) | undefined;
}

export interface RankedPage {
  page: number;
  score: number;
  /** Numbers of its best passages in the whole index, best first, at most four. */
  passages: { passage: number; score: number }[];
}

export interface Ranking {
  pages: RankedPage[];
  coverage: number;
}

export function rank(index: SearchIndex, query: RankQuery): Ranking {
  const question = planQuestion(index, query);
  if (question.terms.length === 0) return { pages: [], coverage: 0 };
  const passages = score(index.passages, index.passageCount, question);
  const pages = score(index.pages, index.pageCount, question);
  const share = Math.max(
    pageShare.least,
    pageShare.start - pageShare.perTerm * Math.max(0, question.contentCount - pageShare.fewTerms),
  );
  const mixed = new Float32Array(index.pageCount);
  const found: number[] = [];
  for (let page = 0; page < index.pageCount; page += 1) {
    const whole = pages.scores[page] ?? 0;
    if (whole === 0 || (query.isVisible && !query.isVisible(page))) continue;
    mixed[page] = (1 - share) * bestParts(index, page, passages.scores) + share * whole;
    found.push(page);
  }
  const nearer = addNearness(mixed, found, query.nearness);
  const best = highest(nearer, found, Math.max(query.pageSize, reranking.pages));
  const ranked = best.map((page): RankedPage => {
    return { page, score: mixed[page] ?? 0, passages: bestPassages(index, page, passages.scores) };
  });
  rerank(index, question, ranked, query);
  // Nearness chose who is looked at; now it counts beside what the second look gave.
  addNearnessTo(ranked, query.nearness);
  const shown = ranked.slice(0, query.pageSize);
  return { pages: shown, coverage: coverageOf(shown, passages.covered) };
}

/** Only ever raises a score, so whoever gets no second look stays behind those who do. */
function rerank(
  index: SearchIndex,
  question: PlannedQuestion,
  ranked: RankedPage[],
  { textOf, analyze }: RankQuery,
): void {
  const look = createCloseLook(index, question, analyze);
  for (const one of ranked.slice(0, reranking.pages)) {
    const read = one.passages.slice(0, reranking.passages);
    one.score *= look.of(
      one.page,
      read.map(({ passage }) => textOf(one.page, passage)),
    );
  }
}

interface Scores {
  scores: Float32Array;
  /** Idf-weighted share of the question's words that each document has. */
  covered: Float32Array;
}

function score(postings: Postings, count: number, question: PlannedQuestion): Scores {
  const scores = new Float32Array(count);
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
  return { scores, covered };
}

/** The best four passages of a page in one number. Called for every page found, so it allocates nothing. */
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

/** The best few of many, best first; of equals the earlier one. Sorting all of them takes longer. */
function highest(mixed: Float32Array, found: number[], count: number): number[] {
  const best: number[] = [];
  for (const page of found) {
    const value = mixed[page] ?? 0;
    if (best.length === count && value <= (mixed[best.at(-1) ?? 0] ?? 0)) continue;
    let place = best.length;
    while (place > 0 && (mixed[best[place - 1] ?? 0] ?? 0) < value) place -= 1;
    best.splice(place, 0, page);
    if (best.length > count) best.pop();
  }
  return best;
}

function coverageOf(pages: RankedPage[], covered: Float32Array): number {
  const shares = pages.flatMap((page) => page.passages.map((one) => covered[one.passage] ?? 0));
  return Math.min(
    1,
    shares.reduce((most, share) => Math.max(most, share), 0),
  );
}
