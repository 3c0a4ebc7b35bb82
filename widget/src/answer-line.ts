/**
 * One answer over as many connections as it takes. The service numbers the parts of an answer and
 * gives them again from any number on, so what a lost connection has not delivered whole is asked
 * for again; whoever reads from here sees one stream without a seam, byte for byte.
 */
import { AnswerError, toRefused } from './answer-error.ts';
import { toName } from './limits.ts';
import { turn } from './turn.ts';

export type LineState =
  | 'ok'
  /** The answer goes on elsewhere, we are not connected to it just now. */
  | 'reconnecting'
  /** As before, and there is no network to connect over. */
  | 'offline';

export interface LineOptions {
  /**
   * Asks for the answer without its first parts. Until its id has come, that is the same request
   * again, which the service knows by its idempotency key.
   */
  connect: (
    have: { messageId: string | undefined; parts: number },
    signal: AbortSignal,
  ) => Promise<Response>;
  signal: AbortSignal | null | undefined;
  /** It runs already, so there is something to lose. */
  isRunning: boolean;
  /** After this long without a byte a connection counts as lost. */
  silenceMs: number;
  /**
   * The least time between two pieces with words in them. What arrives meanwhile stays in the browser's
   * buffer and is joined: a piece costs the same, however much it says.
   */
  gapMs: () => number;
  onState: (state: LineState) => void;
}

/** Pauses before a connection is tried again. A question that nobody took gets fewer: its reader waits for nothing. */
const pausesMs = { running: [0, 1000, 2000, 4000, 8000], asking: [300, 1200] };
/** In bytes. Words come in parts of some hundred, a source with its quotation in one of some thousand. */
const longestPart = 1_000_000;
/** Of an answer that is being made there is at least the first part, at once. */
const longestReconnectMs = 10_000;

const timeout = () => new AnswerError('timeout', 'No answer arrived in time');

/** Resolves early when the network comes back or when `signal` fires. */
function pause(ms: number | undefined, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController();
    const end = () => {
      over.abort();
      clearTimeout(timer);
      resolve();
    };
    const timer = ms === undefined ? undefined : setTimeout(end, ms);
    addEventListener('online', end, { signal: over.signal });
    signal?.addEventListener('abort', end, { signal: over.signal });
    if (signal?.aborted) end();
  });
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** The first response, with a body that outlives its connection. Rejects where no answer is begun. */
export async function openLine(options: LineOptions): Promise<Response> {
  const { connect, signal, silenceMs, gapMs, onState } = options;
  const decoder = new TextDecoder();
  let { isRunning } = options;
  let messageId: string | undefined;
  let parts = 0;
  let isOver = false;
  let failures = 0;
  let connection = new AbortController();
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let reading: Promise<ReadableStreamReadResult<Uint8Array>> | undefined;
  let lastWordsAt = -Infinity;
  /** Ends the wait for more words. */
  let wake: (() => void) | undefined;
  /** The beginning of a part whose rest has not come. */
  let torso = new Uint8Array(0);

  const within = async <Result>(ms: number, work: () => Promise<Result>): Promise<Result> => {
    const { signal: cut } = connection;
    const timer = setTimeout(() => connection.abort(timeout()), ms);
    try {
      // A request that was aborted rejects with the reason, but not in every browser's body.
      return await work().catch((error: unknown) => {
        throw cut.aborted ? cut.reason : error;
      });
    } finally {
      clearTimeout(timer);
    }
  };

  const openOnce = async (): Promise<Response> => {
    connection = new AbortController();
    torso = new Uint8Array(0);
    const either = signal ? AbortSignal.any([signal, connection.signal]) : connection.signal;
    const ms = isRunning ? Math.min(longestReconnectMs, silenceMs) : silenceMs;
    const response = await within(ms, () => connect({ messageId, parts }, either));
    if (response.status === 204) throw new AnswerError('gone');
    if (!response.ok || !response.body) throw await toRefused(response);
    isRunning = true;
    reader = response.body.getReader();
    reading = undefined;
    return response;
  };

  /** Whether the same may work a moment later. */
  const isOfTheLine = (error: unknown): boolean => {
    if (!(error instanceof AnswerError)) return true;
    if (!isRunning) return false;
    return error.hindrance === 'timeout' || (error.refusal?.status ?? 0) >= 500;
  };

  /** Waits for a better moment; throws where there is none to hope for. */
  const recover = async (error: unknown): Promise<void> => {
    if (signal?.aborted) throw signal.reason;
    if (!isOfTheLine(error)) throw error;
    if (!navigator.onLine && isRunning) {
      onState('offline');
      failures = 0;
      await pause(undefined, signal);
    } else {
      const ms = navigator.onLine
        ? (isRunning ? pausesMs.running : pausesMs.asking)[failures++]
        : undefined;
      if (ms === undefined) throw new AnswerError(isRunning ? 'lost' : 'unreachable');
      if (isRunning) onState('reconnecting');
      await pause(ms, signal);
    }
    if (signal?.aborted) throw signal.reason;
  };

  const open = async (): Promise<Response> => {
    for (;;) {
      try {
        return await openOnce();
      } catch (error) {
        await recover(error);
      }
    }
  };

  /** The whole parts of what has arrived, as they came; the rest is kept for what follows. */
  const take = (pieces: readonly Uint8Array[]): Uint8Array => {
    const all = join([torso, ...pieces]);
    let end = all.length;
    while (end > 1 && !(all[end - 1] === 10 && all[end - 2] === 10)) end--;
    if (end < 2) end = 0;
    torso = all.slice(end);
    if (torso.length > longestPart) throw new AnswerError('endless');
    const whole = all.subarray(0, end);
    for (const event of decoder.decode(whole).split('\n\n')) {
      const type = /^data: \{"type":"([\w-]+)"/.exec(event)?.[1];
      if (!type) continue; // A heartbeat, or the [DONE] of the chat SDK.
      parts++;
      failures = 0;
      if (type === 'text-delta') lastWordsAt = performance.now();
      if (type === 'start') messageId = toName(/"messageId":"([^"]+)"/.exec(event)?.[1]);
      isOver ||= type === 'finish' || type === 'abort' || type === 'error';
    }
    return whole;
  };

  /** The next piece; it stays the next one until `reading` is emptied. */
  const nextPiece = () => {
    if (!reading) {
      reading = reader ? reader.read() : Promise.resolve({ done: true, value: undefined });
      // Whoever waits for it hears of its failure.
      reading.catch(() => {});
    }
    return reading;
  };

  /** All that has arrived by now: browsers keep what was sent apart, and give it out piece by piece. */
  const readArrived = async (): Promise<Uint8Array[]> => {
    const pieces: Uint8Array[] = [];
    const over = turn();
    for (;;) {
      const next = await Promise.race([nextPiece(), over]).catch(() => undefined);
      // Its end or its failure is for whoever reads next.
      if (!next || next.done) return pieces;
      reading = undefined;
      pieces.push(next.value);
    }
  };

  const read = async (): Promise<Uint8Array> => {
    for (;;) {
      try {
        const restMs = lastWordsAt + gapMs() - performance.now();
        if (restMs > 0) await new Promise<void>((resolve) => setTimeout((wake = resolve), restMs));
        const next = await within(silenceMs, nextPiece);
        if (next.done) throw new TypeError('The connection has ended');
        reading = undefined;
        const whole = take([next.value, ...(restMs > 0 ? await readArrived() : [])]);
        if (!whole.length) continue;
        onState('ok');
        return whole;
      } catch (error) {
        await recover(error);
        reader = undefined;
        await open();
      }
    }
  };

  const first = await open();
  const gone = new AbortController();
  // A connection from before seldom lives on, and would be missed only after a long silence.
  addEventListener('online', () => connection.abort(timeout()), { signal: gone.signal });
  signal?.addEventListener('abort', () => wake?.(), { signal: gone.signal });
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      try {
        controller.enqueue(await read());
        if (!isOver) return;
        controller.close();
        gone.abort();
        await finishReading();
      } catch (error) {
        gone.abort();
        onState('ok');
        controller.error(error);
      }
    },
    cancel(reason) {
      gone.abort();
      connection.abort(reason);
    },
  };
  // Nothing is read ahead: it would be a piece of its own.
  const body = new ReadableStream(source, { highWaterMark: 0 });
  /** To the very end, so that the connection can serve again and the service knows that all was read. */
  const finishReading = async (): Promise<void> => {
    const from = reader;
    if (!from) return;
    await within(1000, async () => {
      await reading;
      while (!(await from.read()).done);
    }).catch(() => {});
  };
  return new Response(body, first);
}
