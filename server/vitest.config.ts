import { defineConfig } from 'vitest/config';

export default defineConfig({
  // As they ship: the development builds of the Markdown parser check and log each step.
  ssr: { resolve: { conditions: ['module', 'node'] } },
  test: {
    name: 'server',
    // Asked for here: a project does not inherit it.
    maxWorkers: 4,
    // The files share a worker's modules: loading them anew for each file was a fifth of the time.
    isolate: false,
    include: ['src/**/*.test.ts'],
    // Worker threads of the build start in a third of the time of those from the sources.
    globalSetup: ['../tests/support/build-server.ts'],
    setupFiles: ['../tests/support/built-worker.ts'],
    // A condition may take its time where the machine is busy.
    expect: { poll: { timeout: 30_000 } },
    // A real PostgreSQL starts and stops in some of them.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
