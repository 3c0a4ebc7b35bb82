/** Finds passages of one page by the question's words, and by the text that a reader selected. */
import { terms } from '../../retrieval/ranker/analysis.ts';
import { contentWords } from '../../retrieval/ranker/question.ts';
import type { Passage } from '../../retrieval/retriever.ts';

/** The beginning of a selection identifies it. */
const maxSelection = 2_000;
/** The share of a selection's phrases that a passage needs to contain it. */
const minHeld = 0.3;
const phraseLength = 3;
/** The characters of a page to analyze, which is most pages as a whole, and the words that choose them. */
const maxAnalyzed = 60_000;
const longestWords = 6;
/** What the right anchor adds to that share. */
const anchorShare = 0.2;

/** The page's passages, those with most of the question's words first. `share` is what the best one has. */
export function matchWords(
  passages: readonly Passage[],
  text: string,
): { numbers: number[]; share: number } {
  const words = [...contentWords(text, true)];
  const likely = likelyPassages(passages, text);
  const held = passages.map((passage, number) => {
    if (!likely.has(number)) return [];
    const all = new Set(termsOf(passage));
    return words.filter(([word]) => all.has(word));
  });
  const sum = (some: typeof words, weigh: (word: string) => number) =>
    some.reduce((all, [word, weight]) => all + weight * weigh(word), 0);
  const counts = new Map<string, number>();
  for (const [word] of held.flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  const rarity = (word: string) => Math.log(1 + passages.length / (counts.get(word) ?? 1));
  const scores = held.map((some) => sum(some, rarity));
  const all = sum(words, () => 1);
  return {
    numbers: [...passages.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0)),
    share: all === 0 ? 0 : Math.max(0, ...held.map((some) => sum(some, () => 1))) / all,
  };
}

/** The passage with a selection: by its phrases; on ties, and without any that the page has, by the anchor above it. */
export function locate(
  passages: readonly Passage[],
  value: string,
  elementId: string | undefined,
): number | undefined {
  const words = terms(value.slice(0, maxSelection));
  const length = Math.min(phraseLength, words.length);
  const wanted = new Set(phrases(words, length));
  const likely = likelyPassages(passages, value);
  let best: { number: number; held: number } | undefined;
  for (const [number, passage] of passages.entries()) {
    const all = new Set(likely.has(number) ? phrases(termsOf(passage), length) : []);
    const share = [...wanted].filter((phrase) => all.has(phrase)).length / (wanted.size || 1);
    const isBelow = elementId !== undefined && passage.anchor === elementId;
    const held = (share < minHeld ? 0 : share) + (isBelow ? anchorShare : 0);
    if (held > (best?.held ?? 0)) best = { number, held };
  }
  return best?.number;
}

function phrases(words: readonly string[], length: number): string[] {
  if (length === 0) return [];
  return words.slice(length - 1).map((_, start) => words.slice(start, start + length).join(' '));
}

/** Of a very long page, the passages that contain the longest words as they are written. */
function likelyPassages(passages: readonly Passage[], text: string): ReadonlySet<number> {
  const texts = passages.map(textOf);
  const all = [...texts.keys()];
  if (texts.reduce((sum, { length }) => sum + length, 0) <= maxAnalyzed) return new Set(all);
  const words =
    text
      .slice(0, maxSelection)
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
  const longest = [...new Set(words)].sort((a, b) => b.length - a.length).slice(0, longestWords);
  const counts = texts.map((one) => {
    const lower = one.toLowerCase();
    return longest.filter((word) => lower.includes(word)).length;
  });
  let room = maxAnalyzed;
  const found = all
    .sort((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0))
    .filter((number) => {
      room -= texts[number]?.length ?? 0;
      return room > 0 && (counts[number] ?? 0) > 0;
    });
  return new Set(found);
}

function textOf({ heading, text, code }: Passage): string {
  return `${heading}\n${text}\n${code}`;
}

/** Several selections are looked for on the same page. */
const knownTerms = new WeakMap<Passage, string[]>();

function termsOf(passage: Passage): string[] {
  const known = knownTerms.get(passage) ?? terms(textOf(passage));
  knownTerms.set(passage, known);
  return known;
}
