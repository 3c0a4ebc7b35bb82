/** A reader's question -> the terms that are searched, with what each of them weighs. */
import { Buffer } from 'node:buffer';
import { analyze, terms } from './analysis.ts';
import { findTerm } from './search-index.ts';
import type { SearchIndex } from './search-index.ts';
import { correctSpelling } from './spelling.ts';
import { stopWords, weakWords } from './words.ts';

export interface QuestionTerm {
  /** Number in the index; -1 if the site does not have it. */
  term: number;
  /** Rarity of the word on this site, times what it counts in this question. */
  weight: number;
  /** Counts towards coverage: a word of the question itself. */
  isAsked: boolean;
}

export interface PlannedQuestion {
  terms: QuestionTerm[];
  /** Words that carry content: the more there are, the less the page as a whole counts. */
  contentCount: number;
  /** Weight of all asked terms, also of those that the site does not have. */
  askedWeight: number;
}

const weakWeight = 0.4;
const correctedWeight = 0.8;
const joinedWeight = 1;
const contextWeight = 0.3;
/** The rarest words of a selection say what it is about; a long one must not drown the question. */
const contextTerms = 12;

export function planQuestion(
  index: SearchIndex,
  text: string,
  context: readonly string[] = [],
): PlannedQuestion {
  const words = wordsOf(text);
  const found = new Map<string, QuestionTerm>();
  for (const [word, weight] of words) found.set(word, lookUp(index, word, weight));
  for (const { joined, parts } of joinedPairs(text)) {
    const term = findTerm(index, Buffer.from(joined));
    if (term < 0 || found.has(joined)) continue;
    // A pair of common words makes a rare name; it says no more than the two do.
    const most = parts.reduce((sum, part) => sum + (found.get(part)?.weight ?? 0), 0);
    const weight = joinedWeight * Math.min(rarity(index, term), most);
    found.set(joined, { term, weight, isAsked: false });
  }
  const searched = [...found.values()];
  const asked = searched.filter((one) => one.isAsked);
  return {
    terms: [...unique(searched), ...contextOf(index, context, found)],
    contentCount: [...words.values()].filter((weight) => weight === 1).length,
    askedWeight: asked.reduce((sum, one) => sum + one.weight, 0),
  };
}

/** Terms of the question without those that only ask. A question of nothing else keeps all its words. */
function wordsOf(text: string): Map<string, number> {
  const words = new Map<string, number>();
  const all = new Map<string, number>();
  analyze(text, (term, raw) => {
    all.set(term, 1);
    if (stopWords.has(raw)) return;
    words.set(term, Math.max(words.get(term) ?? 0, weakWords.has(raw) ? weakWeight : 1));
  });
  return words.size > 0 ? words : all;
}

function lookUp(index: SearchIndex, word: string, weight: number): QuestionTerm {
  const term = findTerm(index, Buffer.from(word));
  if (term >= 0) return { term, weight: weight * rarity(index, term), isAsked: true };
  const near = correctSpelling(index, word);
  if (near >= 0)
    return { term: near, weight: weight * correctedWeight * rarity(index, near), isAsked: true };
  return { term: -1, weight: weight * rarity(index, -1), isAsked: true };
}

/** Inverse document frequency as in BM25. A word that is nowhere is the rarest. */
export function rarity(index: SearchIndex, term: number): number {
  const count = term < 0 ? 0 : (index.passages.counts[term] ?? 0);
  return Math.log(1 + (index.passageCount - count + 0.5) / (count + 0.5));
}

/** "read images" also finds `read_images`. */
function joinedPairs(text: string): { joined: string; parts: string[] }[] {
  const pairs: { joined: string; parts: string[] }[] = [];
  let before = { term: '', raw: '' };
  analyze(text, (term, raw) => {
    if (before.raw && !stopWords.has(raw) && !stopWords.has(before.raw)) {
      const joined = terms(before.raw + raw)[0];
      if (joined) pairs.push({ joined, parts: [before.term, term] });
    }
    before = { term, raw };
  });
  return pairs;
}

/** Two words may be corrected to one term. */
function unique(terms: QuestionTerm[]): QuestionTerm[] {
  const best = new Map<number, QuestionTerm>();
  for (const one of terms) {
    if (one.term >= 0 && one.weight > (best.get(one.term)?.weight ?? 0)) best.set(one.term, one);
  }
  return [...best.values()];
}

function contextOf(
  index: SearchIndex,
  context: readonly string[],
  asked: Map<string, unknown>,
): QuestionTerm[] {
  const words = new Map<string, number>();
  for (const text of context) {
    analyze(text, (term, raw) => {
      if (!stopWords.has(raw) && !weakWords.has(raw) && !asked.has(term))
        words.set(term, (words.get(term) ?? 0) + 1);
    });
  }
  return [...words.keys()]
    .map((word) => findTerm(index, Buffer.from(word)))
    .filter((term) => term >= 0)
    .map((term): QuestionTerm => ({
      term,
      weight: contextWeight * rarity(index, term),
      isAsked: false,
    }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, contextTerms);
}
