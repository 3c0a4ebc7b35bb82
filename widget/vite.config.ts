/**
 * `dist/widget/`: the panel and what it loads later, ES modules with hashed names. Built after it, as
 * they must know those names: `dist/docent.js`, the loader, one classic script; `dist/docent.mjs`, the
 * same as a module. `dist/react.mjs` stands on the module and on the page's own React.
 */
import { defineConfig, type Plugin, type Rolldown } from 'vite';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compressFiles } from './vite-compress.ts';
import { verifyFiles } from './vite-verify.ts';
import { keepPrismInside } from './vite-prism.ts';

const lazyEntries = {
  panel: 'src/panel/widget.ts',
  offers: 'src/page-context/offers.ts',
  landing: 'src/citations/landing.ts',
  explain: 'src/embed/explain.ts',
  deflect: 'src/deflect/deflect.ts',
};
/** The one that a reader waits for: the loader knows its files without asking. */
const foremost = 'panel';
let files: readonly string[] = [];
const moduleFile = fileURLToPath(new URL('src/embed/module.ts', import.meta.url));

/** Writes into the loader what it has to know of the files it loads. */
function knownFiles(): Plugin {
  return {
    name: 'docent:known-files',
    applyToEnvironment: ({ name }) => name === 'loader' || name === 'module',
    transform(code) {
      if (!code.includes('__DOCENT_FILES__')) return undefined;
      return code
        .replaceAll('__DOCENT_FILES__', JSON.stringify(files))
        .replaceAll('__DOCENT_IS_MODULE__', String(this.environment.name === 'module'));
    },
  };
}

/** Who bundles the module must leave alone what it loads from the service. */
function leaveImportsAlone(): Plugin {
  return {
    name: 'docent:leave-imports-alone',
    applyToEnvironment: ({ name }) => name === 'module',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue;
        if (file.code.split('import(').length !== 2) throw new Error('load.ts has one import()');
        file.code = file.code.replace(
          'import(',
          'import(/* webpackIgnore: true */ /* @vite-ignore */ ',
        );
      }
    },
  };
}

/**
 * What entries beside the panel are in need of too becomes one file, `base`; all else that the panel
 * begins with is in its own, from which later files take it: fewer files for a reader to wait for.
 */
function sharedFile(id: string, context: Pick<Rolldown.PluginContext, 'getModuleInfo'>) {
  const reaches = (entry: string) => {
    let reached = reachedBy.get(entry);
    if (!reached) {
      reached = new Set([fileURLToPath(new URL(entry, import.meta.url))]);
      for (const one of reached) {
        for (const next of context.getModuleInfo(one)?.importedIds ?? []) reached.add(next);
      }
      reachedBy.set(entry, reached);
    }
    return reached.has(id);
  };
  const { panel, ...beside } = lazyEntries;
  if (!reaches(panel)) return null;
  return Object.values(beside).some(reaches) ? 'base' : 'panel';
}
const reachedBy = new Map<string, Set<string>>();

/**
 * Browsers that know it compile the whole file while it loads, beside the page's own work. Otherwise
 * they compile each function at its first call: a quarter of the loader's time.
 */
const compileHint = '//# allFunctionsCalledOnLoad';

export default defineConfig({
  // Each text as an export of its own would double the languages.
  json: { namedExports: false },
  base: './',
  publicDir: false,
  build: {
    target: 'es2022',
    // Styles use what these brought such as relative colours.
    cssTarget: ['chrome123', 'firefox128', 'safari17.5'],
    // Library mode, said here for both: an `import()` stays one. Otherwise Vite wraps it in a helper
    // that adds link elements to the host's head and sends events to its window.
    lib: { entry: lazyEntries },
    modulePreload: false,
    reportCompressedSize: false,
  },
  environments: {
    client: {
      build: {
        outDir: 'dist/widget',
        emptyOutDir: true,
        lib: { entry: lazyEntries, formats: ['es'] },
        rolldownOptions: {
          // Else the panel would be a file of its own that only hands on what is in another.
          preserveEntrySignatures: 'allow-extension',
          output: {
            entryFileNames: '[name]-[hash:10].js',
            chunkFileNames: '[name]-[hash:10].js',
            codeSplitting: {
              groups: [{ name: sharedFile, debugName: 'shared' }],
            },
            minify: true,
            postBanner: compileHint,
          },
        },
      },
    },
    loader: {
      consumer: 'client',
      build: {
        outDir: 'dist',
        emptyOutDir: false,
        lib: { entry: 'src/loader/loader.ts', formats: ['iife'], name: 'docentLoader' },
        rolldownOptions: {
          output: { entryFileNames: 'docent.js', minify: true, postBanner: compileHint },
        },
      },
    },
    module: {
      consumer: 'client',
      build: {
        outDir: 'dist',
        emptyOutDir: false,
        lib: { entry: 'src/embed/module.ts', formats: ['es'] },
        rolldownOptions: { output: { entryFileNames: 'docent.mjs', minify: true } },
      },
    },
    react: {
      consumer: 'client',
      build: {
        outDir: 'dist',
        emptyOutDir: false,
        lib: { entry: 'src/embed/react.ts', formats: ['es'] },
        rolldownOptions: {
          external: ['react', moduleFile],
          output: {
            entryFileNames: 'react.mjs',
            paths: { [moduleFile]: './docent.mjs' },
            // For frameworks that draw on a server first: this part is for the browser.
            banner: "'use client';",
          },
        },
      },
    },
  },
  builder: {
    // One instance of this file for both builds: the second reads what the first wrote down.
    sharedConfigBuild: true,
    async buildApp(builder) {
      const { client, loader, module, react } = builder.environments;
      if (!client || !loader || !module || !react) throw new Error('All are configured above');
      await builder.build(client);
      for (const next of [loader, module, react]) await builder.build(next);
      const dist = fileURLToPath(new URL('dist', import.meta.url));
      const hash = createHash('sha256').update(await readFile(join(dist, 'docent.js')));
      console.log(`docent.js  sha256-${hash.digest('base64')}`);
      await compressFiles(dist);
    },
  },
  plugins: [
    verifyFiles(foremost, (known) => (files = known)),
    knownFiles(),
    leaveImportsAlone(),
    keepPrismInside(),
  ],
});
