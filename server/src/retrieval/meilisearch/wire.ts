/**
 * The requests to Meilisearch that we need, each with a time limit and an end that the caller can set.
 * Plain `fetch`: the official client loses its own time limit where a signal is given, and gives no
 * signal to most calls.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { DocentError } from '../../errors.ts';

export interface MeilisearchServer {
  /** Without a trailing slash. */
  url: string;
  apiKey?: string | undefined;
}

/** How long things may take. */
export interface Patience {
  /** A question, a look at the state. */
  requestMs: number;
  /** Handing over a batch of documents. */
  uploadMs: number;
  /** A task in the queue, from the time that it was handed over. */
  taskMs: number;
}

export const defaultPatience: Patience = {
  requestMs: 4000,
  uploadMs: 60_000,
  taskMs: 15 * 60_000,
};

/** What Meilisearch itself says is wrong, as in its list of error codes. */
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

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  body?: unknown;
  /** Documents as JSON, one a line, in the place of `body`. */
  lines?: string;
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
}

export interface Wire {
  /** Rejects with an `EngineFault` where Meilisearch refuses, with `unavailable` where it does not answer. */
  request<Answer>(path: string, options?: RequestOptions): Promise<Answer>;
  /** Hands over work and gives its number in the queue. */
  enqueue(path: string, options: RequestOptions): Promise<number>;
  /** Waits until a task is done; rejects with its fault. */
  finish(task: number): Promise<void>;
}

interface Task {
  status: 'enqueued' | 'processing' | 'succeeded' | 'failed' | 'canceled';
  error: { code: string; message: string } | null;
}

const firstPauseMs = 5;
const longestPauseMs = 250;

export function createWire(server: MeilisearchServer, patience: Patience): Wire {
  const key: Record<string, string> = {
    ...(server.apiKey !== undefined && { authorization: `Bearer ${server.apiKey}` }),
  };

  async function request<Answer>(path: string, options: RequestOptions = {}): Promise<Answer> {
    const { method = 'GET', body, lines, signal, timeoutMs = patience.requestMs } = options;
    signal?.throwIfAborted();
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: {
          ...key,
          // Its compressed answers come in pieces that TCP holds back for 40 ms.
          'accept-encoding': 'identity',
          'content-type': lines === undefined ? 'application/json' : 'application/x-ndjson',
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(lines !== undefined && { body: lines }),
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
        // A key must not follow to wherever a proxy sends us.
        redirect: 'error',
      });
      const text = await response.text();
      if (response.ok) return JSON.parse(text) as Answer;
      throw faultOf(response.status, text);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof EngineFault && !isOutage(error)) throw error;
      throw outageOf(error, limit.aborted);
    }
  }

  return {
    request,
    async enqueue(path, options) {
      const { taskUid } = await request<{ taskUid?: unknown }>(path, {
        timeoutMs: patience.uploadMs,
        ...options,
      });
      if (typeof taskUid === 'number') return taskUid;
      throw outageOf(new Error('The answer names no task.'), false);
    },
    async finish(task) {
      const end = performance.now() + patience.taskMs;
      for (let pause = firstPauseMs; ; pause = Math.min(pause * 1.5, longestPauseMs)) {
        const { status, error } = await request<Task>(`/tasks/${task}`);
        if (status === 'succeeded') return;
        if (status === 'canceled') throw new EngineFault(409, 'task_canceled', 'It was cancelled.');
        if (status === 'failed')
          throw new EngineFault(400, error?.code ?? 'unknown', error?.message ?? 'It failed.');
        if (performance.now() > end) {
          throw new DocentError('unavailable', 'The search engine does not get to its work.', {
            cause: new Error(`Task ${task} is still ${status}.`),
          });
        }
        await sleep(pause);
      }
    },
  };
}

function faultOf(status: number, text: string): EngineFault {
  let said: { code?: unknown; message?: unknown } = {};
  try {
    said = JSON.parse(text) as typeof said;
  } catch {
    // A proxy in front speaks another language; the status says enough.
  }
  return new EngineFault(
    status,
    typeof said.code === 'string' ? said.code : 'unknown',
    typeof said.message === 'string' ? said.message : `It answers with status ${status}.`,
  );
}

/** What no other request would change: overload, a wrong key, a proxy that has no Meilisearch behind it. */
function isOutage({ statusCode, code }: EngineFault): boolean {
  return statusCode >= 500 || [401, 403, 407, 408, 429].includes(statusCode) || code === 'unknown';
}

/** The sentence is for readers; what was wrong stands in the cause, for the log and the command line. */
function outageOf(cause: unknown, isLate: boolean): DocentError {
  if (cause instanceof EngineFault && [401, 403].includes(cause.statusCode))
    return new DocentError('unavailable', 'The search engine refuses its key.', { cause });
  if (isLate)
    return new DocentError('unavailable', 'The search engine does not answer in time.', { cause });
  if (cause instanceof EngineFault || cause instanceof SyntaxError)
    return new DocentError('unavailable', 'The search engine has a fault.', { cause });
  return new DocentError('unavailable', 'The search engine cannot be reached.', { cause });
}

/** A fault in work that was handed over, as an error that its caller can show. */
export function asError(error: unknown): unknown {
  if (!(error instanceof EngineFault)) return error;
  return new DocentError('upstream_failed', 'The search engine could not do its work.', {
    cause: error,
  });
}

/** Whether a fault says that an index or a document is not there. */
export function isMissing(error: unknown): boolean {
  return (
    error instanceof EngineFault && ['index_not_found', 'document_not_found'].includes(error.code)
  );
}
