/** Reads a foreign document in a worker: the only way in. */
import type { RunTask, TaskOptions } from '../../platform/workers/worker-pool.ts';
import { runInWorker } from '../../platform/workers/workers.ts';
import type { parseTasks } from './parse-tasks.ts';

type Tasks = typeof parseTasks;

export type Parse = <Name extends keyof Tasks>(
  name: Name,
  input: Parameters<Tasks[Name]>[0],
  options?: TaskOptions & { shared?: Parameters<Tasks[Name]>[1] },
) => Promise<ReturnType<Tasks[Name]>>;

export const toParse = (run: RunTask) => run as Parse;

export const parse = toParse(runInWorker);
