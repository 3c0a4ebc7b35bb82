/** `dist/`: one HTML file for every page, and under `assets/` files whose names contain their hash. */
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { compressFiles } from '../../widget/vite-compress.ts';
import { keepPrismInside } from '../../widget/vite-prism.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));

export default defineConfig({
  // The server may be below a path of a proxy, so files find each other by relative addresses.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox128', 'safari17.5'],
    // The content security policy allows no `data:` addresses.
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    license: { fileName: 'licenses.md' },
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        chunkFileNames: ({ facadeModuleId, name }) =>
          `assets/${/pages\/([\w-]+)\/page\.tsx$/.exec(facadeModuleId ?? '')?.[1] ?? name}-[hash].js`,
      },
    },
  },
  plugins: [
    keepPrismInside(),
    {
      name: 'docent:complete',
      async closeBundle() {
        const dist = join(folder, 'dist');
        const font = join(folder, 'node_modules/@fontsource-variable/geist/LICENSE');
        await appendFile(
          join(dist, 'licenses.md'),
          `\n## Geist\n\n${await readFile(font, 'utf8')}`,
        );
        await compressFiles(dist);
      },
    },
  ],
});
