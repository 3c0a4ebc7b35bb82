import { defineConfig } from 'vitest/config';
import GitFirst from './tests/sequencer.ts';

export default defineConfig({
  test: {
    projects: ['server', 'server/dashboard', 'widget', 'demo-site', 'tests'],
    reporters: ['default', './tests/summary-reporter.ts'],
    // Two cores are common, and with three workers, a quarter of their time is spent waiting.
    maxWorkers: 4,
    sequence: { sequencer: GitFirst },
  },
});
