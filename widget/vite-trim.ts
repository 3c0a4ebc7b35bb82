/** What the chat SDK brings along and a browser on somebody's page should not get. */
import type { Plugin } from 'vite';

/**
 * zod keeps its configuration and registry on `globalThis`. On a page whose own code uses zod that
 * would be shared: our `jitless` would slow their validation down. So ours live inside the bundle.
 */
export function keepOffTheHostPage(): Plugin {
  return {
    name: 'docent:keep-off-the-host-page',
    transform(code, id) {
      if (!/zod\/v4\/core\/(core|registries)\.js$/.test(id)) return undefined;
      return `const ourGlobals = {};\n${code.replaceAll('globalThis', 'ourGlobals')}`;
    },
  };
}

/**
 * The chat only validates; turning schemas into JSON Schema is for tools that run on a server. It is
 * 40 kB of source, reachable for the bundler; only the makers of lazy methods are called.
 */
export function leaveOutJsonSchema(): Plugin {
  const stub = (names: string[]) =>
    `const leftOut = () => leftOut;\n` +
    names.map((name) => `export const ${name} = leftOut;`).join('\n');
  return {
    name: 'docent:leave-out-json-schema',
    transform(code, id) {
      // The SDK's chat has schemas of zod 4 only; another 20 kB turn those of zod 3 into JSON Schema.
      if (id.includes('@ai-sdk/provider-utils/dist/index.js')) {
        const call = 'return zod3Schema(zodSchema, options);';
        if (!code.includes(call)) throw new Error('provider-utils has changed: see vite-trim.ts');
        return code.replace(call, "throw new Error('zod 3 is left out');");
      }
      if (!/zod\/v4\/core\/(to-json-schema|json-schema-processors)\.js$/.test(id)) return undefined;
      const names = [...code.matchAll(/^export (?:const|function) (\w+)/gm)].map(
        (match) => match[1],
      );
      return stub(names.filter((name) => name !== undefined));
    },
  };
}

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

/** Of @ai-sdk/react we use `Chat`, a plain class; its hooks and what they need stay outside. */
export function leaveOutReact(): Plugin {
  const stub = '\0docent:no-react';
  return {
    name: 'docent:leave-out-react',
    enforce: 'pre',
    resolveId(id, importer) {
      const isNeeded = /^(react|preact\/compat|(p?react)\/jsx-runtime|swr|throttleit)$/.test(id);
      return isNeeded && importer?.includes('@ai-sdk/react') ? stub : undefined;
    },
    load(id) {
      if (id !== stub) return undefined;
      const names =
        'useCallback useEffect useId useInsertionEffect useLayoutEffect useMemo useRef useState useSyncExternalStore jsx';
      return `export default undefined;export const ${names.split(' ').join('=undefined,')}=undefined;`;
    },
  };
}
