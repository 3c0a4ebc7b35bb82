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
