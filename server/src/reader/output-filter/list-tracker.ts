/**
 * Which list items are surely open at a line, and where their content begins: code that is indented
 * under an item is code only then. Where Markdown's readers could differ it says no.
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
        // Only a bullet or a first number may begin a list right below other text.
        if (isAfterBlank || left?.kind === kind || number === undefined || Number(number) === 1) {
          items.push({ content: indent + sign.length + gap.length, kind });
        }
      }
      isAfterBlank = false;
    },

    /** A block that is no paragraph has ended: anything may begin below it. */
    endBlock(): void {
      isAfterBlank = true;
    },

    /** Whether a fence that is indented so far is surely one. */
    allowsFence(indent: number): boolean {
      leave(indent);
      return indent - (items.at(-1)?.content ?? 0) <= 3;
    },

    /** Where the innermost open item's content begins. */
    get content(): number {
      return items.at(-1)?.content ?? 0;
    },
  };
}
