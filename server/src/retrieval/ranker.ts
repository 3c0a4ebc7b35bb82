/**
 * Question -> pages in order. Evidence of two levels is mixed: the best passages of a page and the
 * page as a whole.
 */
import { planQuestion } from './question.ts';
import type { PlannedQuestion } from './question.ts';
import { addPostings } from './search-index.ts';
import type { Postings, SearchIndex } from './search-index.ts';

/** What the best, second, third and fourth passage of a page add to its score. */
const passageShares = [1, 0.3, 0.09, 0.027];
/** Share of the page as a whole for a question of up to `fewTerms` content words, and how it falls. */
const pageShare = { start: 0.5, perTerm: 0.05, least: 0.25, fewTerms: 3 };
/** How much it counts that a document has all the words rather than one of them often. */
const coveragePower = 0.5;
/** The most that nearness to the reader's page adds, where the best page has 1. */
const nearnessShare = 0.1;

export interface RankQuery {
  text: string;
  context?: readonly string[];
  pageSize: number;
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
  const question = planQuestion(index, query.text, query.context);
  if (question.terms.length === 0) return { pages: [], coverage: 0 };
  const passages = score(index.passages, index.passageCount, question);
  const pages = score(index.pages, index.pageCount, question);
  const share = Math.max(
    pageShare.least,
    pageShare.start - pageShare.perTerm * Math.max(0, question.contentCount - pageShare.fewTerms),
  );
  const found: RankedPage[] = [];
  for (let page = 0; page < index.pageCount; page += 1) {
    const whole = pages.scores[page] ?? 0;
    if (whole === 0 || (query.isVisible && !query.isVisible(page))) continue;
    const best = bestPassages(index, page, passages.scores);
    const parts = best.reduce((sum, one, place) => sum + one.score * (passageShares[place] ?? 0), 0);
    found.push({ page, score: (1 - share) * parts + share * whole, passages: best });
  }
  addNearness(found, query.nearness);
  found.sort((a, b) => b.score - a.score || a.page - b.page);
  const shown = found.slice(0, query.pageSize);
  return { pages: shown, coverage: coverageOf(shown, passages.covered) };
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
    if (value > 0) scores[document] = value * Math.max(covered[document] ?? 0, 0.01) ** coveragePower;
  }
  return { scores, covered };
}

function bestPassages(index: SearchIndex, page: number, scores: Float32Array): RankedPage['passages'] {
  const best: RankedPage['passages'] = [];
  const end = index.firstPassage[page + 1] ?? 0;
  for (let passage = index.firstPassage[page] ?? 0; passage < end; passage += 1) {
    const value = scores[passage] ?? 0;
    if (value === 0 || (best.length === passageShares.length && value <= (best.at(-1)?.score ?? 0))) continue;
    best.push({ passage, score: value });
    best.sort((a, b) => b.score - a.score || a.passage - b.passage);
    if (best.length > passageShares.length) best.pop();
  }
  return best;
}

function addNearness(found: RankedPage[], nearness: RankQuery['nearness']): void {
  if (!nearness) return;
  const top = found.reduce((most, one) => Math.max(most, one.score), 0);
  for (const one of found) one.score += nearnessShare * top * nearness(one.page);
}

function coverageOf(pages: RankedPage[], covered: Float32Array): number {
  const shares = pages.flatMap((page) => page.passages.map((one) => covered[one.passage] ?? 0));
  return Math.min(1, shares.reduce((most, share) => Math.max(most, share), 0));
}
