/** How Vite builds the site, for `vite build` and for `start.ts` alike. */
import { fileURLToPath } from 'node:url';
import type { InlineConfig } from 'vite';
import { docs, type DocsOptions } from './src/docs-plugin.ts';

export function siteConfig(options: DocsOptions): InlineConfig {
  return {
    root: fileURLToPath(new URL('.', import.meta.url)),
    // A file of our own; the docs folder's pictures are copied by the plugin.
    publicDir: 'public',
    plugins: [docs(options)],
    build: { emptyOutDir: true, reportCompressedSize: false, assetsDir: 'assets' },
  };
}
