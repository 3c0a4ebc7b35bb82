/**
 * Reranks the best pages by what a sum over words can't see: how much of a page's title and headings the
 * question covers, whether neighbors in the question are neighbors in the text, and how much of the
 * question one sentence contains.
 */
import { closeFields, createTermReader, type PageTerms, stopTerms } from './page-terms.ts';
import { type PlannedQuestion, rarity } from './question.ts';
import type { SearchIndex } from './search-index.ts';

/**
 * Exponents, fitted on ten documentation sites by leave-one-out cross-validation; `section`, which only orders
 * the passages of a page, on the labelled sections of the bench.
 */
const effects = { title: 0.48, heading: 0.35, pairs: 0.3, sentence: 0.28, section: 1.2 };

/** A word of the question. */
interface Wanted {
  weight: number;
  /** The last sentence with the word, counted from 1. */
  sentence: number;
  /** The words after this one in the question, with the last passage in which they're neighbors too. */
  next: Map<number, { weight: number; passage: number }>;
}

/**
 * The result returns the factor for a page's score and one for each of its passages, all 1 or more; `best`
 * are its best passages.
 */
export function createCloseLook(
  index: SearchIndex,
  question: PlannedQuestion,
): (page: PageTerms, best: readonly number[]) => { factor: number; sections: number[] } {
  const all = question.askedWeight || 1;
  const allPairs = question.pairs.reduce((sum, { weight }) => sum + weight, 0) || 1;
  const words = wantedWords(question);
  const reader = createTermReader();
  let sentences = 0;
  let passages = 0;

  /** The weight of a word that a name and the question have. Stop words don't count in names. */
  const weightInName = (term: number): number =>
    term < stopTerms ? 0 : (words.get(term)?.weight ?? 0);

  /** The share of the next field that the question contains, by rarity, and the weight of those words. */
  function matchName(): { precision: number; weight: number } {
    const length = reader.readField();
    const { values } = reader;
    const match = { precision: 0, weight: 0 };
    let first = 0;
    while (first < length && weightInName((values[first] ?? 0) - 1) === 0) first += 1;
    if (first === length) return match;
    let matched = 0;
    let whole = 0;
    for (let at = 0; at < length; at += 1) {
      const value = values[at] ?? 0;
      const term = value - 1;
      // A word that stands twice counts once.
      if (term < stopTerms || values.indexOf(value) < at) continue;
      const rare = rarity(index, term);
      whole += rare;
      const weight = weightInName(term);
      match.weight += weight;
      if (weight > 0) matched += rare;
    }
    match.precision = matched / whole;
    return match;
  }

  /**
   * The share of the question's word pairs that are neighbors in a passage, and the largest share of the
   * question in one sentence: on a long page, a fact is usually in one sentence.
   */
  function matchText(): { pairs: number; sentence: number } {
    passages += 1;
    let pairs = 0;
    let most = 0;
    for (let field = 0; field < closeFields; field += 1) {
      const length = reader.readField();
      const { values } = reader;
      let sum = 0;
      let before: Wanted | undefined;
      sentences += 1;
      for (let at = 0; at < length; at += 1) {
        const value = values[at] ?? 0;
        if (value === 0) {
          most = Math.max(most, sum);
          sum = 0;
          before = undefined;
          sentences += 1;
          continue;
        }
        const word = words.get(value - 1);
        if (word && word.sentence !== sentences) {
          word.sentence = sentences;
          sum += word.weight;
        }
        const pair = before?.next.get(value - 1);
        if (pair && pair.passage !== passages) {
          pair.passage = passages;
          pairs += pair.weight;
        }
        before = word;
      }
      most = Math.max(most, sum);
    }
    return { pairs: pairs / allPairs, sentence: Math.min(1, most / all) };
  }

  return (page, best) => {
    let title = 0;
    let heading = 0;
    const sections: number[] = [];
    for (let passage = 0; passage + 1 < page.starts.length; passage += 1) {
      reader.open(page, passage);
      const name = matchName();
      if (passage === 0) title = name.precision;
      const { precision, weight } = matchName();
      heading = Math.max(heading, precision * (weight / all));
      // Nearly all of the heading: "How do I install it?" doesn't ask for "Install on Windows".
      const named = precision ** 4 * Math.sqrt(Math.min(1, weight / all));
      sections.push(Math.exp(effects.section * named));
    }
    let pairs = 0;
    let sentence = 0;
    for (const passage of best) {
      reader.open(page, passage);
      const found = matchText();
      pairs = Math.max(pairs, found.pairs);
      sentence = Math.max(sentence, found.sentence);
    }
    const factor = Math.exp(
      effects.title * title +
        effects.heading * heading +
        effects.pairs * pairs +
        effects.sentence * sentence,
    );
    return { factor, sections };
  };
}

function wantedWords({ terms, pairs }: PlannedQuestion): Map<number, Wanted> {
  const words = new Map<number, Wanted>();
  const wordOf = (term: number): Wanted => {
    const word = words.get(term) ?? { weight: 0, sentence: 0, next: new Map() };
    words.set(term, word);
    return word;
  };
  for (const { term, weight, isAsked } of terms) if (isAsked) wordOf(term).weight = weight;
  for (const { first, second, weight } of pairs)
    if (first >= 0 && second >= 0) wordOf(first).next.set(second, { weight, passage: 0 });
  return words;
}
