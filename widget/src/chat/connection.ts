/**
 * Reads one answer over as many connections as it takes. The service numbers its parts, so a new
 * connection continues where the last one broke.
 */
import { AnswerError, toRefused } from './answer-error.ts';
import { createPartReader, type Part } from './part-reader.ts';

export type ConnectionState =
  | 'ok'
  /** The service is still answering, but the connection is lost. */
  | 'reconnecting'
  /** The connection is lost, and the browser is offline. */
  | 'offline';

export interface AnswerSource {
  /**
   * Requests the rest of the answer. Before its ID has arrived, this repeats the question, which
   * the service recognizes by its idempotency key.
   */
  connect: (
    have: { messageId: string | undefined; parts: number },
    signal: AbortSignal,
  ) => Promise<Response>;
  signal: AbortSignal;
  /** The service is already answering, for example before a reload. */
  isRunning: boolean;
  onState: (state: ConnectionState) => void;
  /** A connection without a byte for this long counts as lost. */
  maxSilenceMs?: number;
}

/** Long enough for a model that thinks first, and for two of the service's heartbeats. */
const defaultMaxSilenceMs = 40_000;
/** Pauses between attempts to connect. A question that the service hasn't accepted gets fewer attempts. */
const pausesMs = { running: [0, 1000, 2000, 4000, 8000], asking: [300, 1200] };
/** The service sends the first part of a running answer at once. */
const maxReconnectMs = 10_000;
const maxDrainMs = 1000;

const timedOut = () => new AnswerError('timeout', 'No answer arrived in time');

/** Resolves early when the browser comes back online or `signal` fires. */
function pause(ms: number | undefined, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController();
    const end = () => {
      over.abort();
      clearTimeout(timer);
      resolve();
    };
    const timer = ms === undefined ? undefined : setTimeout(end, ms);
    addEventListener('online', end, { signal: over.signal });
    signal.addEventListener('abort', end, { signal: over.signal });
    if (signal.aborted) end();
  });
}

/** Reads to the end, so that the browser can reuse the connection. */
async function drain(body: ReadableStreamDefaultReader, connection: AbortController) {
  const timer = setTimeout(() => connection.abort(), maxDrainMs);
  try {
    while (!(await body.read()).done);
  } catch {
    // The answer is complete.
  } finally {
    clearTimeout(timer);
  }
}

export async function* readAnswer(source: AnswerSource): AsyncGenerator<Part, void, undefined> {
  const { connect, signal, onState, maxSilenceMs = defaultMaxSilenceMs } = source;
  let reader = createPartReader();
  let { isRunning } = source;
  let messageId: string | undefined;
  let failures = 0;

  const canRetry = (error: unknown): boolean => {
    if (!(error instanceof AnswerError)) return true;
    if (!isRunning) return false;
    return error.reason === 'timeout' || (error.refusal?.status ?? 0) >= 500;
  };

  /** Waits before the next attempt. Throws if another attempt is pointless. */
  const recover = async (error: unknown): Promise<void> => {
    if (!canRetry(error)) throw error;
    if (isRunning && !navigator.onLine) {
      onState('offline');
      failures = 0;
      return pause(undefined, signal);
    }
    const pauses = isRunning ? pausesMs.running : pausesMs.asking;
    const ms = navigator.onLine ? pauses[failures++] : undefined;
    if (ms === undefined) throw new AnswerError(isRunning ? 'lost' : 'unreachable');
    if (isRunning) onState('reconnecting');
    return pause(ms, signal);
  };

  for (;;) {
    const connection = new AbortController();
    const cut = () => connection.abort(timedOut());
    const within = async <Result>(ms: number, work: Promise<Result>): Promise<Result> => {
      const timer = setTimeout(cut, ms);
      return work.finally(() => clearTimeout(timer));
    };
    let body: ReadableStreamDefaultReader<Uint8Array> | undefined;
    let isOver = false;
    try {
      const firstMs = isRunning ? Math.min(maxReconnectMs, maxSilenceMs) : maxSilenceMs;
      const either = AbortSignal.any([signal, connection.signal]);
      const have = { messageId, parts: reader.count() };
      const response = await within(firstMs, connect(have, either));
      if (response.status === 204) {
        if (!have.parts) throw new AnswerError('gone');
        // Another process makes this answer, or it is already stored: read it from the beginning.
        reader = createPartReader();
        continue;
      }
      if (!response.ok || !response.body) throw await toRefused(response);
      isRunning = true;
      // A connection from before going offline is usually dead, which would show only after a long silence.
      addEventListener('online', cut);
      body = response.body.getReader();
      reader.beginConnection();
      while (!isOver) {
        const { done, value } = await within(maxSilenceMs, body.read());
        if (done) throw new TypeError('The connection has ended');
        onState('ok');
        for (const part of reader.read(value)) {
          failures = 0;
          if (part.type === 'start') ({ messageId } = part);
          isOver = part.type === 'finish' || part.type === 'error';
          yield part;
          if (isOver) break;
        }
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      const cause: unknown = connection.signal.aborted ? connection.signal.reason : error;
      connection.abort();
      await recover(cause);
      signal.throwIfAborted();
    } finally {
      removeEventListener('online', cut);
      if (isOver && body) void drain(body, connection);
      else connection.abort();
    }
  }
}
