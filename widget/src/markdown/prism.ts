/**
 * Prism with the languages of documentation. Order matters: a grammar builds on those above it.
 * Prism's files expect a global of that name; the build gives them ours, see vite-trim.ts.
 */
import Prism from 'prismjs/components/prism-core.js';
import 'prismjs/components/prism-markup.js';
import 'prismjs/components/prism-css.js';
import 'prismjs/components/prism-clike.js';
import 'prismjs/components/prism-javascript.js';
import 'prismjs/components/prism-typescript.js';
import 'prismjs/components/prism-jsx.js';
import 'prismjs/components/prism-tsx.js';
import 'prismjs/components/prism-json.js';
import 'prismjs/components/prism-yaml.js';
import 'prismjs/components/prism-toml.js';
import 'prismjs/components/prism-bash.js';
import 'prismjs/components/prism-python.js';
import 'prismjs/components/prism-go.js';
import 'prismjs/components/prism-rust.js';
import 'prismjs/components/prism-java.js';
import 'prismjs/components/prism-sql.js';
import 'prismjs/components/prism-diff.js';
import 'prismjs/components/prism-docker.js';

export interface Token {
  type: string;
  content: TokenStream;
  alias?: string | string[];
}
export type TokenStream = string | Token | (string | Token)[];

interface PrismCore {
  languages: Record<string, object | undefined>;
  tokenize(text: string, grammar: object): TokenStream;
}

export default Prism as unknown as PrismCore;
