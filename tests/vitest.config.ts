import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'tests',
    include: ['**/*.test.ts'],
    // Real servers and browsers start and stop in here.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
