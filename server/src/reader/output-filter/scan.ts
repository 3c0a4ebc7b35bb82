/**
 * The state of one answer in the filter. Each Markdown construct that could contain an address has a
 * function that reads at `scan.at`. It either writes what may be shown and moves on, or returns `wait` if
 * it needs more text to decide.
 *
 * Why it is sound: outside code, a character that could start a link, an image, or HTML passes only if the
 * filter has read the whole construct and writes it anew. Everything else is escaped. So it doesn't
 * matter how the client's Markdown parser treats constructs that we didn't expect.
 */
import type { LinkPolicy } from './link-policy.ts';

/** `wait`: more text is needed. `no`: it's something else, plain text by default. */
export type Outcome = 'done' | 'wait' | 'no';

export interface FilterRules {
  links: LinkPolicy;
  /** The numbers that the answer may cite. */
  numbers: { has(number: string): boolean };
  /** Whether the passages contain this text. */
  isInDocs(text: string): boolean;
}

export interface Fence {
  /** The run that opened it. */
  run: string;
  /** Its indentation. */
  indent: number;
}

export interface Scan {
  rules: FilterRules;
  /** Filters one line of text inside another construct, at once. */
  inline(text: string, isInLink: boolean): string;
  /** Text that has arrived. The part from `at` on is still to be read. */
  text: string;
  at: number;
  /** No more text comes. */
  isFinal: boolean;
  /** One line of text inside another construct. */
  isInline: boolean;
  /** The text is inside a link, so it can't contain one. */
  isInLink: boolean;
  isLineStart: boolean;
  /** The start and the end of what was written for the current line. */
  head: string;
  tail: string;
  out: string;
  fence: Fence | undefined;
  /** The backticks that opened a long code span. */
  span: string | undefined;
  lists: ListTracker;
  /** Only whitespace was written so far. */
  isBlank: boolean;
  /** Text is skipped until this matches. */
  skipUntil: RegExp | undefined;
  /** The status that the model's first line gave, by its first letter. */
  statusLetter: string | undefined;
}

export function createScan(rules: FilterRules, inline: Scan['inline']): Scan {
  return {
    rules,
    inline,
    text: '',
    at: 0,
    isFinal: false,
    isInline: false,
    isInLink: false,
    isLineStart: true,
    head: '',
    tail: '',
    out: '',
    fence: undefined,
    span: undefined,
    lists: createListTracker(),
    isBlank: true,
    skipUntil: undefined,
    statusLetter: undefined,
  };
}

const headLength = 160;
const tailLength = 72;

/** Writes text of one line. */
export function write(scan: Scan, text: string): void {
  if (text === '') return;
  scan.out += text;
  if (scan.head.length < headLength) scan.head += text.slice(0, headLength);
  scan.tail =
    text.length >= tailLength ? text.slice(-tailLength) : (scan.tail + text).slice(-tailLength);
  if (scan.isBlank && text.trim() !== '') scan.isBlank = false;
}

/** Writes text instead of what stands here. */
export function put(scan: Scan, text: string, length: number): Outcome {
  write(scan, text);
  scan.at += length;
  return 'done';
}

/** Ends the line that was written, at a line feed. */
export function endLine(scan: Scan): Outcome {
  if (!scan.fence && !scan.isInline) scan.lists.line(scan.head);
  scan.out += '\n';
  scan.head = '';
  scan.tail = '';
  scan.isLineStart = !scan.isInline;
  scan.at++;
  return 'done';
}

/** Writes inline code. Its backticks must not join with the text before it. */
export function writeCode(scan: Scan, content: string, marks = '`'): void {
  if (/[`\\]$/.test(scan.tail)) write(scan, ' ');
  write(scan, marks + content + marks);
}

/** The text that is still to be read. */
export function rest(scan: Scan, max = 4_096): string {
  return scan.text.slice(scan.at, scan.at + max);
}

/** Skips text. Words that it separated stay separated. */
export function skip(scan: Scan, length: number): void {
  scan.at += length;
  // The next text is at the start of the line.
  if (scan.head === '' && !scan.isInline) scan.isLineStart = true;
  const next = scan.text[scan.at];
  if (/\S$/.test(scan.tail) && (next === undefined || /\S/.test(next))) write(scan, ' ');
}

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
