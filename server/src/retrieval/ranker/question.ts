/** Turns a reader's question into weighted search terms. */
import { Buffer } from 'node:buffer';
import { analyze, terms } from './analysis.ts';
import { foreignStopWords, stopWords, weakWords } from './stop-words.ts';
import { findTerm, type SearchIndex, termAt, termsWithPrefix } from './search-index.ts';

export interface QuestionTerm {
  /** The number in the index, or -1 if the site doesn't have the term. */
  term: number;
  /** The rarity of the word on this site times its importance in the question. */
  weight: number;
  /** Whether it's a word of the question itself, which counts toward coverage and confidence. */
  isAsked: boolean;
}

/** Two neighboring words of the question. */
export interface WordPair {
  /** The numbers in the index, or -1 if the site doesn't have the word. */
  first: number;
  second: number;
  weight: number;
}

export interface PlannedQuestion {
  terms: QuestionTerm[];
  /** The number of content words. The more there are, the less the page as a whole counts. */
  contentCount: number;
  /**
   * The weight of all terms of the question, including those that the site doesn't have. A word that was
   * corrected counts as one of them, because it may be the name of something else.
   */
  askedWeight: number;
  /** The number of these terms. */
  askedCount: number;
  /** Each pair once, without stop words. */
  pairs: WordPair[];
}

const weakWeight = 0.5;
/** An exponent below 1, because many rare words in questions are the reader's own. */
const rarityEffect = 0.85;
const correctedWeight = 0.8;
const joinedWeight = 1;
const contextWeight = 0.3;
/** The weights of the last question and of the one before, in a follow-up. */
const beforeWeights = [0.5, 0.25];
/** Only the rarest words of a selection count, so that a long one doesn't outweigh the question. */
const contextTerms = 12;
/** Limits the work for long pasted texts. */
const limits = { terms: 48, corrections: 8, contextLength: 20_000 };

export interface QuestionText {
  text: string;
  /** Earlier questions that this one refers to, the last one first. */
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
  let correctedAway = 0;
  for (const [word, weight] of words) {
    const known = findTerm(index, Buffer.from(word));
    const isCorrected = known < 0 && corrections++ < limits.corrections;
    const term = isCorrected ? correctSpelling(index, word) : known;
    const certainty = isCorrected && term >= 0 ? correctedWeight : 1;
    const searched = weight * certainty * rarity(index, term);
    correctedAway += weight * rarity(index, known) - searched;
    found.set(word, { term, weight: searched, isAsked: true });
  }
  // In a follow-up, some words of the earlier questions matter and some don't.
  for (const [position, earlier] of before.slice(0, beforeWeights.length).entries()) {
    for (const [word, weight] of contentWords(earlier)) {
      if (found.has(word)) continue;
      const term = findTerm(index, Buffer.from(word));
      const lent = weight * (beforeWeights[position] ?? 0) * rarity(index, term);
      if (term >= 0) found.set(word, { term, weight: lent, isAsked: true });
    }
  }
  const neighbours = joinedPairs(text);
  for (const { joined, parts } of neighbours) {
    const term = findTerm(index, Buffer.from(joined));
    if (term < 0 || found.has(joined)) continue;
    // A pair of common words can make a rare name, which must not count more than both words.
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
    askedWeight: searched.reduce((sum, one) => sum + (one.isAsked ? one.weight : 0), correctedAway),
    askedCount: searched.filter((one) => one.isAsked).length,
    pairs: [...new Map(neighbours.map(({ parts }) => [parts.join(' '), parts])).values()].map(
      ([first, second]): WordPair => ({
        first: findTerm(index, Buffer.from(first)),
        second: findTerm(index, Buffer.from(second)),
        weight: Math.min(found.get(first)?.weight ?? 0, found.get(second)?.weight ?? 0),
      }),
    ),
  };
}

function heaviest(from: QuestionTerm[], count: number): QuestionTerm[] {
  return from.length <= count ? from : from.toSorted((a, b) => b.weight - a.weight).slice(0, count);
}

/**
 * The terms of the question without stop words. A question of only stop words keeps all of them, unless
 * there is context to search for ("What is this?").
 */
export function contentWords(text: string, hasContext = false): Map<string, number> {
  const words = new Map<string, number>();
  const all = new Map<string, number>();
  const written: { term: string; raw: string }[] = [];
  analyze(text, (term, raw) => written.push({ term, raw }));
  const foreign = foreignStopWords(written.map(({ raw }) => raw));
  for (const { term, raw } of written) {
    all.set(term, 1);
    if (stopWords.has(raw) || foreign.has(raw)) continue;
    words.set(term, Math.max(words.get(term) ?? 0, weakWords.has(raw) ? weakWeight : 1));
  }
  return words.size > 0 || hasContext ? words : all;
}

/** Every term that the plan for this question may contain, except spelling corrections. */
export function possibleTerms({ text, before = [], context = [] }: QuestionText): Set<string> {
  const around = [...before, context.join('\n').slice(0, limits.contextLength)];
  return new Set([
    ...[text, ...around].flatMap(terms),
    ...joinedPairs(text).map(({ joined }) => joined),
  ]);
}

/** Inverse document frequency as in BM25. Words that the site doesn't have are the rarest. */
export function rarity(index: SearchIndex, term: number): number {
  const { passageCount, counts } = index.corpus ?? index;
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

/** Removes duplicates: two words may be corrected to the same term. */
function unique(searched: QuestionTerm[]): QuestionTerm[] {
  const best = new Map<number, QuestionTerm>();
  for (const one of searched) {
    if (one.term >= 0 && one.weight > (best.get(one.term)?.weight ?? 0)) best.set(one.term, one);
  }
  return [...best.values()];
}

/** The terms of the context. If the question has no content words, the reader asks about the context. */
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

/** A term in only one passage may itself be misspelled. */
const minPassages = 2;

/**
 * Finds the term that is most similar to an unknown word and has the same first letter; on ties, the most
 * frequent one. Allows one typo, or two in long words.
 */
export function correctSpelling(index: SearchIndex, term: string): number {
  if (term.length < 4 || !/^\p{L}+$/u.test(term)) return -1;
  const allowed = term.length >= 8 ? 2 : 1;
  const first = Buffer.from(term.slice(0, 1));
  const bytes = Buffer.byteLength(term);
  let best = -1;
  let bestSlips = allowed + 1;
  let bestCount = minPassages - 1;
  for (const number of termsWithPrefix(index, first)) {
    const length = (index.termStarts[number + 1] ?? 0) - (index.termStarts[number] ?? 0);
    if (Math.abs(length - bytes) > allowed * 2) continue;
    const count = index.counts[number] ?? 0;
    if (count < minPassages) continue;
    const slips = slipsBetween(term, termAt(index, number), allowed);
    if (slips < bestSlips || (slips === bestSlips && slips <= allowed && count > bestCount)) {
      best = number;
      bestSlips = slips;
      bestCount = count;
    }
  }
  return best;
}

/** The number of letters that are added, removed, changed, or swapped, at most `allowed + 1`. */
export function slipsBetween(a: string, b: string, allowed: number): number {
  if (Math.abs(a.length - b.length) > allowed) return allowed + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(cost);
      least = Math.min(least, cost);
    }
    if (least > allowed) return allowed + 1;
    beforeLast = last;
    last = current;
  }
  return Math.min(last[b.length] ?? 0, allowed + 1);
}
