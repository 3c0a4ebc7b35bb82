/**
 * Makes `dist` the npm package `docent`: the server with everything that it imports, the widget, and a
 * `package.json` without dependencies. Owners install one package, and it's the one that we tested.
 */
import { chmod, cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import own from './package.json' with { type: 'json' };

const root = fileURLToPath(new URL('..', import.meta.url));

const widget = (name: string, types: string) => ({
  types: `./widget/types/${types}.d.ts`,
  default: `./widget/${name}`,
});

const published = {
  name: 'docent',
  version: own.version,
  description: own.description,
  license: own.license,
  type: 'module',
  bin: { docent: 'docent.cjs' },
  exports: {
    './widget': widget('docent.mjs', 'module-api'),
    './widget/react': widget('react.mjs', 'react-api'),
    './widget/api': { types: './widget/types/api.d.ts' },
    ...Object.fromEntries(
      ['docusaurus', 'starlight', 'vitepress'].map((generator) => [
        `./${generator}`,
        { types: './plugins/index.d.ts', default: `./plugins/${generator}.js` },
      ]),
    ),
    './package.json': './package.json',
  },
  imports: {
    '#dashboard/*': './dashboard/*',
    '#plugins/*': './plugins/*',
    '#widget/*': './widget/*',
    '#worker': './worker.js',
  },
  sideEffects: ['./widget/docent.js', './widget/widget/*'],
  engines: { node: '>=24.7' },
  peerDependencies: { react: '>=18' },
  peerDependenciesMeta: { react: { optional: true } },
};

export function completePackage(): Plugin {
  return {
    name: 'docent:package',
    // Not called where the build stays in memory, as in the tests.
    async writeBundle({ dir = '' }) {
      await writeFile(join(dir, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
      await cp(join(root, 'widget/dist'), join(dir, 'widget'), { recursive: true });
      await cp(join(root, 'server/dashboard/dist'), join(dir, 'dashboard'), { recursive: true });
      for (const name of ['LICENSE', 'CHANGELOG.md']) await cp(join(root, name), join(dir, name));
      const readme = await readFile(join(root, 'README.md'), 'utf8');
      // The registry can't show pictures and links of the repository, which has no address yet.
      const local = /(!?)\[([^\]]*)\]\((?!https?:)[^)]*\)/g;
      await writeFile(
        join(dir, 'README.md'),
        readme.replaceAll(local, (_link, isPicture, text) => (isPicture ? '' : String(text))),
      );
      await chmod(join(dir, 'docent.cjs'), 0o755);
    },
  };
}
