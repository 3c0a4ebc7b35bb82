/** An answer for a screen reader: marks, addresses and code would only be noise. */

/** Longer ones are cut: they stand in the conversation, where a reader moves at their own pace. */
export const maxSpokenWords = 120;

export interface SpokenWords {
  code: string;
  table: string;
  /** Follows what was cut. */
  more: string;
}

export function spoken(markdown: string, words: SpokenWords): string {
  const plain = markdown
    .replace(
      /(?:^|\n)[ \t]*(```+|~~~+)[^\n]*\n[\s\S]*?(?:\n[ \t]*\1[^\n]*(?=\n|$)|$)/g,
      `\n${words.code}.\n`,
    )
    .replace(/(?:^|\n)[ \t]*\|[^\n]*(?:\n[ \t]*\|[^\n]*)+/g, `\n${words.table}.\n`)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\[\d+(?:\s*,\s*\d+)*\]/g, '')
    // A line of its own is a sentence of its own.
    .replace(/^[ \t]*(?:#+|[-*+>]|\d+[.)])[ \t]+/gm, '')
    .replace(/([^\s.!?:;,。！？…])[ \t]*(?=\n)/g, '$1.')
    .replace(/[*`#>|]+|\b_|_\b/g, '')
    .replace(/\s+([.,;:!?])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
  return cut(plain, words.more);
}

function cut(text: string, more: string): string {
  const words = text.split(' ');
  // Languages without blanks between words have few of them.
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
