/**
 * An answer as Markdown for other programs, written from the tokens that the panel draws from: so
 * nothing can become of it there that it was not here. HTML stays text, what is no address to follow
 * loses it, and a picture of another site stays a link, as its reader may never have let it load.
 */
import type { Token, Tokens } from 'marked';
import { decodeEntities } from '../markdown/entities.ts';
import { lex } from '../markdown/lexer.ts';
import { safePicture, safeUrl } from '../markdown/safe-url.ts';

export interface AnswerWriting {
  /** Of a source, by its number: absolute. */
  cite: (id: string) => string | undefined;
  /** What stands for a picture without a name. */
  picture: string;
  /** By how many levels its headings go down. */
  lower: number;
}

/** Without what would end a link. */
export const inLink = (url: string): string => url.replaceAll('(', '%28').replaceAll(')', '%29');

/** Longer than any fence in the code. */
export function fenceFor(code: string): string {
  const longest = Math.max(2, ...Array.from(code.matchAll(/`+/g), ([ticks]) => ticks.length));
  return '`'.repeat(longest + 1);
}

/** `[1]` and `[1, 2]` as links to what they cite. */
function linkCitations(words: string, { cite }: AnswerWriting): string {
  return words.replace(/\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/g, (all, list: string) => {
    const links = list.split(',').map((number) => {
      const address = cite(number.trim());
      return address && `[${number.trim()}](${inLink(address)})`;
    });
    return links.every(Boolean) ? links.join(', ') : all;
  });
}

/** What looks like a tag is none, and what looks like a picture, as "Great![1]" does. */
export const asText = (words: string): string =>
  words.replace(/<(?=[a-z/!?])/gi, '\\<').replaceAll('![', '\\![');

function link(token: Tokens.Link, writing: AnswerWriting): string {
  const url = safeUrl(token.autolink ? token.href : decodeEntities(token.href));
  if (!url) return writeInline(token.tokens, writing);
  if (token.autolink) return token.raw;
  // Numbers within it are its own words.
  const words = writeInline(token.tokens, { ...writing, cite: () => undefined });
  return `[${words || url}](${inLink(url)})`;
}

function picture({ href, text }: Tokens.Image, { picture: nameless }: AnswerWriting): string {
  const name = text.replace(/[\\`*_[\]<>!]/g, '\\$&') || nameless;
  const here = safePicture(href);
  if (here) return `![${name}](${inLink(here)})`;
  const url = safeUrl(href);
  return url?.startsWith('http') ? `[${name}](${inLink(url)})` : name;
}

function writeInline(tokens: readonly Token[], writing: AnswerWriting): string {
  return tokens
    .map((token) => {
      const inside = () => writeInline(('tokens' in token && token.tokens) || [], writing);
      switch (token.type) {
        case 'strong':
        case 'em':
        case 'del': {
          // As it was written: one kind may stand within the other.
          const sign = /^(?:\*\*|__|~~|.)/.exec(
            token.type === 'em' ? token.raw.charAt(0) : token.raw,
          );
          return `${sign?.[0]}${inside()}${sign?.[0]}`;
        }
        case 'link':
          return link(token as Tokens.Link, writing);
        case 'image':
          return picture(token as Tokens.Image, writing);
        case 'codespan':
        case 'br':
        case 'checkbox':
        case 'escape':
          return token.raw;
        default:
          return 'tokens' in token && token.tokens
            ? inside()
            : linkCitations(asText(token.raw), writing);
      }
    })
    .join('');
}

/** All lines behind the first, where they have words. */
const indent = (text: string, by: string): string => text.replace(/\n(?=.)/g, `\n${by}`);

function list({ ordered, start, items, loose }: Tokens.List, writing: AnswerWriting): string {
  return items
    .map((item, at) => {
      const marker = ordered ? `${(Number(start) || 1) + at}. ` : '- ';
      const words = writeBlocks(item.tokens, writing, loose ? '\n\n' : '\n');
      return marker + indent(words, ' '.repeat(marker.length));
    })
    .join(loose ? '\n\n' : '\n');
}

function table({ header, align, rows }: Tokens.Table, writing: AnswerWriting): string {
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const words = (cells: Tokens.TableCell[]) =>
    row(cells.map(({ tokens }) => writeInline(tokens, writing).replaceAll('|', '\\|')));
  const lines = align.map((side) => {
    if (side === 'center') return ':---:';
    return side === 'right' ? '---:' : side === 'left' ? ':---' : '---';
  });
  return [words(header), row(lines), ...rows.map(words)].join('\n');
}

function writeBlock(token: Token, writing: AnswerWriting): string {
  switch (token.type) {
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading;
      const level = Math.min(6, depth + writing.lower);
      return `${'#'.repeat(level)} ${writeInline(tokens, writing)}`;
    }
    case 'code': {
      const { text, lang } = token as Tokens.Code;
      const fence = fenceFor(text);
      return `${fence}${(lang ?? '').replaceAll('`', '')}\n${text}\n${fence}`;
    }
    case 'list':
      return list(token as Tokens.List, writing);
    case 'blockquote':
      return writeBlocks((token as Tokens.Blockquote).tokens, writing).replace(
        /^(?=(.?))/gm,
        (_all, next) => (next ? '> ' : '>'),
      );
    case 'table':
      return table(token as Tokens.Table, writing);
    case 'hr':
      return '---';
    default:
      return writeInline([token], writing).trim();
  }
}

function writeBlocks(tokens: readonly Token[], writing: AnswerWriting, between = '\n\n'): string {
  let text = '';
  for (const token of tokens) {
    if (token.type === 'space') continue;
    const block = writeBlock(token, writing);
    // The box of a task stands on the line of its words.
    if (text) text += text.endsWith('] ') ? '' : between;
    text += token.type === 'checkbox' ? token.raw : block;
  }
  return text;
}

export const writeAnswer = (answer: string, writing: AnswerWriting): string =>
  writeBlocks(lex(answer), writing);
