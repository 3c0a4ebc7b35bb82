/** Two lines of a page around the words of a question. */

/** Words of every question. */
const common = new Set(
  'about after also and any are but can could did does doing for from had has have how into its like make more not off one only our out over should such than that the their them then there these they this use was what when where which who why will with would you your'.split(
    ' ',
  ),
);
const maxTerm = 24;
const maxTerms = 12;
const length = 170;

/** The search terms of a question, without endings. */
export function termsOf(question: string): string[] {
  const words = question.toLowerCase().match(/[\p{L}\p{N}_-]{3,}/gu) ?? [];
  const stems = words
    .filter((word) => !common.has(word))
    .map((word) => (word.length > 5 ? word.slice(0, -2) : word).slice(0, maxTerm));
  return [...new Set(stems)].slice(0, maxTerms);
}

/** Markdown as plain text. */
export function toPlain(markdown: string): string {
  return markdown
    .replace(/^(```|~~~).*$/gm, ' ')
    .replace(/^[ \t|:-]+$/gm, (line) => (line.includes('---') ? ' ' : line))
    .replace(/!\[[^[\]]*\]\([^()]*\)/g, ' ')
    .replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+]|\d+\.)\s+/gm, '')
    .replace(/[*_`|]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

export interface Piece {
  text: string;
  isMatch: boolean;
}

/** Terms are letters, digits, `_`, and `-`, so nothing in them has a meaning in an expression. */
const matchesOf = (text: string, terms: readonly string[]) =>
  terms.length
    ? [
        ...text.matchAll(
          new RegExp(`(?<![\\p{L}\\p{N}])(?:${terms.join('|')})[\\p{L}\\p{N}]*`, 'giu'),
        ),
      ]
    : [];

/** The part of a text with the most terms. */
export function excerptOf(markdown: string, terms: readonly string[]): Piece[] {
  const plain = toPlain(markdown);
  const found = matchesOf(plain, terms);
  const different = (from: number) => {
    const inside = found.filter(({ index }) => index >= from && index < from + length);
    return new Set(inside.map(([word]) => word.toLowerCase())).size;
  };
  let best = 0;
  let most = 0;
  for (const { index } of found) {
    const count = different(index);
    if (count > most) [best, most] = [index, count];
  }
  const from = best < 60 ? 0 : plain.indexOf(' ', best - 40) + 1;
  const end = plain.length > from + length ? plain.lastIndexOf(' ', from + length) : plain.length;
  const text = `${from > 0 ? '… ' : ''}${plain.slice(from, Math.max(end, from + 20))}${end < plain.length ? ' …' : ''}`;
  return markMatches(text, terms);
}

export function markMatches(text: string, terms: readonly string[]): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { index, 0: word } of matchesOf(text, terms)) {
    if (index > from) pieces.push({ text: text.slice(from, index), isMatch: false });
    pieces.push({ text: word, isMatch: true });
    from = index + word.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isMatch: false });
  return pieces;
}
