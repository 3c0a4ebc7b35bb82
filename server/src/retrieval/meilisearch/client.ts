/**
 * The official Meilisearch client with our timeouts and errors. `client.test.ts` shows the gaps that this
 * fills.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EnqueuedTask,
  type ExtraRequestInit,
  Meilisearch,
  MeilisearchApiError,
  type Settings,
} from 'meilisearch';
import { DocentError } from '../../platform/errors.ts';

export interface MeilisearchServer {
  url: string;
  apiKey?: string | undefined;
}

export const defaultTimeouts = {
  /** A search or a lookup. */
  requestMs: 4000,
  /** Sending a batch of documents. */
  uploadMs: 60_000,
  /** Waiting for a task. */
  taskMs: 15 * 60_000,
};
export type Timeouts = typeof defaultTimeouts;

/** An error that Meilisearch reports, with its documented error code. */
export class EngineFault extends Error {
  override readonly name = 'EngineFault';
  readonly code: string;
  readonly statusCode: number;

  constructor(statusCode: number, code: string, message: string) {
    super(message);
    this.statusCode = statusCode;
    this.code = code;
  }
}

interface RequestOptions {
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
}

export type MeilisearchClient = ReturnType<typeof createMeilisearchClient>;

const firstPauseMs = 5;
const maxPauseMs = 250;

export function createMeilisearchClient(server: MeilisearchServer, timeouts: Timeouts) {
  /** Methods that take no signal use the client's own timeout. */
  function connect(timeout: number): Meilisearch {
    const { url: host, apiKey } = server;
    return new Meilisearch({
      host,
      ...(apiKey !== undefined && { apiKey }),
      timeout,
      requestInit: {
        // A key must not follow a redirect to another server.
        redirect: 'error',
        // Compressed responses come in chunks that TCP delays by 40 ms.
        headers: { 'accept-encoding': 'identity' },
      },
    });
  }

  /**
   * Rejects with an `EngineFault` if Meilisearch refuses the request, and with `unavailable` if it doesn't
   * respond. Pass `init`, which has the signal and the timeout, to every method that takes it.
   */
  async function request<Answer>(
    send: (api: Meilisearch, init: ExtraRequestInit) => Promise<Answer>,
    { signal, timeoutMs = timeouts.requestMs }: RequestOptions = {},
  ): Promise<Answer> {
    signal?.throwIfAborted();
    const api = connect(timeoutMs);
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      return await send(api, {
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
    } catch (error) {
      signal?.throwIfAborted();
      const fault = error instanceof MeilisearchApiError ? toFault(error) : error;
      if (fault instanceof EngineFault && !isOutage(fault)) throw fault;
      throw toUnavailable(fault, timeout.aborted);
    }
  }

  return {
    request,
    /** Returns the task's number. */
    async enqueue(send: (api: Meilisearch) => Promise<EnqueuedTask>): Promise<number> {
      const task = await request(send, { timeoutMs: timeouts.uploadMs });
      const { taskUid } = (task ?? {}) as { taskUid?: unknown };
      if (typeof taskUid === 'number') return taskUid;
      throw toUnavailable(new SyntaxError('The response names no task.'), false);
    },
    /** Waits for a task, and rejects if it fails. */
    async finish(task: number): Promise<void> {
      const end = performance.now() + timeouts.taskMs;
      for (let pause = firstPauseMs; ; pause = Math.min(pause * 1.5, maxPauseMs)) {
        const { status, error } = await request((api, init) => api.tasks.getTask(task, init));
        if (status === 'succeeded') return;
        if (status === 'canceled') throw new EngineFault(409, 'task_canceled', 'It was canceled.');
        if (status === 'failed')
          throw new EngineFault(400, error?.code ?? 'unknown', error?.message ?? 'It failed.');
        if (performance.now() > end) {
          throw new DocentError('unavailable', 'The search engine does not process its tasks.', {
            cause: new Error(`Task ${task} is still ${status}.`),
          });
        }
        await sleep(pause);
      }
    },
  };
}

function toFault({ response, cause, message }: MeilisearchApiError): EngineFault {
  return new EngineFault(response.status, cause?.code ?? 'unknown', message);
}

/** Faults that affect every request: overload, a wrong key, a proxy without Meilisearch behind it. */
function isOutage({ statusCode, code }: EngineFault): boolean {
  return statusCode >= 500 || [401, 403, 407, 408, 429].includes(statusCode) || code === 'unknown';
}

/** The message is for readers; the cause is for the log and the command line. */
function toUnavailable(cause: unknown, isLate: boolean): DocentError {
  if (cause instanceof EngineFault && [401, 403].includes(cause.statusCode))
    return new DocentError('unavailable', 'The search engine rejects the key.', { cause });
  if (isLate)
    return new DocentError('unavailable', 'The search engine does not respond in time.', { cause });
  // HTML from a proxy, instead of JSON, is a `SyntaxError`.
  if (cause instanceof EngineFault || cause instanceof SyntaxError)
    return new DocentError('unavailable', 'The search engine has a fault.', { cause });
  return new DocentError('unavailable', 'The search engine cannot be reached.', { cause });
}

/** Turns a failed task into an error for the caller. */
export function toCallerError(error: unknown): unknown {
  if (!(error instanceof EngineFault)) return error;
  return new DocentError('upstream_failed', 'The search engine could not process the pages.', {
    cause: error,
  });
}

/** Whether an index or a document doesn't exist. */
export function isMissing(error: unknown): boolean {
  return (
    error instanceof EngineFault && ['index_not_found', 'document_not_found'].includes(error.code)
  );
}

/** In characters; well below Meilisearch's limit, and large enough to be efficient. */
const batchLength = 8_000_000;
/** Limits the unfinished tasks, because Meilisearch's queue takes disk space. */
const maxWaitingTasks = 8;

/** Uploads documents to one index in batches, and waits for all tasks at the end. */
export function createUploads(client: MeilisearchClient, index: string) {
  const tasks: number[] = [];
  let batch: string[] = [];
  let length = 0;

  async function flush(): Promise<void> {
    if (batch.length === 0) return;
    const body = batch.join('\n');
    [batch, length] = [[], 0];
    while (tasks.length >= maxWaitingTasks) await client.finish(tasks.shift() as number);
    tasks.push(
      await client.enqueue((api) =>
        api.index(index).addDocumentsFromString(body, 'application/x-ndjson'),
      ),
    );
  }

  return {
    async settings(settings: Settings): Promise<void> {
      const task = await client.enqueue((api) => api.index(index).updateSettings(settings));
      await client.finish(task);
    },
    async add(documents: readonly object[]): Promise<void> {
      for (const document of documents) {
        const line = JSON.stringify(document);
        batch.push(line);
        length += line.length;
      }
      if (length >= batchLength) await flush();
    },
    /** Removes the documents that match all of these filters. */
    async remove(filter: readonly string[]): Promise<void> {
      await flush();
      tasks.push(
        await client.enqueue((api) => api.index(index).deleteDocuments({ filter: [...filter] })),
      );
    },
    /** Rejects with the first fault. */
    async finish(): Promise<void> {
      await flush();
      for (const task of tasks) await client.finish(task);
    },
  };
}
