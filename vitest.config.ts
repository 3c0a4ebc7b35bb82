import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: ['server', 'widget', 'demo-site', 'tests'],
    reporters: ['default', './tests/summary-reporter.ts'],
    // Two cores are common; browser and server processes want one of them.
    maxWorkers: 2,
  },
});
