/** `[` and `![`: citations, links, images, and plain brackets. */
import { type Outcome, put, type Scan, skip, write } from './scan.ts';

/** Longer text isn't a link's: an unclosed bracket holds back no more than this. Pictures' descriptions are longer. */
const maxTextLength = { link: 80, picture: 400 };
const maxTargetLength = 2_200;

/** `(address "title")`, with or without angle brackets. The title is dropped. */
const target =
  /^\(\s*(?:<([^<>\n]*)>|((?:\\[^\s]|[^\s()\\<>]|\((?:\\[^\s]|[^\s()\\<>])*\))*))(?:\s+(?:"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'|\((?:\\[^]|[^()\\])*\)))?\s*\)/;
/** `1`, `1, 2`, `^1`, `Source 1`, `Sources: 1, 2`, and what OpenAI's models write: `1†source`. */
const citation =
  /^\s*(?:(?:sources?|passages?|documents?|docs?|refs?|references?)\s?:?\s?#?)?\^?\d{1,3}(?:\s*[,;]\s*(?:source |passage )?\^?\d{1,3})*\s*(?:†[^\][【】]{0,40})?$/i;
const range = /^\s*(\d{1,3})\s*[-–—]\s*(\d{1,3})\s*$/;

interface Bracket {
  inner: string;
  /** The address after it, as it was written. */
  address: string | undefined;
  length: number;
}

export function readBracket(scan: Scan): Outcome {
  const isPicture = scan.text[scan.at] === '!';
  const found = parse(scan, isPicture ? 1 : 0);
  if (found === 'wait') return 'wait';
  if (found === 'no') {
    // It's never closed. Escaped, it can't open a link later.
    return put(scan, isPicture ? '!\\[' : '\\[', isPicture ? 2 : 1);
  }
  if (isPicture) picture(scan, found);
  else if (found.address !== undefined) link(scan, found, found.address);
  else if (!cite(scan, found)) {
    write(scan, `[${scan.inline(found.inner, scan.isInLink)}]`);
    scan.at += found.length;
  }
  return 'done';
}

function parse(scan: Scan, offset: number): Bracket | 'wait' | 'no' {
  const begin = scan.at + offset;
  const max = offset === 0 ? maxTextLength.link : maxTextLength.picture;
  const end = closing(scan.text, begin, max);
  const isShort = scan.text.length - begin < max;
  if (end === undefined)
    return isShort && !scan.isFinal && !hasLineEnd(scan, begin) ? 'wait' : 'no';
  if (end === 'no') return 'no';
  const inner = scan.text.slice(begin + 1, end);
  const behind = scan.text.slice(end + 1, end + 1 + maxTargetLength);
  if (behind === '' && !scan.isFinal) return 'wait';
  const length = offset + end + 1 - begin;
  if (!behind.startsWith('(')) return { inner, address: undefined, length };
  const found = target.exec(behind);
  if (found)
    return { inner, address: found[1] ?? found[2] ?? '', length: length + found[0].length };
  const mayClose = behind.length < maxTargetLength && !/\n\s*\n/.test(behind) && !scan.isFinal;
  return mayClose ? 'wait' : { inner, address: undefined, length };
}

/** Where the closing bracket is; `no` if it can't be on this line. */
function closing(text: string, begin: number, max: number): number | 'no' | undefined {
  let depth = 0;
  const end = Math.min(text.length, begin + max);
  for (let at = begin; at < end; at++) {
    const sign = text[at];
    if (sign === '\n') return 'no';
    if (sign === '\\') at++;
    else if (sign === '`') {
      // Brackets in a code span don't count.
      const run = /^`+/.exec(text.slice(at))?.[0] ?? '`';
      const line = text.slice(at + run.length, end).split('\n')[0] ?? '';
      const close = new RegExp(`(?<!\`)${run}(?!\`)`).exec(line);
      at += close ? run.length + close.index + run.length - 1 : run.length - 1;
    } else if (sign === '[') depth++;
    else if (sign === ']') {
      depth--;
      if (depth === 0) return at;
    }
  }
  return end - begin >= max ? 'no' : undefined;
}

function hasLineEnd(scan: Scan, begin: number): boolean {
  return scan.text.indexOf('\n', begin) >= 0;
}

/** Drops numbers that weren't retrieved. Returns false if this isn't a citation. */
function cite(scan: Scan, { inner, length }: Bracket): boolean {
  const numbers = citedIn(scan, inner);
  if (!numbers) return false;
  const cited = numbers.filter((number) => scan.rules.numbers.has(number));
  scan.at += length;
  if (cited.length > 0) write(scan, `[${cited.join(', ')}]`);
  else dropCitation(scan);
  return true;
}

function citedIn({ rules }: Scan, inner: string): string[] | undefined {
  if (citation.test(inner)) return numbersIn(inner);
  const [, first, last] = range.exec(inner) ?? [];
  if (first === undefined || last === undefined) return undefined;
  const from = Number(first);
  const numbers = Array.from({ length: Math.max(0, Number(last) - from + 1) }, (_, index) =>
    String(from + index),
  );
  // `[1-3]` may be a range of something else, so it only counts if all of it was retrieved.
  return numbers.length > 0 && numbers.every((number) => rules.numbers.has(number))
    ? numbers
    : undefined;
}

/** `1†L3` cites source 1. */
function numbersIn(inner: string): string[] {
  const [listed = ''] = inner.split('†');
  return (listed.match(/\d+/g) ?? []).map((number) => String(Number(number)));
}

const maxMarkLength = 60;

/** `【1】` and `(Source 1)`. `(1)` is one too if it certainly isn't anything else. */
export function readOtherCitation(scan: Scan): Outcome {
  const open = scan.text[scan.at] ?? '';
  const text = scan.text.slice(scan.at, scan.at + maxMarkLength);
  const [all, inner = ''] =
    (open === '【' ? /^【([^【】\n]{1,50})】/ : /^\(([^()\n]{1,40})\)/).exec(text) ?? [];
  if (all === undefined) {
    const mayClose =
      text.length < maxMarkLength && !/[\n【】()]/.test(text.slice(1)) && !scan.isFinal;
    const mayCite = open === '【' || /^\((?:$|\d|[spdr][a-z]{0,9}\b)/i.test(text);
    return mayClose && mayCite ? 'wait' : put(scan, open, 1);
  }
  if (!citation.test(inner)) return put(scan, open, 1);
  if (open === '(' && /^\s*\d/.test(inner)) {
    const next = scan.text.slice(scan.at + all.length).charAt(0);
    if (next === '' && !scan.isFinal) return 'wait';
    // A number behind the last word of a sentence, in an answer about pages that have none like it.
    const isBehind = /[\p{L}\p{N}`*"”)] $/u.test(scan.tail) && /^[.!?;\n]?$/.test(next);
    const isKnown = numbersIn(inner).every((number) => scan.rules.numbers.has(number));
    if (!isBehind || !isKnown || scan.rules.isInDocs(all)) return put(scan, open, 1);
  }
  cite(scan, { inner, address: undefined, length: all.length });
  return 'done';
}

/** Drops a citation, with the space before it if the sentence continues. Never joins two words. */
function dropCitation(scan: Scan): void {
  const next = scan.text[scan.at] ?? '';
  if (
    /^(?:[\s.,;:!?…。、，；：！？\p{Pe}\p{Pf}]|$)/u.test(next) &&
    /\S $/.test(scan.tail) &&
    scan.out.endsWith(' ')
  ) {
    scan.out = scan.out.slice(0, -1);
    scan.tail = scan.tail.slice(0, -1);
    scan.head = scan.head.slice(0, -1);
  }
  if (/(?:www|https?:?\/?|ftp:?\/?|&#?\w*|@[\w.-]*|[!<\\`~])$/i.test(scan.tail)) write(scan, ' ');
}

function link(scan: Scan, found: Bracket, address: string): void {
  const { links, numbers } = scan.rules;
  const mail = /^mailto:([\w.%+-]+@[\w.-]+)$/i.exec(address)?.[1];
  const isMail = mail !== undefined && links.isMail(mail);
  const live = scan.isInLink ? undefined : isMail ? address : links.link(address);
  const isNumber = citation.test(found.inner);
  scan.at += found.length;
  if (live === undefined && isNumber) {
    const cited = numbersIn(found.inner).filter((number) => numbers.has(number));
    if (cited.length > 0 && !scan.isInLink) write(scan, `[${cited.join(', ')}]`);
    else dropCitation(scan);
    return;
  }
  const text = scan.inline(found.inner, true);
  if (live === undefined) write(scan, text);
  else {
    // `!` before it would make it an image. Without text there is nothing to click.
    if (/[!\\]$/.test(scan.tail)) write(scan, ' ');
    write(scan, `[${text.trim() === '' ? live : text}](${live})`);
  }
}

function picture(scan: Scan, { inner, address, length }: Bracket): void {
  const live = address === undefined ? undefined : scan.rules.links.picture(address);
  const name = inner.replace(/[[\]\\`<>!&]/g, '');
  const text = scan.inline(name, true);
  const apart = scan.tail.endsWith('\\') ? ' ' : '';
  if (live !== undefined) put(scan, `${apart}![${text}](${live})`, length);
  else if (text === '') skip(scan, length);
  else put(scan, text, length);
}
