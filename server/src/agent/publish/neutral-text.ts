/**
 * Text of users, models, and repositories for pull requests. Hosts notify people for `@name`, close issues for
 * `fixes #1`, and turn addresses into links or images; none of this text may do that.
 */
import { redact } from '../../platform/redaction/redact.ts';

/** An invisible character that splits a word. */
const joint = '\u200b';
/** The same as an entity, for Markdown: editors keep it. */
const jointEntity = '&#8203;';

/** Turned, hidden or split text, and control characters; joiners of emoji and of scripts stay. */
const unseen =
  // oxlint-disable-next-line no-control-regex -- exactly those are taken out
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** `@name`, `@org/team`, also after a letter: hosts differ in what they take for a word. */
const mention = /@(?=[\p{L}\p{N}_[-])/gu;
/** `#1`, `org/repo#2`, `GH-3`, `!4` of GitLab; in Markdown, `&#` is an entity of ours. */
const reference = /(?<!&)#(?=\d)|(?<=\bgh)-(?=\d)|(?<![\p{L}\p{N}])!(?=\d)/giu;
const closing =
  /\b(close[sd]?|fix(?:e[sd])?|resolve[sd]?|implement(?:s|ed)?|complete[sd]?|ref(?:s|erences)?)(?=[\s:]+[A-Z][A-Z0-9]{1,9}-\d)/gi;
/** Words in a message that make hosts skip the checks of a commit. */
const skipping =
  /\[(?=(?:skip|no)[ -](?:ci|actions|travis|netlify|vercel|cf-pages)\]|ci[ -]skip\]|skip[ -]checks)|(?<=\*{3}NO)_(?=CI\*{3})|(?<=\bskip-checks)(?=:)/gi;

/** Clean text of one or more lines: no secrets, nothing invisible, one kind of line break. */
export function clean(text: string): string {
  return redact(text.toWellFormed().replace(/\r\n?/g, '\n').replace(unseen, ''));
}

/** For a title or a commit message, which are plain text to people and to hosts. */
export function neutralPlain(text: string): string {
  return clean(text)
    .replace(skipping, (found) => found + joint)
    .replace(mention, `@${joint}`)
    .replace(reference, (found) => found + joint)
    .replace(/&#(?=\d)/g, `$&${joint}`)
    .replace(closing, `$1${joint}`)
    .replace(/\b(https?:)(?=\/\/)/gi, `$1${joint}`);
}

/** For Markdown: every character is shown as it is. */
export function neutralMarkdown(text: string): string {
  return clean(text)
    .split('\n')
    .map((line) => escapeStart(escapeInline(line)))
    .join('\n');
}

function escapeInline(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/[\\`*_{}[\]|~]/g, '\\$&')
    .replace(/!(?=\\\[)/g, '\\!')
    .replace(/\$/g, '&#36;')
    .replace(mention, `@${jointEntity}`)
    .replace(reference, (found) => found + jointEntity)
    .replace(closing, `$1${jointEntity}`)
    .replace(/\b([a-z][a-z0-9+.-]{1,20}:)(?=\/\/)|\b(www)(?=\.)/gi, `$&${jointEntity}`)
    .replace(/(?<=mailto|javascript|data):/gi, `:${jointEntity}`);
}

/** Escapes what would make a line a heading, a list, a rule, or a code block. */
function escapeStart(line: string): string {
  const text = line.trimStart();
  const space = line.slice(0, line.length - text.length);
  const sign = /^(?:[#=+-]|\d{1,9}[.)])/.exec(text)?.[0] ?? '';
  const rest = text.slice(sign.length);
  const indent = /\t| {4}/.test(space) ? '   ' : space;
  return `${indent}${sign.replace(/[^\d]$/, '\\$&')}${rest}`.trimEnd();
}

function withoutHeading(line: string): string {
  const marks = /^#{1,6} +/.exec(line)?.[0];
  return marks === undefined ? line : `**${line.slice(marks.length)}**`;
}

/**
 * A model's words: paragraphs, lists, bold words and code spans stay what they are, all else is shown
 * as it is written. Hosts look for no mentions in code.
 */
export function modestMarkdown(text: string): string {
  return clean(text)
    .split('\n')
    .map((line) => {
      const [start = '', indent = '', bullet = ''] =
        /^([ \t]*)((?:[-*+]|\d{1,3}[.)]) +)/.exec(line) ?? [];
      // Deeper than a list could be, it would be a block of code.
      if (bullet !== '' && indent.length <= 8 && !indent.includes('\t')) {
        return indent + bullet.replace(/^[*+]/, '-') + inlineMarkdown(line.slice(start.length));
      }
      return escapeStart(inlineMarkdown(withoutHeading(line.trim())));
    })
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function inlineMarkdown(line: string): string {
  return line
    .split(/(`[^`]+`|\*\*[^*`\s](?:[^*`]*[^*`\s])?\*\*)/)
    .map((piece, index) => {
      if (index % 2 === 0) return escapeInline(piece);
      return piece.startsWith('`')
        ? codeSpan(piece.slice(1, -1))
        : `**${escapeInline(piece.slice(2, -2))}**`;
    })
    .join('')
    .trimEnd();
}

/** A name as code. No text can end the code early. */
export function codeSpan(text: string): string {
  const words = clean(text).replace(/\s+/g, ' ').trim();
  // Some readers find comments even in code.
  const plain = words.replaceAll('<!--', `<!${joint}--`) || ' ';
  const longest = Math.max(0, ...(plain.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = /^`|`$/.test(plain) ? ' ' : '';
  return fence + space + plain + space + fence;
}

/** As a quotation: the text isn't ours. */
export function quote(text: string): string {
  return neutralMarkdown(text)
    .trim()
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** At most so many code points, as hosts count them; whole words where that is possible, never half a sign. */
export function shorten(text: string, most: number): string {
  if (Array.from(text).length <= most) return text;
  let cut = '';
  let length = 0;
  for (const { segment } of graphemes.segment(text.slice(0, most * 20))) {
    length += Array.from(segment).length;
    if (length >= most) break;
    cut += segment;
  }
  const end = cut.lastIndexOf(' ');
  return `${(end > most / 2 ? cut.slice(0, end) : cut).trimEnd()}…`;
}
