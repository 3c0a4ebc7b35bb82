import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const compiled = fileURLToPath(new URL('../node_modules/.cache/docent-tests', import.meta.url));

export default defineConfig({
  // As they ship: the development builds of the Markdown parser check and log each step.
  ssr: { resolve: { conditions: ['module', 'node'] } },
  test: {
    name: 'demo-site',
    // The files share a worker's modules, as in the server.
    isolate: false,
    include: ['tests/**/*.test.ts'],
    // Processes and worker threads start in half the time with what earlier ones compiled.
    env: { NODE_COMPILE_CACHE: compiled },
    maxWorkers: 4,
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
