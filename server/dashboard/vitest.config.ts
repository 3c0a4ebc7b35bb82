import { defineConfig } from 'vitest/config';
import { keepPrismInside } from '../../widget/vite-prism.ts';

export default defineConfig({
  plugins: [keepPrismInside()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    name: 'dashboard',
    environment: 'happy-dom',
    environmentOptions: { happyDOM: { url: 'http://localhost:3000/dashboard' } },
    setupFiles: ['../../tests/support/processor-seconds.ts'],
    include: ['src/**/*.test.{ts,tsx}'],
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 60_000,
    server: { deps: { inline: ['prismjs', 'preact-iso', '@tanstack/preact-table'] } },
  },
});
