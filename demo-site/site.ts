/** The Vite configuration of the site, for `vite build` and `start.ts`. */
import { fileURLToPath } from 'node:url';
import type { InlineConfig } from 'vite';
import { docs, type DocsOptions } from './src/docs-plugin.ts';

export function siteConfig(options: DocsOptions): InlineConfig {
  return {
    root: fileURLToPath(new URL('.', import.meta.url)),
    // Our own files. The plugin copies the images of the docs folder.
    publicDir: 'public',
    plugins: [docs(options)],
    build: { emptyOutDir: true, reportCompressedSize: false, assetsDir: 'assets' },
  };
}
