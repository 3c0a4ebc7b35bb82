/**
 * The state of one answer on its way through the filter. Each construct of Markdown that could carry an
 * address has a file with one function: it reads at `scan.at`, and either writes what may be shown and
 * goes on, or answers `wait` because what has come so far does not tell yet.
 *
 * What makes it sound: outside code, no sign that could begin a link, a picture or HTML is let through
 * unless this filter has read the whole of it and writes it anew; everything else is escaped. So it does
 * not matter how a reader's Markdown parser treats what we did not expect.
 */
import type { LinkPolicy } from './link-policy.ts';
import { createListTracker, type ListTracker } from './list-tracker.ts';

/** `wait`: more text is needed. `no`: it is something else, plain text by default. */
export type Outcome = 'done' | 'wait' | 'no';

export interface FilterRules {
  links: LinkPolicy;
  /** The numbers that may be cited. */
  numbers: { has(number: string): boolean };
  /** Whether the passages that the answer is made from hold this text. */
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
  /** Cleans a text of one line inside another construct, at once. */
  inline(text: string, isInLink: boolean): string;
  /** What has come and is not dealt with, from `at` on. */
  text: string;
  at: number;
  /** Nothing more will come. */
  isFinal: boolean;
  /** A text of one line inside another construct. */
  isInline: boolean;
  /** No links in it. */
  isInLink: boolean;
  isLineStart: boolean;
  /** What was written for the current line, its beginning and its end. */
  head: string;
  tail: string;
  out: string;
  fence: Fence | undefined;
  lists: ListTracker;
  /** Nothing but blanks was written so far. */
  isBlank: boolean;
  /** Text is left out until this is found. */
  skipUntil: RegExp | undefined;
  /** What the model's first line said about its answer. */
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

/** Ends the line that was written. */
export function writeLineEnd(scan: Scan): void {
  if (!scan.fence && !scan.isInline) scan.lists.line(scan.head);
  scan.out += '\n';
  scan.head = '';
  scan.tail = '';
  scan.isLineStart = !scan.isInline;
}

/** Writes a run of inline code; its marks must not join with what stands before it. */
export function writeCode(scan: Scan, content: string, marks = '`'): void {
  if (/[`\\]$/.test(scan.tail)) write(scan, ' ');
  write(scan, marks + content + marks);
}

/** What is left of the text, from here on. */
export function rest(scan: Scan, max = 4_096): string {
  return scan.text.slice(scan.at, scan.at + max);
}

/** Goes on behind something that is left out; what stood apart stays apart. */
export function skip(scan: Scan, length: number): void {
  scan.at += length;
  // What comes now stands at the beginning of the line.
  if (scan.head === '' && !scan.isInline) scan.isLineStart = true;
  const next = scan.text[scan.at];
  if (/\S$/.test(scan.tail) && (next === undefined || /\S/.test(next))) write(scan, ' ');
}
