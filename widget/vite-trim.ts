/** What the chat SDK brings along and a browser on somebody's page should not get. */
import type { Plugin } from 'vite';

/**
 * The SDK checks with zod what crosses its borders. In the chat that is the parts of an answer only,
 * which ours checks by itself (answer-stream.ts), so that zod, half of the SDK's code, stays outside:
 * whatever would still call it gets a value that answers everything and does nothing.
 */
export function leaveOutZod(): Plugin {
  return {
    name: 'docent:leave-out-zod',
    transform(code, id) {
      if (!/\/(ai|@ai-sdk\/provider-utils)\/dist\/index\.js$/.test(id)) return undefined;
      let count = 0;
      const left = code.replace(
        /^import (?:(\w+)|\{([^}]*)\}) from ["']zod\/[^"']+["'];$/gm,
        (_all, whole: string | undefined, names = '') => {
          count++;
          const own = whole
            ? [whole]
            : String(names)
                .split(',')
                .map((name) => name.trim().split(' as ').at(-1));
          return own.map((name) => `const ${name} = leftOut;`).join('');
        },
      );
      if (!count) throw new Error(changed);
      const rest = id.includes('/ai/dist/') ? leaveOutTools(left) : leaveOutSchemas(left);
      return `const leftOut = /* @__PURE__ */ new Proxy(function () {}, { get: () => leftOut, apply: () => leftOut });
${rest.replaceAll(/\bz(\$1)?(?=\.| = \{)/g, 'zodOfTheSdk$1')}`;
    },
  };
}

const changed = 'ai has changed: see vite-trim.ts';

/** Without what stands from `start` to before `end`. */
function without(code: string, start: string, end: string): string {
  const from = code.indexOf(start);
  const to = code.indexOf(end, from);
  if (from < 0 || to < 0 || code.indexOf(start, from + 1) >= 0) throw new Error(changed);
  return code.slice(0, from) + code.slice(to);
}

/** What no answer of ours has in it: answer-stream.ts lets no such part through. */
function leaveOutTools(code: string): string {
  const made = 'transport = new DefaultChatTransport(),';
  if (!code.includes(made)) throw new Error(changed);
  let left = without(code, 'case "custom": {\n\t\t\t\t\tconst customPart', 'case "source-url":');
  left = without(
    left,
    'case "source-document":\n\t\t\t\t\tstate.message.parts.push',
    'case "start-step":',
  );
  left = without(left, 'this.addToolApprovalResponse = async', 'this.stop = async');
  // The chat makes a transport by itself where it is given none; it is given ours.
  return left.replace(made, 'transport,');
}

/** Schemas of zod and others, and JSON schemas made of them for models: a chat is given none. */
function leaveOutSchemas(code: string): string {
  return without(code, '"~standard" in schema ?', 'schema();\n}\nfunction standardSchema').replace(
    'schema();\n}\nfunction standardSchema',
    'schema;\n}\nfunction standardSchema',
  );
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
