/**
 * Cleans titles, headings, and quotations before readers see them. Buttons, lists, and terminals don't
 * protect themselves against characters that reverse the text direction, break the line, or are invisible.
 */

/**
 * Directional embeddings, overrides, and isolates, and characters without width. Directional marks and
 * joiners stay, because Arabic, Hebrew, Persian, and emoji need them.
 */
const unseen = /[\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** For text on one line. */
export function toReaderLine(text: string): string {
  return shown(text)
    .replaceAll(/[ \p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
}

/** For text on several lines; line breaks stay. */
export function toReaderText(text: string): string {
  return shown(text).replaceAll(/[^\P{Cc}\n\t]+/gu, ' ');
}

function shown(text: string): string {
  return text.toWellFormed().replaceAll(unseen, '');
}
