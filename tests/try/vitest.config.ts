import { defineConfig } from 'vitest/config';

/** Tests at a server that the user of `forge-try.ts` names. */
export default defineConfig({
  test: {
    name: 'forge-try',
    include: ['*.try.ts'],
    globalSetup: ['../support/build-server.ts'],
    setupFiles: ['../support/built-worker.ts'],
    // The server may be slow, and other people may be using it.
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
