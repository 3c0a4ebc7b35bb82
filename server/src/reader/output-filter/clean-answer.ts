/**
 * What a model writes on its way to the reader, piece by piece. Text flows on as it comes; only what may
 * become a link, a citation or a tag waits until that is known, and never for long.
 */
import type { AnswerMark } from './answer-mark.ts';
import { type CleanRules, createScan, type Scan } from './scan.ts';
import { step } from './step.ts';

export interface CleanAnswerOptions extends CleanRules {
  /** Reads what the model's first line says; `undefined` where the model was not asked for one. */
  mark: AnswerMark | undefined;
}

export type CleanAnswer = ReturnType<typeof createCleanAnswer>;

/**
 * Control characters, those that turn the direction of text, and the blank without width that the
 * prompt puts into tags of outside text; a line ends with a line feed only.
 */
// oxlint-disable-next-line no-control-regex -- these are the characters to leave out
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f\u200b\u202a-\u202e\u2066-\u2069\ue001]/;
const allInvisible = new RegExp(invisible, 'g');

/** Text in which nothing can begin that would have to be looked at, */
// oxlint-disable-next-line no-control-regex -- see above
const plain = /^[^\n\\`~<&[@!:\u0000-\u001f\u007f\u200b\u202a-\u202e\u2066-\u2069\ue001]*$/;
/** at its end no address, */
const begins = /www|(?:https?|ftp|(?<![A-Za-z0-9])(?:ht{0,2}|ft?|w{1,3}))$/i;
/** and at the end of what stands before it nothing that it could join with. */
const joins = /[\]w:/]$/i;

function isPlain(text: string, { tail }: Scan): boolean {
  return plain.test(text) && !begins.test(text) && !joins.test(tail);
}

export function createCleanAnswer({ mark, ...rules }: CleanAnswerOptions) {
  const scan = createScan(rules, (text, isInLink) => cleanLine(rules, text, isInLink));
  let blank = '';
  let isBlank = true;

  /** Blanks at the beginning wait for the first word: there may be none. */
  function begin(text: string): string {
    if (!isBlank || text === '') return text;
    blank += text;
    if (blank.trim() === '') return '';
    isBlank = false;
    return blank.replace(/^(?:[ \t]*\n)+/, '');
  }

  return {
    push(delta: string): string {
      const text = mark ? mark.push(remove(delta)) : remove(delta);
      const isUsual = scan.text === '' && !scan.isLineStart && !scan.fence && !isBlank;
      if (isUsual && !scan.leftOutUntil && isPlain(text, scan)) {
        // The usual piece: a few words. It takes the short way.
        scan.tail = (scan.tail + text).slice(-72);
        scan.head += scan.head.length < 160 ? text : '';
        return text;
      }
      scan.text += text;
      return begin(run(scan));
    },

    end(): string {
      if (mark) scan.text += mark.end();
      scan.isFinal = true;
      return begin(run(scan));
    },

    /** What the model said about its answer. */
    get kind(): string | undefined {
      return scan.mark;
    },
    /** Whether its first line has passed, so that nothing more can be said about it. */
    get hasBegun(): boolean {
      return !isBlank || scan.mark !== undefined;
    },
    /** Nothing was shown that could be read. */
    get isBlank(): boolean {
      return isBlank;
    },
    /** Closes a code block that is open, so that a sentence can follow. */
    get closing(): string {
      if (!scan.fence) return '\n\n';
      return `\n${' '.repeat(scan.fence.indent)}${scan.fence.run}\n\n`;
    },
  };
}

function remove(text: string): string {
  return invisible.test(text) ? text.replace(allInvisible, '') : text;
}

/** Cleans as much as can be told by now. */
function run(scan: Scan): string {
  while (step(scan) === 'done');
  keepBlank(scan);
  scan.text = scan.text.slice(scan.at);
  scan.at = 0;
  const { out } = scan;
  scan.out = '';
  return out;
}

/** A blank waits with the bracket behind it: with a citation that is left out it goes too. */
function keepBlank(scan: Scan): void {
  const { text, at, out } = scan;
  if (text[at] !== '[' || text[at - 1] !== ' ' || !out.endsWith(' ')) return;
  if (!/\S $/.test(scan.tail)) return;
  scan.at--;
  for (const key of ['out', 'head', 'tail'] as const) {
    if (scan[key].endsWith(' ')) scan[key] = scan[key].slice(0, -1);
  }
}

function cleanLine(rules: CleanRules, text: string, isInLink: boolean): string {
  const scan = createScan(rules, (inner, isDeeper) =>
    cleanLine(rules, inner, isInLink || isDeeper),
  );
  scan.text = text;
  scan.isFinal = true;
  scan.isInline = true;
  scan.isInLink = isInLink;
  scan.isLineStart = false;
  return run(scan);
}
