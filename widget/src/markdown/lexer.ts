/** marked's lexer for GitHub's Markdown without HTML. */
import { Lexer, Tokenizer, type Token, type Tokens, type TokensList } from 'marked';

class SafeTokenizer extends Tokenizer {
  // HTML stays text and never becomes an element.
  override html(): undefined {}
  override tag(): undefined {}
  // A definition could change blocks that are already visible.
  override def(): undefined {}
}

/** Such deep nesting would overflow the stack. */
const tooDeep =
  /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){50}|^[ \t]{300,}(?:[-*+]|\d{1,9}[.)])[ \t]/m;

export function lex(source: string): Token[] {
  if (!tooDeep.test(source)) {
    try {
      const tokenizer = new SafeTokenizer();
      const tokens: TokensList = new Lexer({ gfm: true, tokenizer }).lex(source);
      return tokens;
    } catch {
      // Emphasis can be too deep, as well.
    }
  }
  const text: Tokens.Text = { type: 'text', raw: source, text: source, escaped: false };
  return [{ type: 'paragraph', raw: source, text: source, tokens: [text] }];
}
