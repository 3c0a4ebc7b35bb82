/**
 * Loads Prism and each grammar on demand. vite-prism.ts replaces the global that Prism's files
 * expect.
 */
import Prism from 'prismjs/components/prism-core.js';

export interface Token {
  type: string;
  content: TokenStream;
  alias?: string | string[];
}
export type TokenStream = string | Token | (string | Token)[];
export type Grammar = object;

interface Language {
  after?: readonly string[];
  load: () => Promise<unknown>;
}

const languages: Record<string, Language> = {
  markup: { load: () => import('prismjs/components/prism-markup.js') },
  css: { load: () => import('prismjs/components/prism-css.js') },
  clike: { load: () => import('prismjs/components/prism-clike.js') },
  javascript: { after: ['clike'], load: () => import('prismjs/components/prism-javascript.js') },
  typescript: {
    after: ['javascript'],
    load: () => import('prismjs/components/prism-typescript.js'),
  },
  jsx: { after: ['markup', 'javascript'], load: () => import('prismjs/components/prism-jsx.js') },
  tsx: { after: ['jsx', 'typescript'], load: () => import('prismjs/components/prism-tsx.js') },
  json: { load: () => import('prismjs/components/prism-json.js') },
  yaml: { load: () => import('prismjs/components/prism-yaml.js') },
  toml: { load: () => import('prismjs/components/prism-toml.js') },
  bash: { load: () => import('prismjs/components/prism-bash.js') },
  python: { load: () => import('prismjs/components/prism-python.js') },
  go: { after: ['clike'], load: () => import('prismjs/components/prism-go.js') },
  rust: { load: () => import('prismjs/components/prism-rust.js') },
  java: { after: ['clike'], load: () => import('prismjs/components/prism-java.js') },
  sql: { load: () => import('prismjs/components/prism-sql.js') },
  diff: { load: () => import('prismjs/components/prism-diff.js') },
  docker: { load: () => import('prismjs/components/prism-docker.js') },
};

const otherNames: Record<string, readonly string[]> = {
  javascript: ['js', 'mjs'],
  typescript: ['ts'],
  bash: ['sh', 'shell', 'zsh', 'console', 'terminal'],
  python: ['py'],
  yaml: ['yml'],
  markup: ['html', 'xml', 'svg', 'vue'],
  rust: ['rs'],
  go: ['golang'],
  docker: ['dockerfile'],
  json: ['jsonc', 'json5'],
};

const core = Prism as unknown as {
  languages: Record<string, Grammar | undefined>;
  tokenize: (text: string, grammar: Grammar) => TokenStream;
};
const loaded = new Map<string, Promise<void>>();

function load(name: string): Promise<void> {
  const loading =
    loaded.get(name) ??
    (async () => {
      // In order, because each grammar changes the ones before it.
      for (const needed of languages[name]?.after ?? []) await load(needed);
      await languages[name]?.load();
    })();
  loaded.set(name, loading);
  return loading;
}

/** `undefined` for a language that we don't color. */
export async function grammarOf(language: string): Promise<Grammar | undefined> {
  const name =
    Object.keys(otherNames).find((each) => otherNames[each]?.includes(language)) ?? language;
  if (!Object.hasOwn(languages, name)) return undefined;
  await load(name);
  return core.languages[name];
}

export const tokenize = (text: string, grammar: Grammar): TokenStream =>
  core.tokenize(text, grammar);
