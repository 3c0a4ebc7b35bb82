/**
 * Two outputs. `dist/widget/`: the panel and what it loads later, ES modules with hashed names.
 * `dist/docent.js`: the loader, one classic script, built second as it must know the hashed names.
 */
import { defineConfig, type Plugin, type Rolldown } from 'vite';
import {
  keepOffTheHostPage,
  keepPrismInside,
  keepTheLexerOnly,
  leaveOutJsonSchema,
  leaveOutReact,
} from './vite-trim.ts';

const lazyEntries = {
  panel: 'src/panel.tsx',
  offers: 'src/context/offers.ts',
  explain: 'src/explain.ts',
};
const chunkFiles: Record<string, string> = {};

/** Writes the hashed names of the lazy entries into the loader. */
function lazyNames(): Plugin {
  return {
    name: 'docent:lazy-names',
    applyToEnvironment: (environment) => environment.name === 'loader',
    transform(code) {
      if (!code.includes('__DOCENT_')) return undefined;
      return code
        .replaceAll('__DOCENT_PANEL__', JSON.stringify(chunkFiles['panel']))
        .replaceAll('__DOCENT_EXPLAIN__', JSON.stringify(chunkFiles['explain']))
        .replaceAll('__DOCENT_OFFERS__', JSON.stringify(chunkFiles['offers']));
    },
  };
}

export default defineConfig({
  base: './',
  publicDir: false,
  resolve: {
    alias: [
      { find: /^react\/jsx-runtime$/, replacement: 'preact/jsx-runtime' },
      { find: /^react(-dom)?$/, replacement: 'preact/compat' },
    ],
  },
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
          // The SDK makes ids, downloads and schemas of its server side while it loads.
          treeshake: {
            manualPureFunctions: [
              'lazySchema',
              'createIdGenerator',
              'createDefaultDownloadFunction',
            ],
          },
          output: {
            entryFileNames: '[name]-[hash].js',
            chunkFileNames: '[name]-[hash].js',
            minify: true,
          },
        },
      },
    },
    loader: {
      consumer: 'client',
      build: {
        outDir: 'dist',
        emptyOutDir: false,
        lib: { entry: 'src/loader.ts', formats: ['iife'], name: 'docentLoader' },
        rolldownOptions: { output: { entryFileNames: 'docent.js', minify: true } },
      },
    },
  },
  builder: {
    // One instance of this file for both builds: the second reads what the first wrote down.
    sharedConfigBuild: true,
    async buildApp(builder) {
      const { client, loader } = builder.environments;
      if (!client || !loader) throw new Error('Both builds are configured above');
      const built = (await builder.build(client)) as Rolldown.RolldownOutput[];
      for (const file of built.flatMap(({ output }) => output)) {
        if (file.type === 'chunk' && file.isEntry) chunkFiles[file.name] = file.fileName;
      }
      await builder.build(loader);
    },
  },
  plugins: [
    lazyNames(),
    keepOffTheHostPage(),
    keepPrismInside(),
    keepTheLexerOnly(),
    leaveOutJsonSchema(),
    leaveOutReact(),
  ],
});
