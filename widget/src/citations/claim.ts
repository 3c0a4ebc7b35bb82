/** The claim of a citation: the sentences of the answer that carry its number. */

/** Created at its first use: the browser loads its rules then, which takes as long as drawing the panel. */
let segmenter: Intl.Segmenter | undefined;
const toSentences = (text: string) =>
  (segmenter ??= new Intl.Segmenter(undefined, { granularity: 'sentence' })).segment(text);
const numbers = /\[\d{1,3}(?:, ?\d{1,3})*\]/g;

const carries = (text: string, id: string): boolean =>
  [...text.matchAll(numbers)].some(([list]) => list.slice(1, -1).split(/, ?/).includes(id));

export function claimOf(answer: string, id: string): string {
  const lines = answer.split('\n').filter((line) => carries(line, id));
  const claims = lines.flatMap((line) =>
    // A number after the full stop belongs to the sentence before it.
    Array.from(
      toSentences(line.replace(/([.!?。])\s*((?:\[\d[\d, ]*\]\s*)+)/g, ' $2$1 ')),
      ({ segment }) => segment,
    ).filter((sentence) => carries(sentence, id)),
  );
  return (claims.length ? claims.join(' ') : answer)
    .replace(numbers, '')
    .replace(/ +/g, ' ')
    .trim();
}

const blocks = 'p, li, tr, h1, h2, h3, h4, h5, h6, blockquote, dd';

/** The sentence before a citation. */
export function claimAt(citation: Element): string {
  const block = citation.closest(blocks);
  if (!block) return '';
  const before = new Range();
  before.setStart(block, 0);
  before.setEndBefore(citation);
  const copy = before.cloneContents();
  for (const other of copy.querySelectorAll('.cite')) other.remove();
  const text = copy.textContent?.trim() ?? '';
  if (block.localName === 'tr') return text;
  const last = Array.from(toSentences(text)).at(-1)?.segment.trim() ?? '';
  return last || text;
}
