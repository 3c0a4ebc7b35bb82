import { defineConfig } from 'vitest/config';
import GitFirst from './tests/sequencer.ts';

export default defineConfig({
  test: {
    projects: ['server', 'server/dashboard', 'widget', 'demo-site', 'tests'],
    reporters: ['default', './tests/summary-reporter.ts'],
    // Two cores are common, and a quarter of the time is spent waiting.
    maxWorkers: 3,
    sequence: { sequencer: GitFirst },
  },
});
