/**
 * Code is shown unchanged, so every parser must agree that it is code. Fences are rewritten with one
 * indentation, and backticks that don't delimit code are escaped.
 */
import { endLine, type Outcome, put, rest, type Scan, write, writeCode } from './scan.ts';

/** Waits no longer for the end of a span, in characters. */
const maxHeldSpan = 80;
/** Of backticks. */
const maxRunLength = 16;
const maxInfoLength = 300;
/** Would become more than code if a table cut the span in two. */
const dangerous = /:\/\/|www\.|@|\]\(|\]\[|\]:|<\w[^<>]*[=/]/i;
/** Replaces what is removed from code. Without it, characters could join and end the code. */
const removed = '…';

/** Backticks inside a line. A long span isn't held back: it's code to its end, at most that of the line. */
export function readTicks(scan: Scan): Outcome {
  const text = rest(scan, maxRunLength + maxHeldSpan);
  const run = /^`+/.exec(text)?.[0] ?? '`';
  const line = text.slice(run.length).split('\n', 1)[0] ?? '';
  const isOpen = run.length + line.length === text.length && !scan.isFinal;
  if (isOpen && line === '' && run.length < maxRunLength) return 'wait';
  const held = line.slice(0, maxHeldSpan);
  const close = [...held.matchAll(/`+/g)].find(([found]) => found === run)?.index;
  // More backticks may follow.
  const isEnd = close !== undefined && close + run.length === held.length;
  if (isOpen && line.length < maxHeldSpan && (close === undefined || isEnd)) return 'wait';
  if (close === undefined || (isEnd && line.length >= maxHeldSpan)) {
    if (line.length >= maxHeldSpan && run.length < maxRunLength) {
      scan.at += run.length;
      if (/[`\\]$/.test(scan.tail)) write(scan, ' ');
      write(scan, run);
      scan.span = run;
      return 'done';
    }
    return put(scan, run.replaceAll('`', '\\`'), run.length);
  }
  const content = line.slice(0, close).replace(/\ue001./g, removed);
  scan.at += run.length + close + run.length;
  // In a table, a bar ends the cell and the code in it.
  const isCut = content.includes('|') && dangerous.test(content);
  if (isCut && scan.inline(content, true) !== content) {
    const shown = scan.inline(content.replaceAll('`', ''), true);
    write(scan, shown);
  } else if (content.trim() !== '') writeCode(scan, content, run);
  return 'done';
}

/** The rest of a span that `readTicks` has opened. It always ends on its line, so every parser agrees that it's code. */
export function readSpan(scan: Scan, run: string): Outcome {
  const { text, at } = scan;
  const plain = /^[^\n`|\ue001]*/.exec(text.slice(at))?.[0] ?? '';
  if (plain !== '') return put(scan, plain, plain.length);
  if (text[at] === '\ue001') return put(scan, removed, 2);
  const found = /^`+/.exec(text.slice(at, at + maxRunLength))?.[0] ?? '';
  const mayGrow = at + found.length === text.length && found.length < maxRunLength;
  if (mayGrow && !scan.isFinal) return 'wait';
  // A bar would end the code in a table, and the end of the line or of the text ends a paragraph's line.
  const isOver = found === run || found === '';
  if (found === '' && scan.tail.endsWith('`')) write(scan, ' ');
  if (isOver) scan.span = undefined;
  return put(scan, isOver ? run : found, found.length);
}

/** Tildes inside a line mean nothing there, but must not end up at the start of a line. */
export function readTildes(scan: Scan): Outcome {
  const run = /^~+/.exec(rest(scan))?.[0] ?? '~';
  if (scan.at + run.length === scan.text.length && !scan.isFinal) return 'wait';
  return put(scan, run.length < 3 ? run : run.replaceAll('~', '\\~'), run.length);
}

/** At the start of a line of text: whether a code block starts. */
export function readLineStart(scan: Scan): Outcome {
  const text = rest(scan, maxInfoLength);
  const isWhole = scan.isFinal || text.length >= maxInfoLength;
  // Whitespace, block quotes, and list markers may come before a block.
  const before = /^(?:[ \t>]|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*/.exec(text)?.[0] ?? '';
  const run = /^(?:`+|~+)/.exec(text.slice(before.length))?.[0] ?? '';
  const mayGrow =
    before.length + run.length === text.length ||
    /^(?:[-*+]|\d{1,9}[.)]?)$/.test(text.slice(before.length));
  if (mayGrow && !isWhole && text.length < 80) return 'wait';
  if (run.length < 3) return 'no';
  const line = text.slice(before.length + run.length).split('\n', 1)[0] ?? '';
  const length = before.length + run.length + line.length;
  if (length === text.length && !isWhole) return 'wait';
  const isCode = run.startsWith('~') || !line.includes('`');
  if (isCode && length < maxInfoLength) {
    const indent = indentOf(scan, before);
    if (indent !== undefined) return open(scan, before, { run, indent }, line, length);
  }
  if (!isCode) return 'no';
  scan.isLineStart = false;
  return put(scan, before + run.replace(/[`~]/g, '\\$&'), before.length + run.length);
}

/** The column where the code starts; `undefined` if parsers may disagree that it is code. */
function indentOf(scan: Scan, before: string): number | undefined {
  if (/^ *$/.test(before)) return scan.lists.allowsFence(before.length) ? before.length : undefined;
  // On the same line as a list marker.
  if (!/^ *(?:[-*+]|\d{1,9}[.)]) {1,4}$/.test(before)) return undefined;
  scan.lists.line(`${before}x`);
  return scan.lists.content === before.length ? before.length : undefined;
}

function open(
  scan: Scan,
  before: string,
  fence: { run: string; indent: number },
  info: string,
  length: number,
): Outcome {
  scan.at += length;
  write(scan, before + fence.run + info.replace(/[`<>\ue001]/g, '').trimEnd());
  scan.fence = fence;
  scan.isLineStart = false;
  return 'done';
}

/** At the start of a line of code: whether the block ends. Indents lines that are indented too little. */
export function readCodeLineStart(scan: Scan): Outcome {
  const { fence } = scan;
  if (!fence) return 'no';
  const text = rest(scan, maxInfoLength);
  const blank = /^[ \t]*/.exec(text)?.[0] ?? '';
  if (blank.length === text.length && !scan.isFinal && text.length < maxInfoLength) return 'wait';
  const line = text.slice(blank.length).split('\n', 1)[0] ?? '';
  const columns = blank.replaceAll('\t', '    ').length;
  const sign = fence.run[0] ?? '`';
  if (line.startsWith(sign)) {
    const isWhole = blank.length + line.length < text.length || scan.isFinal;
    const mayClose = /^[`~ \t]*$/.test(line);
    if (mayClose && !isWhole && text.length < maxInfoLength) return 'wait';
    if (mayClose && line.startsWith(fence.run) && columns <= fence.indent + 3) {
      write(scan, ' '.repeat(fence.indent) + fence.run);
      scan.at += blank.length + line.length;
      scan.fence = undefined;
      scan.isLineStart = false;
      // The start of this line isn't list text.
      scan.head = '';
      scan.lists.endBlock();
      return 'done';
    }
  }
  scan.isLineStart = false;
  const isShort = line !== '' && columns < fence.indent;
  return put(scan, isShort ? ' '.repeat(fence.indent) : blank, blank.length);
}

/** The rest of a line of code. */
export function readCode(scan: Scan): Outcome {
  const sign = scan.text[scan.at];
  if (sign === '\n') return endLine(scan);
  if (sign === '\ue001') return put(scan, removed, 2);
  const plain = /^[^\n\ue001]*/.exec(scan.text.slice(scan.at))?.[0] ?? '';
  return put(scan, plain, plain.length);
}
