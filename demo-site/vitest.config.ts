import { defineConfig } from 'vitest/config';

export default defineConfig({
  // As they ship: the development builds of the Markdown parser check and log each step.
  ssr: { resolve: { conditions: ['module', 'node'] } },
  test: {
    name: 'demo-site',
    // The files share a worker's modules, as in the server.
    isolate: false,
    include: ['tests/**/*.test.ts'],
    globalSetup: ['../tests/support/build-server.ts'],
    setupFiles: ['../tests/support/processor-seconds.ts', '../tests/support/built-worker.ts'],
    maxWorkers: 4,
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
