/** marked's lexer as we use it: GitHub's Markdown without HTML, for text that a model wrote. */
import { Lexer, Tokenizer, type Token, type Tokens, type TokensList } from 'marked';

class SafeTokenizer extends Tokenizer {
  // HTML is text here: it is shown as it was written and can never become an element.
  override html(): undefined {}
  override tag(): undefined {}
  // A definition could change blocks above it that are already on the screen.
  override def(): undefined {}
}

/** Quotations and lists within each other as nobody writes them: reading and drawing them takes the stack. */
const tooDeep =
  /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){50}|^[ \t]{300,}(?:[-*+]|\d{1,9}[.)])[ \t]/m;

export function lex(source: string): Token[] {
  if (!tooDeep.test(source)) {
    try {
      const tokenizer = new SafeTokenizer();
      const tokens: TokensList = new Lexer({ gfm: true, tokenizer }).lex(source);
      return tokens;
    } catch {
      // Emphasis can be as deep.
    }
  }
  const text: Tokens.Text = { type: 'text', raw: source, text: source, escaped: false };
  return [{ type: 'paragraph', raw: source, text: source, tokens: [text] }];
}
