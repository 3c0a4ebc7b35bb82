/** The workers of this process. */
import { availableParallelism } from 'node:os';
import { createWorkerPool } from './worker-pool.ts';

/** The same name for the source and for the build. */
export const workerEntry = new URL(import.meta.resolve('#worker'));

export const workerLimits = {
  // The rest of the machine is for readers.
  workers: Math.min(4, Math.max(2, availableParallelism() - 1)),
  timeoutMs: 20_000,
  heapMb: 1024,
  idleMs: 5_000,
};

export const { run: runInWorker } = createWorkerPool(workerEntry, workerLimits);
