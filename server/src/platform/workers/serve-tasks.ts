/** The other side of `worker-pool.ts`: what a worker does. */
import { parentPort } from 'node:worker_threads';
import type { ErrorCode } from '@docent/shared/errors';
import { DocentError } from '../errors.ts';
import type { Tasks } from './worker-pool.ts';

export interface Request {
  name: string;
  input: unknown;
  /** The task takes the last object that was shared. */
  hasShared: boolean;
  shared?: unknown;
}

export type Reply =
  | { isReady: true }
  | { result: unknown }
  | { code: ErrorCode; message: string }
  | { error: unknown };

export function serveTasks(tasks: Tasks): void {
  let shared: unknown;
  const reply = (message: Reply) => parentPort?.postMessage(message);
  parentPort?.on('message', async (request: Request) => {
    if ('shared' in request) shared = request.shared;
    try {
      const task = tasks[request.name];
      if (!task) throw new Error(`There is no task ${request.name}.`);
      const given = request.hasShared ? shared : undefined;
      reply({ result: await task(request.input as never, given as never) });
    } catch (error) {
      // Threads copy errors without their code.
      if (error instanceof DocentError) reply({ code: error.code, message: error.message });
      else reply({ error });
    }
  });
  reply({ isReady: true });
}
