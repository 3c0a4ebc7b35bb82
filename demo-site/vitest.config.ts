import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'demo-site',
    include: ['tests/**/*.test.ts'],
    maxWorkers: 3,
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
