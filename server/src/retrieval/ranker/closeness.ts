/**
 * Reranks the best pages by what a sum over words can't see: how much of a page's title and headings the
 * question covers, whether neighbors in the question are neighbors in the text, and how much of the
 * question one sentence contains.
 */
import {
  closeFields,
  createTermReader,
  fieldEnd,
  firstTerm,
  nameFields,
  type PageTerms,
  stopTerms,
} from './page-terms.ts';
import { type PlannedQuestion, rarity } from './question.ts';
import type { SearchIndex } from './search-index.ts';

/** Exponents, fitted on ten documentation sites by leave-one-out cross-validation. */
const effects = { title: 0.48, heading: 0.35, pairs: 0.3, sentence: 0.28 };

/** A word of the question. */
interface Wanted {
  weight: number;
  /** The last sentence that has the word. */
  sentence: number;
  /** The words that follow this one in the question, with the last text that has both as neighbors. */
  next: Map<number, { weight: number; text: number }>;
}

/** The result returns the factor for a page's score, 1 or more; `best` are its best passages. */
export function createCloseLook(
  index: SearchIndex,
  question: PlannedQuestion,
): (page: PageTerms, best: readonly number[]) => number {
  const all = question.askedWeight || 1;
  const allPairs = question.pairs.reduce((sum, { weight }) => sum + weight, 0) || 1;
  const words = wantedWords(question);
  const reader = createTermReader();
  let sentence = 0;
  let text = 0;

  /**
   * The share of a name that the question contains, by rarity, and the weight of those words. A name is a
   * range of the reader's values.
   */
  function matchName(from: number, to: number): { precision: number; weight: number } {
    const { values } = reader;
    const isAsked = (value: number): boolean => (words.get(value - firstTerm)?.weight ?? 0) > 0;
    let at = from;
    while (at < to && !isAsked(values[at] ?? 0)) at += 1;
    let weight = 0;
    if (at === to) return { precision: 0, weight };
    let matched = 0;
    let whole = 0;
    for (const value of new Set(values.subarray(from, to))) {
      const term = value - firstTerm;
      if (term < stopTerms) continue;
      const rare = rarity(index, term);
      whole += rare;
      if (!isAsked(value)) continue;
      matched += rare;
      weight += words.get(term)?.weight ?? 0;
    }
    return { precision: whole === 0 ? 0 : matched / whole, weight };
  }

  /**
   * The share of the question's word pairs that are neighbors in a passage, and the largest share of the
   * question in one sentence: on a long page, a fact is usually in one sentence.
   */
  function matchText(length: number): { pairs: number; sentence: number } {
    const { values } = reader;
    text += 1;
    let pairs = 0;
    let most = 0;
    let sum = 0;
    let before: Wanted | undefined;
    for (let at = 0; at < length; at += 1) {
      const value = values[at] ?? 0;
      if (value < firstTerm) {
        most = Math.max(most, sum);
        sum = 0;
        sentence += 1;
        before = undefined;
        continue;
      }
      const word = words.get(value - firstTerm);
      if (word && word.sentence !== sentence) {
        word.sentence = sentence;
        sum += word.weight;
      }
      const pair = before?.next.get(value - firstTerm);
      if (pair && pair.text !== text) {
        pair.text = text;
        pairs += pair.weight;
      }
      before = word;
    }
    return { pairs: pairs / allPairs, sentence: Math.min(1, most / all) };
  }

  return (page, best) => {
    let title = 0;
    let heading = 0;
    for (let passage = 0; passage + 1 < page.starts.length; passage += 1) {
      const length = reader.read(page, passage, nameFields);
      const titleEnd = reader.values.indexOf(fieldEnd);
      if (passage === 0) title = matchName(0, titleEnd).precision;
      const { precision, weight } = matchName(titleEnd + 1, length - 1);
      heading = Math.max(heading, precision * (weight / all));
    }
    let pairs = 0;
    let inSentence = 0;
    for (const passage of best) {
      const found = matchText(reader.read(page, passage, closeFields));
      pairs = Math.max(pairs, found.pairs);
      inSentence = Math.max(inSentence, found.sentence);
    }
    return Math.exp(
      effects.title * title +
        effects.heading * heading +
        effects.pairs * pairs +
        effects.sentence * inSentence,
    );
  };
}

function wantedWords({ terms, pairs }: PlannedQuestion): Map<number, Wanted> {
  const words = new Map<number, Wanted>();
  const wordOf = (term: number): Wanted => {
    const word = words.get(term) ?? { weight: 0, sentence: -1, next: new Map() };
    words.set(term, word);
    return word;
  };
  for (const { term, weight, isAsked } of terms) if (isAsked) wordOf(term).weight = weight;
  for (const { first, second, weight } of pairs)
    if (first >= 0 && second >= 0) wordOf(first).next.set(second, { weight, text: 0 });
  return words;
}
