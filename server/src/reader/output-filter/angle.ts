/** `<` and `&`: reasoning, addresses in angle brackets, HTML, and entities. */
import { type Outcome, put, rest, type Scan, skip } from './scan.ts';

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

export function readAngle(scan: Scan): Outcome {
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

export function readAmpersand(scan: Scan): Outcome {
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
