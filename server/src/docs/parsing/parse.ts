/** Reads a foreign document in a worker: the only way in. */
import type { RunTask, RunTaskOf } from '../../platform/workers/worker-pool.ts';
import { runInWorker } from '../../platform/workers/workers.ts';
import type { parseTasks } from './parse-tasks.ts';

export type Parse = RunTaskOf<typeof parseTasks>;

export const toParse = (run: RunTask) => run as Parse;

export const parse = toParse(runInWorker);
