import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'server',
    // Asked for here: a project does not inherit it, and half of the time is spent waiting.
    maxWorkers: 2,
    // The files share a worker's modules: nothing here lives on a module, and loading them anew for
    // each file was a fifth of the time.
    isolate: false,
    include: ['src/**/*.test.ts'],
    // A real PostgreSQL starts and stops in some of them.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
