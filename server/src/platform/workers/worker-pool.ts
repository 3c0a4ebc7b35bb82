/** Runs functions of plain data in other threads, each with limited time and memory. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { DocentError } from '../errors.ts';
import type { Reply, Request } from './serve-tasks.ts';
import { availableParallelism } from 'node:os';

export interface WorkerLimits {
  /** So many tasks run at the same time. A worker starts when all others are busy. */
  workers: number;
  timeoutMs: number;
  heapMb: number;
  /** A worker without a task ends after this time. */
  idleMs: number;
}

export interface TaskOptions {
  signal?: AbortSignal | undefined;
  /** The second argument. The same object is sent to each worker only once. */
  shared?: unknown;
}

export type RunTask = (name: string, input: unknown, options?: TaskOptions) => Promise<unknown>;

/** Functions whose arguments and results can be copied. */
export type Tasks = Readonly<Record<string, (input: never, shared?: never) => unknown>>;

/** `RunTask` for tasks whose types are known. */
export type RunTaskOf<All extends Tasks> = <Name extends keyof All & string>(
  name: Name,
  input: Parameters<All[Name]>[0],
  options?: TaskOptions & { shared?: Parameters<All[Name]>[1] },
) => Promise<Awaited<ReturnType<All[Name]>>>;

export class TaskLimitError extends Error {
  override readonly name = 'TaskLimitError';
}

/** Also what is nested too deep: it's the document's fault, so the others can go on. */
export function isTooMuch(error: unknown): error is Error {
  return error instanceof TaskLimitError || error instanceof RangeError;
}

interface Task extends TaskOptions {
  request: Request;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

interface Thread {
  worker: Worker;
  isReady: boolean;
  task?: Task | undefined;
  shared?: unknown;
  timer?: NodeJS.Timeout | undefined;
}

export function createWorkerPool(entry: URL, limits: WorkerLimits) {
  const threads = new Set<Thread>();
  const waiting: Task[] = [];

  function assign(): void {
    for (const thread of threads) {
      if (!thread.isReady || thread.task) continue;
      const task = waiting.shift();
      if (!task) return;
      give(thread, task);
    }
    const starting = [...threads].filter(({ isReady }) => !isReady).length;
    if (waiting.length > starting && threads.size < limits.workers) start();
  }

  function give(thread: Thread, task: Task): void {
    const { worker } = thread;
    const isNew = task.shared !== undefined && task.shared !== thread.shared;
    if (isNew) thread.shared = task.shared;
    thread.task = task;
    clearTimeout(thread.timer);
    watch(thread, task, worker.cpuUsage(), limits.timeoutMs);
    worker.ref();
    worker.postMessage({ ...task.request, ...(isNew && { shared: task.shared }) });
  }

  /** Ends a task whose thread has computed for too long. On a busy machine, that takes longer. */
  function watch(thread: Thread, task: Task, before: Promise<NodeJS.CpuUsage>, inMs: number): void {
    const look = async () => {
      const { user, system } = await thread.worker.cpuUsage(await before);
      // A reply may wait where this thread was busy too.
      await nextTurn();
      if (thread.task !== task) return;
      const leftMs = limits.timeoutMs - (user + system) / 1000;
      if (leftMs > 0) return watch(thread, task, before, Math.max(leftMs, 50));
      const seconds = limits.timeoutMs / 1000;
      end(thread, new TaskLimitError(`it takes more than ${seconds} s`));
    };
    // It rejects if the worker has ended, which says itself why.
    thread.timer = setTimeout(() => void look().catch(() => undefined), inMs);
  }

  function start(): void {
    const worker = new Worker(entry, {
      // The environment holds secrets.
      env: {},
      resourceLimits: {
        maxOldGenerationSizeMb: limits.heapMb,
        // More would save no time, and is kept.
        maxYoungGenerationSizeMb: 32,
        // As much as the main thread has: what is nested deeper fails soon, instead of taking long.
        stackSizeMb: 1,
      },
    });
    const thread: Thread = { worker, isReady: false };
    threads.add(thread);
    worker.on('message', (reply: Reply) => {
      const { task } = thread;
      thread.isReady = true;
      thread.task = undefined;
      rest(thread);
      if ('result' in reply) task?.resolve(reply.result);
      else if ('code' in reply) task?.reject(new DocentError(reply.code, reply.message));
      else if ('error' in reply) task?.reject(reply.error);
      assign();
    });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      end(thread, isMemory ? new TaskLimitError(`it takes more than ${limits.heapMb} MB`) : error);
    });
  }

  function rest(thread: Thread): void {
    clearTimeout(thread.timer);
    thread.worker.unref();
    thread.timer = setTimeout(() => end(thread), limits.idleMs).unref();
  }

  /** Without a task, nobody waits for the error, unless no worker can start. */
  function end(thread: Thread, error?: Error): void {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.timer);
    void thread.worker.terminate();
    thread.task?.reject(error);
    if (error && !thread.isReady) for (const task of waiting.splice(0)) task.reject(error);
    assign();
  }

  function drop(task: Task): void {
    const at = waiting.indexOf(task);
    if (at >= 0) waiting.splice(at, 1);
    task.reject(task.signal?.reason);
    for (const thread of threads) if (thread.task === task) end(thread);
  }

  const run: RunTask = (name, input, { signal, shared } = {}) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const task: Task = {
        request: { name, input, hasShared: shared !== undefined },
        signal,
        shared,
        resolve: settled(resolve),
        reject: settled(reject),
      };
      const abort = () => drop(task);
      signal?.addEventListener('abort', abort, { once: true });
      waiting.push(task);
      assign();

      function settled<Value>(settle: (value: Value) => void) {
        return (value: Value) => {
          signal?.removeEventListener('abort', abort);
          settle(value);
        };
      }
    });

  return {
    run,
    /** For tests: how many workers there are now. */
    get size() {
      return threads.size;
    },
    close(): void {
      for (const thread of threads) end(thread, new Error('The workers were closed.'));
    },
  };
}

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
