import { defineConfig } from 'vite';
import { completePackage } from './vite-package.ts';

/** What is shipped: everything in the files of `dist`, npm packages too. */
export default defineConfig({
  build: {
    ssr: true,
    target: 'node24',
    outDir: 'dist',
    license: { fileName: 'licenses.md' },
    reportCompressedSize: false,
    rolldownOptions: {
      input: { cli: 'src/main.ts', docent: 'src/start.ts', worker: 'src/worker.ts' },
      // A package that we don't use with Redis looks for it with `eval`.
      checks: { eval: false },
    },
  },
  ssr: { noExternal: true },
  plugins: [completePackage()],
});
