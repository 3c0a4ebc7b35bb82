import { defineConfig } from 'vitest/config';
import GitFirst from './tests/sequencer.ts';
import { filesOf } from './tests/tiers.ts';
import { keepPrismInside } from './widget/vite-prism.ts';

const countSeconds = './tests/support/processor-seconds.ts';

/** Of a project, which inherits none of it. */
const all = {
  // Two cores are common, and with three workers, a quarter of their time is spent waiting.
  maxWorkers: 4,
  // The files share a worker’s modules: loading them anew for each file was a fifth of the time.
  isolate: false,
  // A condition may take its time where the machine is busy.
  expect: { poll: { timeout: 30_000 } },
  // Real servers and browsers start and stop in some of them.
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

const onNode = (name: 'unit' | 'wire' | 'real') => ({
  // As they ship: the development builds of the Markdown parser check and log each step. Without `module`,
  // because the one of `@opentelemetry/api` 1.9, which old chat SDKs use, can't be imported by Node.js.
  ssr: { resolve: { conditions: ['node'] } },
  test: {
    ...all,
    name,
    include: filesOf(name),
    // Worker threads of the build start in a third of the time of those from the sources.
    globalSetup: ['./tests/support/build-server.ts'],
    setupFiles: [countSeconds, './tests/support/built-worker.ts'],
  },
});

/** The widget and the dashboard, in a document without a browser. */
const drawn = {
  plugins: [keepPrismInside()],
  oxc: { jsx: { runtime: 'automatic' as const, importSource: 'preact' } },
  define: {
    __DOCENT_FILES__: JSON.stringify(['files.js=0', 'panel.js=0']),
    __DOCENT_IS_MODULE__: 'false',
  },
  test: {
    ...all,
    name: 'unit-drawn',
    include: ['{widget,server/dashboard}/src/**/*.test.{ts,tsx}'],
    environment: 'happy-dom',
    environmentOptions: { happyDOM: { url: 'http://localhost:3000/docs/install' } },
    setupFiles: [countSeconds, './widget/testing/before-each-file.ts'],
    server: { deps: { inline: ['prismjs', 'preact-iso', '@tanstack/preact-table'] } },
  },
};

export default defineConfig({
  test: {
    projects: [onNode('unit'), drawn, onNode('wire'), onNode('real')],
    reporters: ['default', './tests/summary-reporter.ts'],
    maxWorkers: 4,
    sequence: { sequencer: GitFirst },
  },
});
