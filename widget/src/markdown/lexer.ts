/** marked's lexer as we use it: GitHub's Markdown without HTML, for text that a model wrote. */
import { Lexer, Tokenizer, type Token, type TokensList } from 'marked';

class SafeTokenizer extends Tokenizer {
  // HTML is text here: it is shown as it was written and can never become an element.
  override html(): undefined {}
  override tag(): undefined {}
  // A definition could change blocks above it that are already on the screen.
  override def(): undefined {}
}

export function lex(source: string): Token[] {
  const tokenizer = new SafeTokenizer();
  const tokens: TokensList = new Lexer({ gfm: true, tokenizer }).lex(source);
  return tokens;
}
