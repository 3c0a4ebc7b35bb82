/** Where the code of a Markdown text is, without parsing the rest. */

export type CodeRanges = ReturnType<typeof findCode>;

interface Range {
  start: number;
  end: number;
  isBlock: boolean;
}

export function findCode(text: string) {
  const ranges: Range[] = [];
  let fence: { mark: string; start: number } | undefined;
  for (let start = 0; start < text.length;) {
    const next = text.indexOf('\n', start);
    const end = next < 0 ? text.length : next;
    const line = text.slice(start, end);
    const mark = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence) {
      const rest = line.replace(/^[ \t>]*/, '').trimEnd();
      const isEnd =
        rest.length >= fence.mark.length && rest === fence.mark.charAt(0).repeat(rest.length);
      if (isEnd) {
        ranges.push({ start: fence.start, end, isBlock: true });
        fence = undefined;
      }
    } else if (mark !== undefined && !isSpan(line, mark)) fence = { mark, start };
    else addSpans(line, start, ranges);
    start = end + 1;
  }
  if (fence) ranges.push({ start: fence.start, end: text.length, isBlock: true });
  const rangeAt = (at: number): Range | undefined => {
    let [low, high] = [0, ranges.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const range = ranges[middle] as Range;
      if (at < range.start) high = middle - 1;
      else if (at >= range.end) low = middle + 1;
      else return range;
    }
    return undefined;
  };
  return {
    /** Whether a position is in a code block or a code span. */
    has: (at: number): boolean => rangeAt(at) !== undefined,
    hasBlock: (at: number): boolean => rangeAt(at)?.isBlock ?? false,
    /** The mark of a code block that is open at the end. */
    open: fence?.mark,
  };
}

/** ```` ```code``` ```` on one line is a code span. */
function isSpan(line: string, mark: string): boolean {
  return mark.startsWith('`') && line.slice(line.indexOf(mark) + mark.length).includes('`');
}

function addSpans(line: string, start: number, ranges: Range[]): void {
  const marks = [...line.matchAll(/`+/g)];
  /** The next mark of the same length, for each mark. */
  const closeOf: (number | undefined)[] = [];
  const last = new Map<number, number>();
  for (let index = marks.length - 1; index >= 0; index -= 1) {
    const { length } = (marks[index] as RegExpExecArray)[0];
    closeOf[index] = last.get(length);
    last.set(length, index);
  }
  for (let index = 0; index < marks.length; index += 1) {
    const mark = marks[index] as RegExpExecArray;
    const close = closeOf[index];
    if (close === undefined) continue;
    const { index: at, 0: run } = marks[close] as RegExpExecArray;
    ranges.push({ start: start + mark.index, end: start + at + run.length, isBlock: false });
    index = close;
  }
}
