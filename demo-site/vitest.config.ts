import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { name: 'demo-site', include: ['tests/**/*.test.ts'], maxWorkers: 2, testTimeout: 30_000 },
});
