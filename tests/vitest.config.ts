import { defineConfig } from 'vitest/config';

export default defineConfig({
  // As they ship: the development builds of the Markdown parser check and log each step. Without `module`,
  // because the one of `@opentelemetry/api` 1.9, which old chat SDKs use, can't be imported by Node.js.
  ssr: { resolve: { conditions: ['node'] } },
  test: {
    name: 'tests',
    // Asked for here: a project does not inherit it.
    maxWorkers: 4,
    // The files share a worker's modules: loading the server and the chat SDKs anew for each was a
    // seventh of the time.
    isolate: false,
    include: ['**/*.test.ts'],
    globalSetup: ['support/build-server.ts'],
    setupFiles: ['support/processor-seconds.ts', 'support/built-worker.ts'],
    // A condition may take its time where the machine is busy.
    expect: { poll: { timeout: 30_000 } },
    // Real servers and browsers start and stop in here.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
