/**
 * Tracks which list items are certainly open at a line, and where their content starts: indented code
 * belongs to an item only then. Where Markdown parsers may disagree, the answer is no.
 */

interface Item {
  content: number;
  kind: string;
}

export type ListTracker = ReturnType<typeof createListTracker>;

export function createListTracker() {
  let items: Item[] = [];
  let isAfterBlank = true;

  function leave(indent: number): Item | undefined {
    let left: Item | undefined;
    while ((items.at(-1)?.content ?? 0) > indent) left = items.pop();
    return left;
  }

  return {
    /** A line of text has ended. */
    line(text: string): void {
      if (text.trim() === '') {
        isAfterBlank = true;
        return;
      }
      const indent = /^ */.exec(text)?.[0].length ?? 0;
      if (text[indent] === '\t') {
        items = [];
        isAfterBlank = false;
        return;
      }
      const left = leave(indent);
      const marker = /^ *([-*+]|(\d{1,9})([.)]))( {1,4})\S/.exec(text);
      const isRule = /^ *([-*_])(?: *\1){2,} *$/.test(text);
      if (marker && !isRule && indent - (items.at(-1)?.content ?? 0) <= 3) {
        const [, sign = '', number, end, gap = ''] = marker;
        const kind = end ?? sign;
        // Right below other text, only a bullet or the number 1 may start a list.
        if (isAfterBlank || left?.kind === kind || number === undefined || Number(number) === 1) {
          items.push({ content: indent + sign.length + gap.length, kind });
        }
      }
      isAfterBlank = false;
    },

    /** A block other than a paragraph has ended: anything may start below it. */
    endBlock(): void {
      isAfterBlank = true;
    },

    /** Whether every parser takes a fence with this indentation for a fence. */
    allowsFence(indent: number): boolean {
      leave(indent);
      return indent - (items.at(-1)?.content ?? 0) <= 3;
    },

    /** The column where the content of the innermost open item starts. */
    get content(): number {
      return items.at(-1)?.content ?? 0;
    },
  };
}
