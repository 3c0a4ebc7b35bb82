/**
 * A second look at the few pages that scored best: how much of what a page or a section is *called*
 * the question accounts for, whether words that the question has side by side stand so in the text, and how
 * much of the question one sentence has. The first pass sums up words and cannot see any of it.
 */
import { analyze } from './analysis.ts';
import { rarity } from './question.ts';
import type { PlannedQuestion } from './question.ts';
import { termAt } from './search-index.ts';
import type { SearchIndex } from './search-index.ts';

/** Exponents, learnt over ten documentation sites, each measured with the weights of the other nine. */
const effects = { title: 0.48, heading: 0.35, pairs: 0.3, sentence: 0.28 };
const sentenceEnd = /(?<=[.!?:])\s+|[。！？\n]/;

export interface PassageText {
  title: string;
  heading: string;
  text: string;
}

export interface CloseLook {
  /** What to multiply the score of a page with; 1 or more. */
  of(page: number, texts: readonly PassageText[]): number;
}

export function createCloseLook(
  index: SearchIndex,
  question: PlannedQuestion,
  analyzeText: (text: string, emit: (term: string) => void) => void = analyze,
): CloseLook {
  const asked = new Map<number, number>();
  for (const { term, weight, isAsked } of question.terms) if (isAsked) asked.set(term, weight);
  const all = question.askedWeight || 1;
  const read = createReader(index, question, analyzeText);
  return {
    of(page, texts) {
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

/** Which share of a name the question has, by rarity, and what of the question's weight that is. */
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
 * What the sentences of a text hold: the share of the question's pairs that stand side by side, and
 * the share of the question that one sentence has. A fact stands in one sentence of a long page.
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
