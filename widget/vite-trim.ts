/** What libraries would do to a page that is not ours. */
import type { Plugin } from 'vite';

/** Prism reads and writes a global and colours the whole host page by itself: ours does neither. */
export function keepPrismInside(): Plugin {
  return {
    name: 'docent:keep-prism-inside',
    transform(code, id) {
      const file = /prismjs\/components\/prism-([\w-]+)\.js$/.exec(id)?.[1];
      if (!file) return undefined;
      // Without a document in sight it does not look for code to colour.
      if (file === 'core') {
        return `const window = { Prism: { manual: true } };\nconst module = {};\nconst global = undefined;\n${code}\nexport default Prism;`;
      }
      return `import Prism from 'prismjs/components/prism-core.js';\n${code}`;
    },
  };
}

/** marked sets up its renderer to HTML while it loads; we only read its lexer's tokens. */
export function keepTheLexerOnly(): Plugin {
  return {
    name: 'docent:keep-the-lexer-only',
    transform(code, id) {
      if (!id.endsWith('/marked.esm.js')) return undefined;
      const end = /var (\w+)=new \w+;function \w+\(\w+,\w+\)\{return \1\.parse/.exec(code)?.index;
      const lexer = /([\w$]+) as Lexer/.exec(code)?.[1];
      const tokenizer = /([\w$]+) as Tokenizer/.exec(code)?.[1];
      if (!end || !lexer || !tokenizer) throw new Error('marked has changed: see vite-trim.ts');
      return `${code.slice(0, end)}export{${lexer} as Lexer,${tokenizer} as Tokenizer};`;
    },
  };
}
