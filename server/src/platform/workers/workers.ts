/** The workers of this process. */
import { availableParallelism } from 'node:os';
import { createWorkerPool } from './worker-pool.ts';

/** The source and the build start the same way: the build has an entry of this name. */
const file = import.meta.url.endsWith('.ts') ? 'src/worker.ts' : 'dist/worker.js';
export const workerEntry = new URL(file, import.meta.resolve('@docent/server/package.json'));

export const workerLimits = {
  // The rest of the machine is for readers.
  workers: Math.min(4, Math.max(2, availableParallelism() - 1)),
  timeoutMs: 20_000,
  heapMb: 1024,
  idleMs: 5_000,
};

export const { run: runInWorker } = createWorkerPool(workerEntry, workerLimits);
