import { defineConfig } from 'vite';

/** What is shipped: the workspace's own packages inlined, npm's left as they are. */
export default defineConfig({
  build: {
    ssr: true,
    target: 'node24',
    outDir: 'dist',
    rolldownOptions: {
      input: { cli: 'src/main.ts', docent: 'src/start.ts', worker: 'src/worker.ts' },
    },
  },
  ssr: { noExternal: [/^@docent\//] },
});
