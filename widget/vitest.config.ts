import { defineConfig } from 'vitest/config';
import { keepPrismInside } from './vite-prism.ts';

export default defineConfig({
  plugins: [keepPrismInside()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  define: {
    __DOCENT_FILES__: JSON.stringify(['files.js=0', 'panel.js=0']),
    __DOCENT_IS_MODULE__: 'false',
  },
  test: {
    name: 'widget',
    maxWorkers: 4,
    // The files share a worker's modules and its page, which the file below empties: to make both
    // anew for each file was half of the time.
    isolate: false,
    // Beside browsers and servers on two cores, drawing takes its time.
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 60_000,
    setupFiles: ['../tests/support/processor-seconds.ts', 'testing/before-each-file.ts'],
    environment: 'happy-dom',
    environmentOptions: { happyDOM: { url: 'http://localhost:3000/docs/install' } },
    include: ['src/**/*.test.{ts,tsx}'],
    server: { deps: { inline: ['prismjs'] } },
  },
});
