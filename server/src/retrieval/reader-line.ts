/**
 * Titles, headings and quotations of the documentation, as they leave for readers. What they stand in
 * (a button, a list, a line of a terminal) has no defence against characters that turn the direction
 * of all that follows, break the line or cannot be seen.
 */

/**
 * Embeddings, overrides and isolates of direction, and what takes no place. The marks of direction and
 * the joiners stay: Arabic, Hebrew, Persian and emoji are written with them.
 */
const unseen = /[\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** Of one line. */
export function toReaderLine(text: string): string {
  return shown(text)
    .replaceAll(/[ \p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
}

/** Of several lines, which stay as they are. */
export function toReaderText(text: string): string {
  return shown(text).replaceAll(/[^\P{Cc}\n\t]+/gu, ' ');
}

function shown(text: string): string {
  return text.toWellFormed().replaceAll(unseen, '');
}
