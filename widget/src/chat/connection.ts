/**
 * Reads one answer over as many connections as it takes. The service numbers the parts of an answer and
 * sends them again from any number on, so a new connection goes on where the last one was lost.
 */
import { AnswerError, toRefused } from './answer-error.ts';
import { createPartReader, type Part } from './part-reader.ts';

export type ConnectionState =
  | 'ok'
  /** The answer goes on at the service; there is no connection to it just now. */
  | 'reconnecting'
  /** As before, and there is no network to connect over. */
  | 'offline';

export interface AnswerSource {
  /**
   * Asks for the answer without its first parts. Until its id has come, that is the same request again,
   * which the service knows by its idempotency key.
   */
  connect: (
    have: { messageId: string | undefined; parts: number },
    signal: AbortSignal,
  ) => Promise<Response>;
  signal: AbortSignal;
  /** The answer was begun before, so there is something to lose. */
  isRunning: boolean;
  onState: (state: ConnectionState) => void;
  /** After this long without a byte a connection counts as lost. */
  maxSilenceMs?: number;
}

/** A model may think before it speaks; later, two heartbeats of the service are missed by then. */
const defaultMaxSilenceMs = 40_000;
/** Pauses before a connection is tried again. A question that nobody took gets fewer: its reader waits for nothing. */
const pausesMs = { running: [0, 1000, 2000, 4000, 8000], asking: [300, 1200] };
/** The service sends at least the first part of a running answer at once. */
const maxReconnectMs = 10_000;
const maxDrainMs = 1000;

const timedOut = () => new AnswerError('timeout', 'No answer arrived in time');

/** Resolves early when the network comes back or when `signal` fires. */
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

/** To the very end, so that the connection can serve again and the service knows that all was read. */
async function drain(body: ReadableStreamDefaultReader, connection: AbortController) {
  const timer = setTimeout(() => connection.abort(), maxDrainMs);
  try {
    while (!(await body.read()).done);
  } catch {
    // Everything of the answer is here.
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

  /** Waits for a better moment; throws where there is none to hope for. */
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
        // Another process of the service has the answer, or only the store has: whole, once it is whole.
        reader = createPartReader();
        continue;
      }
      if (!response.ok || !response.body) throw await toRefused(response);
      isRunning = true;
      // A connection from before seldom lives on, and would be missed only after a long silence.
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
