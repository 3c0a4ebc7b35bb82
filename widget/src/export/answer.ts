/**
 * Writes an answer as Markdown from the tokens that the panel draws, so it can't become more than
 * it was there: HTML stays text, unsafe addresses disappear, and pictures of other sites become
 * links.
 */
import type { Token, Tokens } from 'marked';
import { decodeEntities } from '../markdown/entities.ts';
import { lex } from '../markdown/lexer.ts';
import { safePicture, safeUrl } from '../markdown/safe-url.ts';

export interface WriteOptions {
  /** The absolute address of a source. */
  cite: (id: string) => string | undefined;
  picture: string;
  /** How many levels to lower the headings. */
  lowerBy: number;
}

export const inLink = (url: string): string => url.replaceAll('(', '%28').replaceAll(')', '%29');

export function fenceFor(code: string): string {
  const longest = Math.max(2, ...Array.from(code.matchAll(/`+/g), ([ticks]) => ticks.length));
  return '`'.repeat(longest + 1);
}

function linkCitations(words: string, { cite }: WriteOptions): string {
  return words.replace(/\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/g, (all, list: string) => {
    const links = list.split(',').map((number) => {
      const address = cite(number.trim());
      return address && `[${number.trim()}](${inLink(address)})`;
    });
    return links.every(Boolean) ? links.join(', ') : all;
  });
}

/** Escapes what looks like a tag or a picture, such as "Great![1]". */
export const asText = (words: string): string =>
  words.replace(/<(?=[a-z/!?])/gi, '\\<').replaceAll('![', '\\![');

function link(token: Tokens.Link, options: WriteOptions): string {
  const url = safeUrl(token.autolink ? token.href : decodeEntities(token.href));
  if (!url) return writeInline(token.tokens, options);
  if (token.autolink) return token.raw;
  const words = writeInline(token.tokens, { ...options, cite: () => undefined });
  return `[${words || url}](${inLink(url)})`;
}

function picture({ href, text }: Tokens.Image, { picture: nameless }: WriteOptions): string {
  const name = text.replace(/[\\`*_[\]<>!]/g, '\\$&') || nameless;
  const here = safePicture(href);
  if (here) return `![${name}](${inLink(here)})`;
  const url = safeUrl(href);
  return url?.startsWith('http') ? `[${name}](${inLink(url)})` : name;
}

function writeInline(tokens: readonly Token[], options: WriteOptions): string {
  return tokens
    .map((token) => {
      const inside = () => writeInline(('tokens' in token && token.tokens) || [], options);
      switch (token.type) {
        case 'strong':
        case 'em':
        case 'del': {
          // Keep the original marker, because emphasis can be nested.
          const sign = /^(?:\*\*|__|~~|.)/.exec(
            token.type === 'em' ? token.raw.charAt(0) : token.raw,
          );
          return `${sign?.[0]}${inside()}${sign?.[0]}`;
        }
        case 'link':
          return link(token as Tokens.Link, options);
        case 'image':
          return picture(token as Tokens.Image, options);
        case 'codespan':
        case 'br':
        case 'checkbox':
        case 'escape':
          return token.raw;
        default:
          return 'tokens' in token && token.tokens
            ? inside()
            : linkCitations(asText(token.raw), options);
      }
    })
    .join('');
}

/** Indents all lines after the first. */
const indent = (text: string, by: string): string => text.replace(/\n(?=.)/g, `\n${by}`);

function list({ ordered, start, items, loose }: Tokens.List, options: WriteOptions): string {
  return items
    .map((item, at) => {
      const marker = ordered ? `${(Number(start) || 1) + at}. ` : '- ';
      const words = writeBlocks(item.tokens, options, loose ? '\n\n' : '\n');
      return marker + indent(words, ' '.repeat(marker.length));
    })
    .join(loose ? '\n\n' : '\n');
}

function table({ header, align, rows }: Tokens.Table, options: WriteOptions): string {
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const words = (cells: Tokens.TableCell[]) =>
    row(cells.map(({ tokens }) => writeInline(tokens, options).replaceAll('|', '\\|')));
  const lines = align.map((side) => {
    if (side === 'center') return ':---:';
    return side === 'right' ? '---:' : side === 'left' ? ':---' : '---';
  });
  return [words(header), row(lines), ...rows.map(words)].join('\n');
}

function writeBlock(token: Token, options: WriteOptions): string {
  switch (token.type) {
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading;
      const level = Math.min(6, depth + options.lowerBy);
      return `${'#'.repeat(level)} ${writeInline(tokens, options)}`;
    }
    case 'code': {
      const { text, lang } = token as Tokens.Code;
      const fence = fenceFor(text);
      return `${fence}${(lang ?? '').replaceAll('`', '')}\n${text}\n${fence}`;
    }
    case 'list':
      return list(token as Tokens.List, options);
    case 'blockquote':
      return writeBlocks((token as Tokens.Blockquote).tokens, options).replace(
        /^(?=(.?))/gm,
        (_all, next) => (next ? '> ' : '>'),
      );
    case 'table':
      return table(token as Tokens.Table, options);
    case 'hr':
      return '---';
    default:
      return writeInline([token], options).trim();
  }
}

function writeBlocks(tokens: readonly Token[], options: WriteOptions, between = '\n\n'): string {
  let text = '';
  for (const token of tokens) {
    if (token.type === 'space') continue;
    const block = writeBlock(token, options);
    if (text) text += text.endsWith('] ') ? '' : between;
    text += token.type === 'checkbox' ? token.raw : block;
  }
  return text;
}

export const writeAnswer = (answer: string, options: WriteOptions): string =>
  writeBlocks(lex(answer), options);
