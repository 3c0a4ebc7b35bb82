/** A reader's question -> the terms that are searched, with what each of them weighs. */
import { Buffer } from 'node:buffer';
import { analyze, terms } from './analysis.ts';
import { foreignStopWords } from './foreign-words.ts';
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

/** Two words that stand side by side in the question. */
export interface WordPair {
  first: string;
  second: string;
  weight: number;
}

export interface PlannedQuestion {
  terms: QuestionTerm[];
  /** Words that carry content: the more there are, the less the page as a whole counts. */
  contentCount: number;
  /** Weight of all asked terms, also of those that the site does not have. */
  askedWeight: number;
  pairs: WordPair[];
}

const weakWeight = 0.5;
/** Rare words of a question are a little less telling than their rarity says: many are a reader's own. */
const rarityEffect = 0.85;
const correctedWeight = 0.8;
const joinedWeight = 1;
const contextWeight = 0.3;
/** What words of the last question, and of the one before, lend to a question that leans on them. */
const beforeWeights = [0.5, 0.25];
/** The rarest words of a selection say what it is about; a long one must not drown the question. */
const contextTerms = 12;
/** What keeps an answer quick, whatever is pasted into a question. */
const limits = { terms: 48, corrections: 8, contextLength: 20_000 };

export interface QuestionText {
  text: string;
  /** Earlier questions that this one leans on, the last first. */
  before?: readonly string[] | undefined;
  context?: readonly string[] | undefined;
}

export function planQuestion(
  index: SearchIndex,
  { text, before = [], context = [] }: QuestionText,
): PlannedQuestion {
  const words = contentWords(text, context.length > 0 || before.length > 0);
  const found = new Map<string, QuestionTerm>();
  let corrections = 0;
  for (const [word, weight] of words) {
    const known = findTerm(index, Buffer.from(word));
    const isCorrected = known < 0 && corrections++ < limits.corrections;
    const term = isCorrected ? correctSpelling(index, word) : known;
    const certainty = isCorrected && term >= 0 ? correctedWeight : 1;
    found.set(word, { term, weight: weight * certainty * rarity(index, term), isAsked: true });
  }
  // A follow-up is one question with what it leans on, of which some is meant and some is not.
  for (const [place, earlier] of before.slice(0, beforeWeights.length).entries()) {
    for (const [word, weight] of contentWords(earlier)) {
      if (found.has(word)) continue;
      const term = findTerm(index, Buffer.from(word));
      const lent = weight * (beforeWeights[place] ?? 0) * rarity(index, term);
      if (term >= 0) found.set(word, { term, weight: lent, isAsked: true });
    }
  }
  const neighbours = joinedPairs(text);
  for (const { joined, parts } of neighbours) {
    const term = findTerm(index, Buffer.from(joined));
    if (term < 0 || found.has(joined)) continue;
    // A pair of common words makes a rare name; it says no more than the two do.
    const both = parts.reduce((sum, part) => sum + (found.get(part)?.weight ?? 0), 0);
    const weight = joinedWeight * Math.min(rarity(index, term), both);
    found.set(joined, { term, weight, isAsked: false });
  }
  const contentCount = [...words.values()].filter((weight) => weight === 1).length;
  const searched = [
    ...heaviest([...found.values()], limits.terms),
    ...contextOf(index, context, found, contentCount === 0),
  ];
  return {
    terms: unique(searched),
    contentCount,
    askedWeight: searched.reduce((sum, one) => sum + (one.isAsked ? one.weight : 0), 0),
    pairs: neighbours.map(({ parts: [first, second] }) => {
      const weight = Math.min(found.get(first)?.weight ?? 0, found.get(second)?.weight ?? 0);
      return { first, second, weight };
    }),
  };
}

function heaviest(from: QuestionTerm[], count: number): QuestionTerm[] {
  return from.length <= count ? from : from.toSorted((a, b) => b.weight - a.weight).slice(0, count);
}

/**
 * Terms of the question without those that only ask. A question of nothing else keeps all its words,
 * unless something is pointed at ("What is this?").
 */
export function contentWords(text: string, hasContext = false): Map<string, number> {
  const words = new Map<string, number>();
  const all = new Map<string, number>();
  const written: string[] = [];
  analyze(text, (_, raw) => written.push(raw));
  const foreign = foreignStopWords(written, stopWords);
  analyze(text, (term, raw) => {
    all.set(term, 1);
    if (stopWords.has(raw) || foreign.has(raw)) return;
    words.set(term, Math.max(words.get(term) ?? 0, weakWords.has(raw) ? weakWeight : 1));
  });
  return words.size > 0 || hasContext ? words : all;
}

/** Every term that a plan for this question may look for, but those that are spelt differently. */
export function possibleTerms({ text, before = [], context = [] }: QuestionText): Set<string> {
  const around = [...before, context.join('\n').slice(0, limits.contextLength)];
  return new Set([
    ...[text, ...around].flatMap(terms),
    ...joinedPairs(text).map(({ joined }) => joined),
  ]);
}

/** Inverse document frequency as in BM25. A word that is nowhere is the rarest. */
export function rarity(index: SearchIndex, term: number): number {
  const { passageCount, counts } = index.corpus ?? {
    passageCount: index.passageCount,
    counts: index.passages.counts,
  };
  const count = term < 0 ? 0 : (counts[term] ?? 0);
  return Math.log(1 + (passageCount - count + 0.5) / (count + 0.5)) ** rarityEffect;
}

/** "read images" also finds `read_images`. */
function joinedPairs(text: string): { joined: string; parts: [string, string] }[] {
  const pairs: { joined: string; parts: [string, string] }[] = [];
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
function unique(searched: QuestionTerm[]): QuestionTerm[] {
  const best = new Map<number, QuestionTerm>();
  for (const one of searched) {
    if (one.term >= 0 && one.weight > (best.get(one.term)?.weight ?? 0)) best.set(one.term, one);
  }
  return [...best.values()];
}

/** If the question itself names nothing, the context is what is asked about. */
function contextOf(
  index: SearchIndex,
  context: readonly string[],
  found: Map<string, unknown>,
  isAsked: boolean,
): QuestionTerm[] {
  const words = new Set<string>();
  analyze(context.join('\n').slice(0, limits.contextLength), (term, raw) => {
    if (!stopWords.has(raw) && !weakWords.has(raw) && !found.has(term)) words.add(term);
  });
  const known = [...words].map((word) => findTerm(index, Buffer.from(word)));
  const weighed = known
    .filter((term) => term >= 0)
    .map((term): QuestionTerm => {
      return { term, weight: (isAsked ? 1 : contextWeight) * rarity(index, term), isAsked };
    });
  return heaviest(weighed, contextTerms);
}
