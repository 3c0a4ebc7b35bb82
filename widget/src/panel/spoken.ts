/** An answer for a screen reader, without markers, addresses, and code. */

/** Longer answers are cut. They are in the conversation. */
export const maxSpokenWords = 120;

export interface SpokenWords {
  code: string;
  table: string;
  /** Follows a cut answer. */
  more: string;
}

export function spoken(markdown: string, words: SpokenWords): string {
  const plain = markdown
    .replace(
      /(?:^|\n)[ \t]*(```+|~~~+)[^\n]*\n[\s\S]*?(?:\n[ \t]*\1[^\n]*(?=\n|$)|$)/g,
      `\n${words.code}.\n`,
    )
    .replace(/(?:^|\n)[ \t]*\|[^\n]*(?:\n[ \t]*\|[^\n]*)+/g, `\n${words.table}.\n`)
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/\[\d+(?:\s*,\s*\d+)*\]/g, '')
    // End each line as a sentence.
    .replace(/^[ \t]*(?:#+|[-*+>]|\d+[.)])[ \t]+/gm, '')
    .replace(/([^\s.!?:;,。！？…])[ \t]*(?=\n)/g, '$1.')
    .replace(/[*`#>|]+|\b_|_\b/g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ([.,;:!?])/g, '$1')
    .trim();
  return cut(plain, words.more);
}

function cut(text: string, more: string): string {
  const words = text.split(' ');
  // Some languages have no spaces between words.
  const most = maxSpokenWords * 8;
  if (words.length <= maxSpokenWords && text.length <= most) return text;
  const first = words
    .slice(0, maxSpokenWords)
    .join(' ')
    .slice(0, most)
    .replace(/[\ud800-\udbff]$/, '');
  const sentences = /^[\s\S]*[.!?。！？](?=\s|$|\P{ASCII})/u.exec(first)?.[0];
  return `${sentences ?? `${first}…`} ${more}`;
}
