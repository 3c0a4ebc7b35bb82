/**
 * Splits a growing Markdown text into top-level blocks. A finished block is lexed once and stays
 * the same object. Code that is still being written isn't lexed.
 */
import type { Token, Tokens } from 'marked';
import { lex } from './lexer.ts';
import { mend } from './mend.ts';

export interface Block {
  /** The start in the text, which is a stable key. */
  key: number;
  token: Token;
  isOpen: boolean;
}

const isFence = (token: Token): boolean =>
  token.type === 'code' && (token as Tokens.Code).codeBlockStyle !== 'indented';

/** Whether `next` finishes the block before it. */
function ends(before: Token, isBlank: boolean, next: Token, isLast: boolean): boolean {
  // Half a line can become anything: `2` a list item, `--` a rule or a heading.
  if (isLast && !next.raw.includes('\n')) return false;
  if (before.type === 'heading' || before.type === 'hr' || isFence(before)) return true;
  if (isFence(next) || next.type === 'heading' || next.type === 'table') return true;
  // If it contains bars, a line of dashes may make it a table.
  return isBlank || (next.type === 'list' && !before.raw.includes('|'));
}

function countFinished(tokens: readonly Token[]): number {
  for (let index = tokens.length - 1; index > 0; index--) {
    const next = tokens[index];
    if (!next || next.type === 'space') continue;
    let at = index - 1;
    while (at > 0 && tokens[at]?.type === 'space') at--;
    const before = tokens[at];
    if (!before || before.type === 'space') return index;
    const isBlank = at < index - 1 || before.raw.endsWith('\n\n');
    if (ends(before, isBlank, next, index === tokens.length - 1)) return index;
  }
  return 0;
}

function toBlocks(tokens: readonly Token[], start: number): Block[] {
  const blocks: Block[] = [];
  let key = start;
  for (const token of tokens) {
    if (token.type !== 'space') blocks.push({ key, token, isOpen: false });
    key += token.raw.length;
  }
  return blocks;
}

/** A block of code without its closing line. */
interface OpenCode {
  lang: string;
  start: number;
  end: RegExp;
  /** There is no closing line before this. */
  searched: number;
}

function openCodeOf(text: string): OpenCode | undefined {
  const found = /^(`{3,}(?!`)|~{3,}(?!~))([^\n]*)\n/.exec(text);
  const [head, fence, info = ''] = found ?? [];
  if (!head || !fence || (fence.startsWith('`') && info.includes('`'))) return undefined;
  const end = new RegExp(`^ {0,3}${fence.charAt(0)}{${fence.length},} *$`, 'm');
  return { lang: info.trim(), start: head.length, end, searched: head.length };
}

/** `lexText`: tests count what is lexed. */
export function createBlocks(lexText: (source: string) => Token[] = lex) {
  let finished: Block[] = [];
  let finishedText = '';
  let code: OpenCode | undefined;
  let seen = '';

  const finish = (blocks: readonly Block[], raw: string): void => {
    finished = [...finished, ...blocks];
    finishedText += raw;
    code = undefined;
  };

  /** The open code block, or `undefined` if it may be closed. */
  const growCode = (rest: string): Token | undefined => {
    if (!code) return undefined;
    if (code.end.test(rest.slice(code.searched))) {
      code = undefined;
      return undefined;
    }
    code.searched = Math.max(code.start, rest.lastIndexOf('\n') + 1);
    const written = rest.replace(/\n {0,3}(?:`+|~+)$/, '\n').slice(code.start);
    const text = written.replace(/\n$/, '');
    return { type: 'code', raw: rest, lang: code.lang, text };
  };

  const open = (rest: string): Block[] => {
    const written = growCode(rest);
    if (written) return [{ key: finishedText.length, token: written, isOpen: true }];
    const tokens = lexText(mend(rest));
    const count = countFinished(tokens);
    const raw = tokens
      .slice(0, count)
      .map((token) => token.raw)
      .join('');
    if (count && rest.startsWith(raw)) {
      finish(toBlocks(tokens.slice(0, count), finishedText.length), raw);
      tokens.splice(0, count);
      rest = rest.slice(raw.length);
    }
    const last = tokens.at(-1);
    if (tokens.length === 1 && last && isFence(last)) {
      code = openCodeOf(rest);
      if (code?.end.test(rest.slice(code.start))) code = undefined;
    }
    const blocks = toBlocks(tokens, finishedText.length);
    const grows = blocks.at(-1);
    if (grows) grows.isOpen = true;
    return blocks;
  };

  return {
    update(text: string, isComplete: boolean): Block[] {
      // Half of a Windows line end would be read as a line end.
      const source = text.includes('\r') ? text.replace(/\r$/, '').replace(/\r\n?/g, '\n') : text;
      if (!source.startsWith(finishedText)) {
        finished = [];
        finishedText = '';
        code = undefined;
      }
      const rest = source.slice(finishedText.length);
      if (!rest.startsWith(seen)) code = undefined;
      if (isComplete) return [...finished, ...toBlocks(lexText(rest), finishedText.length)];
      const blocks = open(rest);
      seen = source.slice(finishedText.length);
      return [...finished, ...blocks];
    },
  };
}
