/**
 * One answer that is being made, free of any connection: it goes on while nobody reads, for a while,
 * and any number of readers read it from any part on.
 */
import type { AnswerPart } from '@docent/shared/stream';
import { DocentError } from '../../platform/errors.ts';
import { toDocentError, toErrorBody } from '../../platform/http/error-handler.ts';
import type { Logger } from '../../platform/log.ts';

/** Someone who reads parts as they come. */
export interface StreamReader {
  /** The part that it reads next. */
  position: number;
  /** Called when there are new parts, or when the end has come. */
  wake(): void;
}

/** Why an answer was ended before it was whole. */
export type EndReason =
  /** A reader asked for it. */
  | 'stopped'
  /** Nobody reads any more, and nobody came back. */
  | 'abandoned'
  /** This process stops. */
  | 'service';

export type StartPart = Extract<AnswerPart, { type: 'start' }>;

export interface StreamOptions {
  /** The first part, which names the answer. */
  start: StartPart;
  /** All that follow. */
  rest: AsyncGenerator<AnswerPart, void, undefined>;
  /** Ends the answer. */
  controller: AbortController;
  /** Of the question; an error part names it. */
  requestId: string;
  /** How the first reader's client reads. */
  forSdk: boolean;
  /** How long an answer goes on that nobody reads. */
  graceMs: number;
  /** Where it is ended already. */
  endReason: EndReason | undefined;
  batch: Batcher;
  log: Logger;
}

export type AnswerStream = ReturnType<typeof createAnswerStream>;

/** Characters of one answer that are kept; far more than any model says. */
const maxKept = 4_000_000;
/** What a part weighs besides its text. */
const partWeight = 100;

/** What a reader hears whose answer is ended because the service stops. */
export const stoppingError = () =>
  new DocentError('unavailable', 'The service is restarting. Please ask again in a moment.', {
    retryAfter: 5,
  });

/** Calls back once the events that have come in together are worked off. */
export type Batcher = (wake: () => void) => void;

/**
 * One call for all answers of a process. Tokens that arrive in one packet become one write to their
 * reader, which costs a fraction of a write for each.
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
  const { start, rest, controller, requestId, graceMs, batch, log } = options;
  const { threadId } = start.messageMetadata;
  const parts: AnswerPart[] = [];
  const readers = new Set<StreamReader>();
  let first = 0;
  let kept = 0;
  let openText: string | undefined;
  let isEnded = false;
  let isAwaking = false;
  let isWhole = false;
  let wasDelivered = false;
  let end: EndReason | undefined;
  let grace: NodeJS.Timeout | undefined;
  let goOn: (() => void) | undefined;

  const wakeAll = () => {
    isAwaking = false;
    for (const reader of readers) reader.wake();
  };
  const awake = () => {
    if (isAwaking) return;
    isAwaking = true;
    batch(wakeAll);
  };
  const push = (part: AnswerPart) => {
    if (part.type === 'text-start') openText = part.id;
    else if (part.type === 'text-end') openText = undefined;
    parts.push(part);
    kept += weigh(part);
    if (!isAwaking) awake();
  };

  /** Drops what every reader has; settles at once where that made room, else when it does. */
  const makeRoom = async () => {
    for (;;) {
      let oldest = Infinity;
      for (const { position } of readers) oldest = Math.min(oldest, position);
      if (oldest !== Infinity && oldest > first) {
        for (const part of parts.splice(0, oldest - first)) kept -= weigh(part);
        first = oldest;
      }
      if (kept <= maxKept || controller.signal.aborted) return;
      await new Promise<void>((resolve) => (goOn = resolve));
    }
  };
  const letGoOn = () => {
    goOn?.();
    goOn = undefined;
  };
  controller.signal.addEventListener('abort', letGoOn);

  async function consume(): Promise<void> {
    let failure: unknown;
    try {
      for await (const part of rest) {
        // Stored as whole before `finish` is said: then a stop came too late.
        if (controller.signal.aborted && part.type !== 'finish') break;
        push(part);
        isWhole = part.type === 'finish';
        if (kept > maxKept) await makeRoom();
      }
    } catch (error) {
      failure = error;
    }
    clearTimeout(grace);
    if (!isWhole) conclude(failure);
    isEnded = true;
    awake();
  }

  /** There is no status any more, so why an answer ends before it is whole becomes its last parts. */
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
    get first() {
      return first;
    },
    get next() {
      return first + parts.length;
    },
    get isEnded() {
      return isEnded;
    },
    /** Some reader was given everything, so there is nothing to resume. */
    get wasDelivered() {
      return wasDelivered;
    },
    /** Characters kept, about. */
    get kept() {
      return kept;
    },
    part: (index: number): AnswerPart => parts[index - first] as AnswerPart,

    attach(reader: StreamReader): void {
      readers.add(reader);
      clearTimeout(grace);
      reader.wake();
    },

    detach(reader: StreamReader, hasAll: boolean): void {
      if (!readers.delete(reader)) return;
      if (hasAll) wasDelivered = true;
      letGoOn();
      stream.beginGrace();
    },

    /** Ends in a while, unless somebody reads it or begins the grace anew. */
    beginGrace(): void {
      if (readers.size > 0 || isEnded) return;
      clearTimeout(grace);
      if (graceMs === 0) stream.end('abandoned');
      else grace = setTimeout(() => stream.end('abandoned'), graceMs).unref();
    },

    moved: letGoOn,

    /** Stops the model. The first reason counts. */
    end(why: EndReason): void {
      if (isEnded || end !== undefined) return;
      end = why;
      controller.abort();
    },

    /** Settles when the answer has ended and its turn is stored. */
    done: Promise.resolve(),
  };
  if (options.endReason) stream.end(options.endReason);
  else push(start);
  stream.done = consume();
  return stream;
}

/** The last words of an answer that somebody ended. */
export function stoppedParts(threadId: string): AnswerPart[] {
  return [
    { type: 'message-metadata', messageMetadata: { threadId, ended: 'stopped' } },
    { type: 'abort' },
  ];
}

function weigh(part: AnswerPart): number {
  return partWeight + (part.type === 'text-delta' ? part.delta.length : 0);
}
