/**
 * Reranks the best pages by what a sum over words can't see: how much of a page's title and headings the
 * question covers, whether neighbors in the question are neighbors in the text, and how much of the
 * question one sentence contains.
 */
import { analyze } from './analysis.ts';
import { type PlannedQuestion, rarity } from './question.ts';
import { type SearchIndex, termAt } from './search-index.ts';

/** Exponents, fitted on ten documentation sites by leave-one-out cross-validation. */
const effects = { title: 0.48, heading: 0.35, pairs: 0.3, sentence: 0.28 };
const sentenceEnd = /(?<=[.!?:])\s+|[。！？\n]/;

export interface PassageText {
  title: string;
  heading: string;
  text: string;
}

export function createCloseLook(
  index: SearchIndex,
  question: PlannedQuestion,
  analyzeText: (text: string, emit: (term: string) => void) => void = analyze,
) {
  const asked = new Map<number, number>();
  for (const { term, weight, isAsked } of question.terms) if (isAsked) asked.set(term, weight);
  const all = question.askedWeight || 1;
  const read = createReader(index, question, analyzeText);
  return {
    /** The factor for a page's score, 1 or more. */
    of(page: number, texts: readonly PassageText[]): number {
      const title = nameMatch(index, asked, page).precision;
      let heading = 0;
      const end = index.firstPassage[page + 1] ?? 0;
      for (let passage = index.firstPassage[page] ?? 0; passage < end; passage += 1) {
        const { precision, weight } = nameMatch(index, asked, index.pageCount + passage);
        heading = Math.max(heading, precision * (weight / all));
      }
      const found = texts.map(({ title: name, heading: section, text }) =>
        read(`${name}\n${section}\n${text}`),
      );
      const most = (key: 'pairs' | 'sentence') => Math.max(0, ...found.map((one) => one[key]));
      return Math.exp(
        effects.title * title +
          effects.heading * heading +
          effects.pairs * most('pairs') +
          effects.sentence * most('sentence'),
      );
    },
  };
}

/** The share of a name that the question contains, by rarity, and the weight of those words in the question. */
function nameMatch(
  index: SearchIndex,
  asked: Map<number, number>,
  name: number,
): { precision: number; weight: number } {
  const { terms, starts } = index.names;
  let weight = 0;
  let matched = 0;
  let whole = 0;
  for (let at = starts[name] ?? 0; at < (starts[name + 1] ?? 0); at += 1) {
    const term = terms[at] ?? 0;
    const rare = rarity(index, term);
    whole += rare;
    const asks = asked.get(term);
    if (asks === undefined) continue;
    matched += rare;
    weight += asks;
  }
  return { precision: whole === 0 ? 0 : matched / whole, weight };
}

/**
 * Returns the share of the question's word pairs that are neighbors in a text, and the largest share of
 * the question in one sentence: on a long page, a fact is usually in one sentence.
 */
function createReader(
  index: SearchIndex,
  question: PlannedQuestion,
  analyzeText: (text: string, emit: (term: string) => void) => void,
): (text: string) => { pairs: number; sentence: number } {
  const weights = new Map<string, number>();
  for (const { term, weight, isAsked } of question.terms)
    if (isAsked) weights.set(termAt(index, term), weight);
  const pairs = new Map<string, Map<string, number>>();
  let allPairs = 0;
  for (const { first, second, weight } of question.pairs) {
    if (weight === 0 || pairs.get(first)?.has(second)) continue;
    pairs.set(first, (pairs.get(first) ?? new Map<string, number>()).set(second, weight));
    allPairs += weight;
  }
  const all = question.askedWeight || 1;
  return (text) => {
    const seenPairs = new Set<string>();
    let together = 0;
    let best = 0;
    for (const sentence of text.split(sentenceEnd)) {
      const seen = new Set<string>();
      let sum = 0;
      let first = '';
      analyzeText(sentence, (term) => {
        const weight = weights.get(term);
        if (weight !== undefined && !seen.has(term)) {
          seen.add(term);
          sum += weight;
        }
        const pair = pairs.get(first)?.get(term);
        if (pair !== undefined && !seenPairs.has(`${first} ${term}`)) {
          seenPairs.add(`${first} ${term}`);
          together += pair;
        }
        first = term;
      });
      best = Math.max(best, sum);
    }
    return { pairs: allPairs === 0 ? 0 : together / allPairs, sentence: Math.min(1, best / all) };
  };
}
