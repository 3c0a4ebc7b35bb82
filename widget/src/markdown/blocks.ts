/**
 * A growing Markdown text as top-level blocks. Blocks that more text cannot change any more are lexed
 * once and keep their identity; only the open rest at the end is lexed again.
 */
import type { Token } from 'marked';
import { lex } from './lexer.ts';
import { mend } from './mend.ts';

export interface Block {
  /** Where it begins in the text: stable, so it serves as a key. */
  key: number;
  token: Token;
  /** More text may still change it. */
  isOpen: boolean;
}

/**
 * How many tokens at the front can no longer change. A block is safe once a blank line ended it and
 * two more blocks follow: the next one might still turn out to continue it, as `2` becomes `2. b`.
 */
function countFinished(tokens: readonly Token[]): number {
  let blocksAfter = 0;
  for (let index = tokens.length - 1; index > 0; index--) {
    if (tokens[index]?.type !== 'space') blocksAfter++;
    const before = tokens[index - 1];
    const endsBlank = before?.type === 'space' || before?.raw.endsWith('\n\n');
    if (blocksAfter >= 2 && endsBlank) return index;
  }
  return 0;
}

function place(tokens: readonly Token[], start: number, isOpen: boolean): Block[] {
  const blocks: Block[] = [];
  let key = start;
  for (const token of tokens) {
    if (token.type !== 'space') blocks.push({ key, token, isOpen });
    key += token.raw.length;
  }
  return blocks;
}

export function createBlocks() {
  let finished: Block[] = [];
  let finishedText = '';

  return {
    /** The blocks of the whole text; `isComplete` once nothing will be added. */
    update(text: string, isComplete: boolean): Block[] {
      // Half of a Windows line end would otherwise be read as a line end of its own.
      const source = text.replace(/\r$/, '').replace(/\r\n?/g, '\n');
      if (!source.startsWith(finishedText)) {
        finished = [];
        finishedText = '';
      }
      let rest = source.slice(finishedText.length);
      const tokens = lex(rest);
      const count = countFinished(tokens);
      const raw = tokens
        .slice(0, count)
        .map((token) => token.raw)
        .join('');
      if (count && rest.startsWith(raw)) {
        finished = [...finished, ...place(tokens.slice(0, count), finishedText.length, false)];
        finishedText += raw;
        rest = rest.slice(raw.length);
        tokens.splice(0, count);
      }
      if (isComplete) return [...finished, ...place(tokens, finishedText.length, false)];

      const mended = mend(rest);
      const open = place(mended === rest ? tokens : lex(mended), finishedText.length, false);
      const last = open.at(-1);
      if (last) last.isOpen = true;
      return [...finished, ...open];
    },
  };
}
