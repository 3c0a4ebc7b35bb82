/**
 * Finds the words of a page that support a claim: first in the quotation, then in the whole
 * section.
 */
import { lastAtOrBefore } from './last-at-or-before.ts';
import { atOnce, type Work } from './slices.ts';

const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });

export interface TextRange {
  start: number;
  end: number;
}

/** Sentences with at least this share of the best score are marked, too. */
const minShareOfBest = 0.6;
const maxSentences = 3;
/** A sentence with this share of the claim's words supports it. */
const minShareOfClaim = 0.34;

function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(
    words.filter((word) => word.length > 2 || /\p{N}/u.test(word)).map((word) => word.slice(0, 6)),
  );
}

/** How much to read before the page may interrupt the work. */
const wordsPerStep = 1000;
const sentencesPerStep = 20;

interface Letters {
  letters: string;
  /** The position of a letter in the text. */
  positionOf: (letter: number) => number;
}

/** Only letters and digits with their positions, so that typography and spaces don't matter. */
function* lettersOf(text: string): Work<Letters> {
  const words: string[] = [];
  const starts: number[] = [];
  const offsets: number[] = [];
  let length = 0;
  const add = (small: string, start: number) => {
    words.push(small);
    starts.push(start);
    offsets.push(length);
    length += small.length;
  };
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    const small = word.toLowerCase();
    if (small.length === word.length) add(small, index);
    else {
      // Some letters, such as İ, are several in lower case.
      let at = index;
      for (const letter of word) {
        add(letter.toLowerCase(), at);
        at += letter.length;
      }
    }
    if (words.length % wordsPerStep === 0) yield;
  }
  const positionOf = (letter: number): number => {
    const word = lastAtOrBefore(offsets, letter);
    return (starts[word] ?? 0) + letter - (offsets[word] ?? 0);
  };
  return { letters: words.join(''), positionOf };
}

function* split(text: string): Work<TextRange[]> {
  const found: TextRange[] = [];
  let at = 0;
  let count = 0;
  for (const line of text.split('\n')) {
    for (const { segment, index } of sentences.segment(line)) {
      const start = at + index + (segment.length - segment.trimStart().length);
      const end = at + index + segment.trimEnd().length;
      if (end > start) found.push({ start, end });
      if (++count % sentencesPerStep === 0) yield;
    }
    at += line.length + 1;
  }
  return found;
}

/**
 * Finds the cited words: the sentences of the quotation that the page has. If none of them supports
 * the claim, and with `isSection`, any sentence of the text.
 */
export function* searchWords(
  text: string,
  { quote, claim }: { quote: string; claim: string },
  isSection: boolean,
): Work<TextRange[]> {
  const wanted = wordsOf(claim);
  const { letters, positionOf } = yield* lettersOf(text);
  const scored = (sentence: TextRange) => {
    const words = wordsOf(text.slice(sentence.start, sentence.end));
    let held = 0;
    for (const word of words) if (wanted.has(word)) held++;
    // Of two sentences with the same words, prefer the shorter one.
    return { ...sentence, held, score: held / Math.sqrt(Math.max(words.size, 4)) };
  };
  const quoted = atOnce(split(quote)).flatMap(({ start, end }) => {
    const needle = atOnce(lettersOf(quote.slice(start, end))).letters;
    const at = needle.length > 3 ? letters.indexOf(needle) : -1;
    if (at < 0) return [];
    const last = positionOf(at + needle.length - 1);
    return [scored({ start: positionOf(at), end: last + lengthAt(text, last) })];
  });
  const isSupporting = ({ held }: { held: number }) =>
    held >= Math.max(1, wanted.size * minShareOfClaim);
  let candidates = quoted;
  if (isSection && !quoted.some(isSupporting)) {
    const others: typeof quoted = [];
    for (const [at, sentence] of (yield* split(text)).entries()) {
      const other = scored(sentence);
      if (isSupporting(other)) others.push(other);
      if (at % sentencesPerStep === 0) yield;
    }
    if (others.length) candidates = others;
  }
  const best = candidates.reduce((max, { score }) => Math.max(max, score), 0);
  // Another language, or no common word: mark the beginning of the quotation.
  if (best === 0) return candidates.slice(0, 1).map(withEnd);
  return candidates
    .filter(({ score }) => score >= best * minShareOfBest)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, maxSentences)
    .toSorted((one, other) => one.start - other.start)
    .map(withEnd);

  function withEnd({ start, end }: TextRange): TextRange {
    const mark = /^[^\p{L}\p{N}\s]{1,2}/u.exec(text.slice(end, end + 2))?.[0].length ?? 0;
    return { start, end: end + mark };
  }
}

export const findWords = (...given: Parameters<typeof searchWords>): TextRange[] =>
  atOnce(searchWords(...given));

const lengthAt = (text: string, at: number): number =>
  (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
