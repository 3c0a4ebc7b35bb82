import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'tests',
    // Asked for here: a project does not inherit it, and half of the time is spent waiting.
    maxWorkers: 2,
    include: ['**/*.test.ts'],
    // Real servers and browsers start and stop in here.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
