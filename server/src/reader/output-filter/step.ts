/** One step of the filter: reads the next construct, or the plain text before it. */
import { begunAddress, readAddress, readAddressEnd, readMail } from './addresses.ts';
import { readBracket, readOtherCitation } from './brackets.ts';
import {
  readCode,
  readCodeLineStart,
  readLineStart,
  readSpan,
  readTicks,
  readTildes,
} from './code.ts';
import { endLine, type Outcome, put, rest, type Scan, skip, write } from './scan.ts';

/** Matches where something other than plain words starts. */
const special = /[\n\\`~<&[(【@\ue001]|!\[|!$|https?:\/\/|ftp:\/\/|www\.|:\/\//gi;

export function step(scan: Scan): Outcome {
  if (scan.at >= scan.text.length && !(scan.isFinal && scan.span)) return 'wait';
  if (scan.isBlank && !scan.isInline) {
    // Some models format the first line.
    const dress = /^(?!`{3})[`*_\s]{0,12}(?:\ue001(?:(.)[`*_]{0,6}\s{0,20})?)?/.exec(
      rest(scan, 64),
    );
    if (dress && scan.at + dress[0].length === scan.text.length && !scan.isFinal) return 'wait';
    if (dress?.[1]) {
      scan.statusLetter ??= dress[1];
      scan.at += dress[0].length;
      scan.isLineStart = true;
      return 'done';
    }
  }
  if (scan.span) return readSpan(scan, scan.span);
  if (scan.skipUntil) return skipToEnd(scan, scan.skipUntil);
  if (scan.fence) {
    if (!scan.isLineStart) return readCode(scan);
    return readCodeLineStart(scan);
  }
  if (scan.isLineStart) {
    const outcome = readLineStart(scan);
    if (outcome !== 'no') return outcome;
    scan.isLineStart = false;
  }
  const joined = readJoin(scan);
  return joined === 'no' ? readSpecial(scan) : joined;
}

function readSpecial(scan: Scan): Outcome {
  const { text, at } = scan;
  switch (text[at]) {
    case '\n':
      return endLine(scan);
    case '\\':
      return readEscape(scan);
    case '`':
      return readTicks(scan);
    case '~':
      return readTildes(scan);
    case '<':
      return readAngle(scan);
    case '&':
      return readAmpersand(scan);
    case '[':
      return readBracket(scan);
    case '(':
    case '【':
      return readOtherCitation(scan);
    case '@':
      return readMail(scan);
    case '\ue001':
      return readStatusSign(scan);
    case '!':
      if (text[at + 1] === '[') return readBracket(scan);
      if (text[at + 1] === undefined && !scan.isFinal) return 'wait';
      return put(scan, '!', 1);
    case undefined:
    default:
  }
  special.lastIndex = at;
  const found = special.exec(text);
  if (found?.index === at) {
    return found[0] === '://' ? readAddressEnd(scan) : readAddress(scan);
  }
  return readWords(scan, found?.index ?? text.length);
}

/** Reads plain words up to the next construct. */
function readWords(scan: Scan, end: number): Outcome {
  const words = scan.text.slice(scan.at, end);
  const isEnd = end === scan.text.length && !scan.isFinal;
  const held = isEnd ? begunAddress((scan.tail + words).slice(-12)) : 0;
  const ready = words.length - Math.min(held, words.length);
  if (ready === 0) return 'wait';
  write(scan, words.slice(0, ready));
  scan.at += ready;
  return held > 0 ? 'wait' : 'done';
}

/** Handles characters that would join with the end of the written text. */
function readJoin(scan: Scan): Outcome {
  const { tail } = scan;
  const next = scan.text[scan.at] ?? '';
  if (tail.endsWith(']') && (next === '(' || next === ':')) {
    // `](` without an address that we've read, and `]:`, which would define a link for the whole answer.
    const isDefinition = /^(?:[\s>*+\d.)-]|\[[ x]\]\s)*\[/i.test(scan.head);
    return put(scan, next === '(' || isDefinition ? `\\${next}` : next, 1);
  }
  if (next === '.' && /www$/i.test(tail)) return readAddressEnd(scan);
  const more = /w$/i.test(tail) ? /^w{1,2}(?=\.)/i.exec(rest(scan, 3))?.[0] : undefined;
  if (more !== undefined && /www$/i.test(tail + more)) return put(scan, more, more.length);
  if (/(?:https?|ftp):$/i.test(tail) && rest(scan, 2) === '//') return readAddressEnd(scan);
  if (/(?:https?|ftp):\/$/i.test(tail) && next === '/') return readAddressEnd(scan);
  return 'no';
}

/** A backslash escapes the next character, which may still be part of an address. */
function readEscape(scan: Scan): Outcome {
  const run = /^(?:\\?[:/.@])+/.exec(rest(scan, 24))?.[0] ?? '';
  if (run !== '') {
    const isOpen = /^\\?$/.test(scan.text.slice(scan.at + run.length, scan.at + run.length + 2));
    if (isOpen && !scan.isFinal && run.length < 24) return 'wait';
    const isAddress = /[/@]/.test(run) || (run.includes('.') && /www$/i.test(scan.tail));
    if (isAddress) {
      const plain = run.replaceAll('\\', '');
      scan.text = scan.text.slice(0, scan.at) + plain + scan.text.slice(scan.at + run.length);
      return 'done';
    }
  }
  const next = scan.text[scan.at + 1];
  if (next === undefined && !scan.isFinal) return 'wait';
  const isEscape = next !== undefined && /[!-/:-@[-`{-~]/.test(next);
  return put(scan, isEscape ? `\\${next}` : '\\', isEscape ? 2 : 1);
}

/** Reads the status, see `status-line.ts`. */
function readStatusSign(scan: Scan): Outcome {
  const kind = scan.text[scan.at + 1];
  if (kind === undefined && !scan.isFinal) return 'wait';
  if (scan.isBlank) scan.statusLetter ??= kind;
  skip(scan, 2);
  return 'done';
}

/** Skips to the end of what is left out. */
function skipToEnd(scan: Scan, until: RegExp): Outcome {
  const found = until.exec(scan.text.slice(scan.at));
  if (!found) {
    // The end tag may arrive in two pieces.
    const keep = scan.isFinal ? 0 : 48;
    scan.at = Math.max(scan.at, scan.text.length - keep);
    return 'wait';
  }
  scan.skipUntil = undefined;
  skip(scan, found.index + found[0].length);
  return 'done';
}

/** `<` and `&`: reasoning, addresses in angle brackets, HTML, and entities. */

/** Models write their reasoning between these tags. */
const thoughts = [
  'think',
  'thinking',
  'thought',
  'reasoning',
  'reflection',
  'scratchpad',
  'inner_monologue',
];
const names = [...thoughts, 'br', 'http', 'https'];

const tag = /^<(\/?)([a-z_]{1,20})(?:\s[^<>\n]{0,400})?>/i;

function readAngle(scan: Scan): Outcome {
  const text = rest(scan, 512);
  const isWhole = scan.isFinal || text.length >= 512;
  const thought = readThought(scan, text);
  if (thought !== 'no') return thought;
  if (!isWhole && mayBecomeKnown(text)) return 'wait';
  // Models need this tag for line breaks in tables.
  const lineBreak = /^<br ?\/?>/i.exec(text);
  // At the start of a line it would start an HTML block, in which nothing can be escaped.
  if (lineBreak && /^[\s>*+\d.)-]*$/.test(scan.head)) return drop(scan, lineBreak[0].length);
  if (lineBreak && !scan.isInLink) return put(scan, lineBreak[0], lineBreak[0].length);
  const address = /^<(https?:\/\/[^<>\s]{1,2000})>/i.exec(text)?.[1];
  const live = address !== undefined && !scan.isInLink ? scan.rules.links.link(address) : undefined;
  if (address !== undefined && live !== undefined)
    return put(scan, `<${live}>`, address.length + 2);
  // Everything else is escaped, so readers see it as it was written.
  return put(scan, /^<[\s\d=-]/.test(text) ? '<' : '\\<', 1);
}

/** Skips reasoning at the start of a line, unless the documentation mentions the tag. */
function readThought(scan: Scan, text: string): Outcome {
  const [all = '', slash, name = ''] = tag.exec(text) ?? [];
  if (!thoughts.includes(name.toLowerCase())) return 'no';
  const isKnown = scan.rules.isInDocs(`<${slash}${name}`);
  if (slash) return isKnown && !scan.isBlank ? 'no' : drop(scan, all.length);
  if (!scan.isBlank && (scan.head.trim() !== '' || isKnown)) return 'no';
  scan.skipUntil = new RegExp(`</${name}\\s{0,10}>`, 'i');
  return 'done';
}

/** Whether more text could complete a tag or address that this file handles. */
function mayBecomeKnown(text: string): boolean {
  const [all, name = ''] = /^<\/?([a-z_]{0,20})(?:[\s:/][^<>\n]*)?$/i.exec(text) ?? [];
  if (all === undefined) return false;
  const begun = name.toLowerCase();
  const isNameWhole = all.replace('/', '').length > name.length + 1;
  return isNameWhole ? names.includes(begun) : names.some((each) => each.startsWith(begun));
}

/** Entities that stand for one harmless character. Others could spell an address past every check. */
const harmless =
  /^&(?:amp|lt|gt|quot|apos|nbsp|copy|reg|trade|hellip|mdash|ndash|rarr|larr|uarr|darr|times|middot|bull|deg|euro|laquo|raquo);/;

function readAmpersand(scan: Scan): Outcome {
  const text = rest(scan, 40);
  if (!scan.isFinal && text.length < 40 && /^&#?\w*$/.test(text)) return 'wait';
  const entity = harmless.exec(text)?.[0];
  if (entity) return put(scan, entity, entity.length);
  return put(scan, /^&#?\w+;/.test(text) ? '\\&' : '&', 1);
}

function drop(scan: Scan, length: number): Outcome {
  skip(scan, length);
  return 'done';
}
