/** Which words of a text an answer rests on: those of the quotation that say most of what it says. */

const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });

export interface Stretch {
  start: number;
  end: number;
}

/** Of several sentences that say it, those that say almost as much as the best. */
const worthMarking = 0.6;
const most = 3;
/** A claim is at least partly in a sentence that holds this share of its words. */
const fairShare = 0.34;

/** Words as both sides write them: without marks, case, and most endings. */
function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(
    words.filter((word) => word.length > 2 || /\p{N}/u.test(word)).map((word) => word.slice(0, 6)),
  );
}

/** Letters and digits alone, each with its place: typography, spaces and marks do not count. */
function bare(text: string): { letters: string; places: number[] } {
  let letters = '';
  const places: number[] = [];
  for (const { 0: letter, index } of text.matchAll(/[\p{L}\p{N}]/gu)) {
    const small = letter.toLowerCase();
    for (let count = 0; count < small.length; count++) places.push(index);
    letters += small;
  }
  return { letters, places };
}

function split(text: string): Stretch[] {
  const stretches: Stretch[] = [];
  let at = 0;
  for (const line of text.split('\n')) {
    for (const { segment, index } of sentences.segment(line)) {
      const start = at + index + (segment.length - segment.trimStart().length);
      const end = at + index + segment.trimEnd().length;
      if (end > start) stretches.push({ start, end });
    }
    at += line.length + 1;
  }
  return stretches;
}

/**
 * Where in a page's text the cited words are. First the sentences of the quotation, as far as the page
 * has them; where none of those says what the answer says, with `isSection` any sentence of the text.
 */
export function findWords(
  text: string,
  { quote, claim }: { quote: string; claim: string },
  isSection: boolean,
): Stretch[] {
  const wanted = wordsOf(claim);
  const { letters, places } = bare(text);
  const scored = (stretch: Stretch) => {
    const words = wordsOf(text.slice(stretch.start, stretch.end));
    let held = 0;
    for (const word of words) if (wanted.has(word)) held++;
    // Of two that say as much, the shorter one says it more plainly.
    return { ...stretch, held, score: held / Math.sqrt(Math.max(words.size, 4)) };
  };
  const quoted = split(quote).flatMap(({ start, end }) => {
    const needle = bare(quote.slice(start, end)).letters;
    const at = needle.length > 3 ? letters.indexOf(needle) : -1;
    const last = places[at + needle.length - 1];
    return at < 0 || last === undefined
      ? []
      : [scored({ start: places[at] ?? 0, end: last + lengthAt(text, last) })];
  });
  const isFair = ({ held }: { held: number }) => held >= Math.max(1, wanted.size * fairShare);
  let candidates = quoted;
  if (isSection && !quoted.some(isFair)) {
    const others = split(text).map(scored).filter(isFair);
    if (others.length) candidates = others;
  }
  const best = Math.max(0, ...candidates.map(({ score }) => score));
  // Another language, or none of its words: the beginning of what was quoted.
  if (best === 0) return candidates.slice(0, 1).map(withEnd);
  return candidates
    .filter(({ score }) => score >= best * worthMarking)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, most)
    .toSorted((one, other) => one.start - other.start)
    .map(withEnd);

  /** The full stop belongs to the sentence. */
  function withEnd({ start, end }: Stretch): Stretch {
    const mark = /^[^\p{L}\p{N}\s]{1,2}/u.exec(text.slice(end))?.[0].length ?? 0;
    return { start, end: end + mark };
  }
}

const lengthAt = (text: string, at: number): number =>
  (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
