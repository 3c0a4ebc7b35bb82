/**
 * Notices a text that repeats itself without end, as small models do: the last 400 characters, about a hundred
 * tokens, and at least two whole copies are what stood before them. Tables, lists, and code repeat less,
 * and not exactly.
 */

const minRepeated = 400;
const minCopies = 2;
/** The longest piece whose repetition is noticed, in characters. */
const maxPeriod = 2_000;
const window = maxPeriod * (minCopies + 1);
/** How often to look, in characters. */
const every = 100;
/** Each earlier place with these characters at its end is a candidate. */
const needle = 24;
const maxCandidates = 8;

export function createRepetition() {
  let recent = '';
  let unseen = 0;

  return {
    /** Whether the text with this piece at its end repeats itself. */
    push(text: string): boolean {
      recent += text;
      unseen += text.length;
      if (unseen < every) return false;
      unseen = 0;
      recent = recent.slice(-window);
      return repeats(recent);
    },
  };
}

function repeats(text: string): boolean {
  const end = text.slice(-needle);
  let at = text.length - needle;
  for (let tried = 0; tried < maxCandidates; tried++) {
    at = text.lastIndexOf(end, at - 1);
    const period = text.length - needle - at;
    if (at < 0 || period > maxPeriod) return false;
    const wanted = Math.max(minRepeated, minCopies * period);
    if (
      text.length >= wanted + period &&
      text.slice(-wanted) === text.slice(-wanted - period, -period)
    )
      return true;
  }
  return false;
}
