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
