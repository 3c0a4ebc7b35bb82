/** `<` and `&`: tags of ours and of models, addresses in angle brackets, HTML, entities. */
import { type CleanRules, leaveOut, type Outcome, rest, type Scan, write } from './scan.ts';

/** What stands between these is what a model says to itself; at the beginning of a line only. */
const thoughts = [
  'think',
  'thinking',
  'thought',
  'reasoning',
  'reflection',
  'scratchpad',
  'inner_monologue',
];
/** What stands between these is for tools. */
const tooling = [
  'tool_call',
  'tool_calls',
  'tool_use',
  'tool_code',
  'tool_response',
  'tool_result',
  'tool_results',
  'function_call',
  'function_calls',
  'function_result',
  'function_results',
  'invoke',
  'function',
];
/** The elements of our prompt. */
const ours = ['documentation', 'passage', 'pointed-at', 'conversation'];
const stray = new Set([...thoughts, ...tooling, 'parameter', 'answer', 'final', 'response']);
const names = [...stray, ...ours, 'br', 'http', 'https'];

const tag = /^<(\/?)([a-z_-]{1,20})((?:[\s=:][^<>\n]{0,400})?)>/i;
/** `<|im_end|>` and the like, in both kinds of bars that models use; with the role that follows some. */
const special =
  /^<[|｜](?:(?:im_start|start|start_header_id)[|｜]>(?:assistant|system|user|tool|developer)?|[^<>\n]{0,80}[|｜]>)/;
const roleMayFollow = /^<[|｜](?:im_start|start|start_header_id)[|｜]>[a-z]{0,8}$/;
const specialMayBecome =
  /^<(?:[|｜](?:[^<>\n]{0,81}|(?:im_start|start|start_header_id)[|｜]>[a-z]{0,9}))?$/;

/** Between these a model speaks to itself (the format of gpt-oss) or to its tools (DeepSeek, Llama). */
const channel =
  /^<\|channel\|>\s{0,10}(?!final)[a-z]{1,20}[^<]{0,80}(?:<\|constrain\|>[^<]{0,40})?<\|message\|>/i;
const finalChannel = /^<\|channel\|>\s{0,10}final\s{0,10}(?:<\|message\|>)?/i;
const channelMayBecome =
  /^<\|channel\|>[^<]{0,100}(?:<(?:\|[a-z]{0,20}(?:\|>?[^<]{0,40}(?:<(?:\|[a-z]{0,12}\|?)?)?)?)?)?$/i;
const tools =
  /^<[|｜](?:tool[▁_ ]?calls?[▁_ ]?(?:begin|section_begin)|tool_calls?|python_tag)[|｜]>/i;
const toolsEnd =
  /<[|｜](?:tool[▁_ ]?calls?[▁_ ]?(?:end|section_end)|\/tool_calls?|eom_id|eot_id)[|｜]>/i;

export function readAngle(scan: Scan): Outcome {
  const text = rest(scan, 512);
  const isWhole = scan.isFinal || text.length >= 512;
  if (channel.test(text)) return skip(scan, /<\|(?:end|return|call|start)\|>/);
  const final = finalChannel.exec(text);
  if (final) return drop(scan, final[0].length);
  if (!isWhole && channelMayBecome.test(text)) return 'wait';
  if (!isWhole && roleMayFollow.test(text)) return 'wait';
  if (tools.test(text)) return skip(scan, toolsEnd);
  const token = own(scan.rules, text);
  if (token !== undefined) return drop(scan, token.length);
  const inner = readInner(scan, text);
  if (inner !== 'no') return inner;
  if (!isWhole && mayBecomeOwn(text)) return 'wait';
  // The one tag that models use, and need, in tables.
  const lineBreak = /^<br ?\/?>/i.exec(text);
  // At the beginning of a line it would begin a block of HTML, in which nothing can be escaped.
  if (lineBreak && /^[\s>*+\d.)-]*$/.test(scan.head)) return drop(scan, lineBreak[0].length);
  if (lineBreak && !scan.isInLink) return put(scan, lineBreak[0], lineBreak[0].length);
  const address = /^<(https?:\/\/[^<>\s]{1,2000})>/i.exec(text)?.[1];
  const live = address !== undefined && !scan.isInLink ? scan.rules.links.link(address) : undefined;
  if (address !== undefined && live !== undefined)
    return put(scan, `<${live}>`, address.length + 2);
  // Nothing else is HTML: it is shown as it was written.
  return put(scan, /^<[\s\d=-]/.test(text) ? '<' : '\\<', 1);
}

/** Tags between which a model speaks to itself or to tools; the documentation may speak of such tags. */
function readInner(scan: Scan, text: string): Outcome {
  const [all = '', slash, name = '', more = ''] = tag.exec(text) ?? [];
  const kind = name.toLowerCase();
  if (!stray.has(kind)) return 'no';
  const isKnown = scan.rules.known.has(`<${slash}${name}`);
  if (slash) return isKnown && !scan.isBlank ? 'no' : drop(scan, all.length);
  const isThought =
    thoughts.includes(kind) && (scan.isBlank || (scan.head.trim() === '' && !isKnown));
  // `<function>` alone is a placeholder more often than a call.
  const isCall = tooling.includes(kind) && !isKnown && (kind.includes('_') || more !== '');
  if (!isThought && !isCall) return 'no';
  return skip(scan, new RegExp(`</${name}\\s{0,10}>`, 'i'));
}

/** A tag or token of ours or of the model's at the beginning of a text, unless the documentation has it. */
export function own(rules: CleanRules, text: string): string | undefined {
  const [all, , name = ''] = tag.exec(text) ?? [];
  const found = special.exec(text)?.[0] ?? (ours.includes(name.toLowerCase()) ? all : undefined);
  return found === undefined || rules.known.has(found) ? undefined : found;
}

/** Whether more text could make one of the tags and tokens that are looked for here. */
export function mayBecomeOwn(text: string): boolean {
  if (specialMayBecome.test(text)) return true;
  const [all, name = ''] = /^<\/?([a-z_-]{0,20})(?:[\s=:/][^<>\n]*)?$/i.exec(text) ?? [];
  if (all === undefined) return false;
  const begun = name.toLowerCase();
  const isNameWhole = all.replace('/', '').length > name.length + 1;
  return isNameWhole ? names.includes(begun) : names.some((each) => each.startsWith(begun));
}

/** Entities that mean nothing but their sign. Others could spell an address past every check. */
const harmless =
  /^&(?:amp|lt|gt|quot|apos|nbsp|copy|reg|trade|hellip|mdash|ndash|rarr|larr|uarr|darr|times|middot|bull|deg|euro|laquo|raquo);/;

export function readAmpersand(scan: Scan): Outcome {
  const text = rest(scan, 40);
  if (!scan.isFinal && text.length < 40 && /^&#?\w*$/.test(text)) return 'wait';
  const entity = harmless.exec(text)?.[0];
  if (entity) return put(scan, entity, entity.length);
  return put(scan, /^&#?\w+;/.test(text) ? '\\&' : '&', 1);
}

function put(scan: Scan, text: string, length: number): Outcome {
  write(scan, text);
  scan.at += length;
  return 'done';
}

function drop(scan: Scan, length: number): Outcome {
  leaveOut(scan, length);
  return 'done';
}

function skip(scan: Scan, until: RegExp): Outcome {
  scan.leftOutUntil = until;
  return 'done';
}
