/**
 * One answer in progress, independent of any connection. It continues for a while when nobody reads, and
 * any number of readers can read it from any part on.
 */
import type { AnswerPart } from '@docent/shared/stream';
import { DocentError } from '../../platform/errors.ts';
import { toDocentError, toErrorBody } from '../../platform/http/error-handler.ts';
import type { Logger } from '../../platform/log.ts';

/** Reads parts as they come. */
export interface StreamReader {
  /** The index of the part that it reads next. */
  position: number;
  /** Called when there are new parts or the answer has ended. */
  wake(): void;
}

/** Why an answer was ended early. */
export type EndReason =
  /** A reader asked for it. */
  | 'stopped'
  /** All readers left, and nobody came back. */
  | 'abandoned'
  /** This process stops. */
  | 'service';

export type StartPart = Extract<AnswerPart, { type: 'start' }>;

export interface StreamOptions {
  /** The first part, which contains the ids. */
  start: StartPart;
  /** All other parts. */
  rest: AsyncGenerator<AnswerPart, void, undefined>;
  /** Ends the answer. */
  controller: AbortController;
  /** The id of the request, for an error part. */
  requestId: string;
  /** How the first reader's client reads. */
  forSdk: boolean;
  /** How long an answer continues when nobody reads it. */
  graceMs: number;
  /** Set if the answer must end at once. */
  endReason: EndReason | undefined;
  batch: Batcher;
  /** Told how many bytes more, or less, the answer takes. */
  onKept: (bytes: number) => void;
  log: Logger;
}

export type AnswerStream = ReturnType<typeof createAnswerStream>;

/** Maximum characters of one answer with its parts, far more than the answer's own limit. */
const maxKept = 4_000_000;
/** Counted for each part besides its text. */
const partWeight = 100;

/** Ends an answer when the service stops. */
export const stoppingError = () =>
  new DocentError('unavailable', 'The service is restarting. Please ask again in a moment.', {
    retryAfter: 5,
  });

/** Calls back once all events that arrived together are handled. */
export type Batcher = (wake: () => void) => void;

/**
 * One batcher serves all answers of a process. Tokens that arrive in one packet become one write per
 * reader, which costs a fraction of one write per token.
 */
export function createBatcher(): Batcher {
  let waiting: (() => void)[] = [];
  const wakeAll = () => {
    const now = waiting;
    waiting = [];
    for (const wake of now) wake();
  };
  return (wake) => {
    if (waiting.push(wake) === 1) setImmediate(wakeAll);
  };
}

export function createAnswerStream(options: StreamOptions) {
  const { start, controller, requestId, graceMs, batch, onKept, log } = options;
  const { threadId } = start.messageMetadata;
  /** Empty once the answer has ended and nobody reads it. */
  let parts: AnswerPart[] = [];
  /** All parts of an ended answer. As bytes, they take a tenth of the memory, outside the heap. */
  let packed: Buffer | undefined;
  const readers = new Set<StreamReader>();
  let openText: string | undefined;
  let isForgotten = false;
  let isWakeScheduled = false;
  let isWhole = false;
  let end: EndReason | undefined;
  let grace: NodeJS.Timeout | undefined;

  const wakeAll = () => {
    isWakeScheduled = false;
    for (const reader of readers) reader.wake();
  };
  const awake = () => {
    if (isWakeScheduled) return;
    isWakeScheduled = true;
    batch(wakeAll);
  };
  const push = (part: AnswerPart) => {
    if (part.type === 'text-start') openText = part.id;
    else if (part.type === 'text-end') openText = undefined;
    stream.next = parts.push(part);
    const weight = weigh(part);
    stream.kept += weight;
    onKept(weight);
    if (!isWakeScheduled) awake();
  };

  /** `rest` isn't captured, because it holds the prompt and the passages. */
  async function consume(rest: StreamOptions['rest']): Promise<void> {
    let failure: unknown;
    try {
      for await (const part of rest) {
        // The turn is stored before `finish` comes, so a stop at that point is too late.
        if (controller.signal.aborted && part.type !== 'finish') break;
        push(part);
        isWhole = part.type === 'finish';
        if (stream.kept > maxKept)
          throw new DocentError('upstream_failed', 'The answer has no end.');
      }
    } catch (error) {
      failure = error;
    }
    clearTimeout(grace);
    if (!isWhole) conclude(failure);
    stream.isEnded = true;
    if (readers.size === 0) pack();
    awake();
  }

  /** Either the parts are kept, for readers, or the bytes. */
  function pack(): void {
    if (isForgotten) {
      [parts, packed] = [[], undefined];
      return setKept(0);
    }
    packed ??= Buffer.from(JSON.stringify(parts));
    parts = [];
    setKept(packed.length);
  }

  function setKept(bytes: number): void {
    onKept(bytes - stream.kept);
    stream.kept = bytes;
  }

  /** The status is already sent, so the last parts say why the answer ended early. */
  function conclude(failure: unknown): void {
    if (openText !== undefined) push({ type: 'text-end', id: openText });
    if (end === 'stopped' || end === 'abandoned') {
      for (const part of stoppedParts(threadId)) push(part);
      return;
    }
    const known = toDocentError(end === 'service' ? stoppingError() : failure);
    log.warn({ requestId, code: known.code, err: known.cause }, 'answer failed');
    push({ type: 'error', errorText: JSON.stringify(toErrorBody(known, requestId)) });
  }

  const stream = {
    messageId: start.messageId,
    threadId,
    forSdk: options.forSdk,
    /** The number of parts so far. */
    next: 0,
    isEnded: false,
    /** Whether a reader got everything, so there is nothing to resume. */
    wasDelivered: false,
    /** About how many bytes are kept. */
    kept: 0,
    /** For readers that are attached. */
    part: (index: number): AnswerPart => parts[index] as AnswerPart,

    attach(reader: StreamReader): void {
      if (packed && readers.size === 0) {
        parts = JSON.parse(packed.toString()) as AnswerPart[];
        packed = undefined;
        setKept(parts.reduce((sum, part) => sum + weigh(part), 0));
      }
      readers.add(reader);
      clearTimeout(grace);
      reader.wake();
    },

    detach(reader: StreamReader, hasAll: boolean): void {
      if (!readers.delete(reader)) return;
      if (hasAll) stream.wasDelivered = true;
      if (stream.isEnded && readers.size === 0) pack();
      stream.beginGrace();
    },

    /** Ends the answer after the grace period, unless somebody reads it or starts the period again. */
    beginGrace(): void {
      if (readers.size > 0 || stream.isEnded) return;
      clearTimeout(grace);
      if (graceMs === 0) stream.end('abandoned');
      else grace = setTimeout(() => stream.end('abandoned'), graceMs).unref();
    },

    /** Nobody finds it any more. Its memory is free once its last reader has left. */
    forget(): void {
      isForgotten = true;
      if (stream.isEnded && readers.size === 0) pack();
    },

    /** Stops the model. Only the first reason counts. */
    end(why: EndReason): void {
      if (stream.isEnded || end !== undefined) return;
      end = why;
      controller.abort();
    },

    /** Settles once the answer has ended and its turn is stored. */
    done: Promise.resolve(),
  };
  if (options.endReason) stream.end(options.endReason);
  else push(start);
  stream.done = consume(options.rest);
  return stream;
}

/** The last parts of an answer that somebody stopped. */
export function stoppedParts(threadId: string): AnswerPart[] {
  return [
    { type: 'message-metadata', messageMetadata: { threadId, ended: 'stopped' } },
    { type: 'abort' },
  ];
}

function weigh(part: AnswerPart): number {
  return partWeight + (part.type === 'text-delta' ? part.delta.length : 0);
}
