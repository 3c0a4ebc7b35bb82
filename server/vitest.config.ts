import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'server',
    include: ['src/**/*.test.ts'],
    // A real PostgreSQL starts and stops in some of them.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
