/**
 * One answer that is being made, free of any connection: it goes on while nobody reads, for a while,
 * and any number of readers read it from any part on.
 */
import type { AnswerPart } from '@docent/shared/stream';
import { toDocentError, toErrorBody } from '../../platform/http/error-handler.ts';
import type { Logger } from '../../platform/log.ts';
import type { OpenAnswer } from '../ask/answer.ts';
import type { Soon } from './soon.ts';

/** Someone who reads parts as they come. */
export interface RunReader {
  /** The part that it reads next. */
  position: number;
  /** Called when there are new parts, or when the end has come. */
  wake(): void;
}

/** What a reader can do with a run. */
export interface ReadableRun {
  readonly messageId: string;
  readonly threadId: string;
  /** How the first reader's client reads. */
  readonly forSdk: boolean;
  /** The first part that is still kept, and the one that will come next. */
  readonly first: number;
  readonly next: number;
  /** No part comes any more. */
  readonly isEnded: boolean;
  part(index: number): AnswerPart;
  attach(reader: RunReader): void;
  /** A reader is gone; `hasAll` where everything was handed over to it. */
  detach(reader: RunReader, hasAll: boolean): void;
  /** A reader has read on. */
  moved(): void;
}

/** Why an answer was ended before it was whole. */
export type RunEnd =
  /** A reader asked for it. */
  | 'stopped'
  /** Nobody reads any more, and nobody came back. */
  | 'abandoned'
  /** This process stops. */
  | 'service';

export interface RunOptions {
  answer: OpenAnswer;
  controller: AbortController;
  /** Of the question; an error part names it. */
  requestId: string;
  forSdk: boolean;
  /** How long an answer goes on that nobody reads. */
  graceMs: number;
  /** Characters kept; past them, what was read by everybody is dropped, and then the model waits. */
  maxKept: number;
  /** The service's own error, where it ends a run because it stops. */
  stoppingError: () => Error;
  soon: Soon;
  log: Logger;
}

export type Run = ReturnType<typeof createRun>;

/** What a part weighs besides its text. */
const partWeight = 100;

export function createRun(options: RunOptions) {
  const { answer, controller, requestId, graceMs, maxKept, soon, log } = options;
  const parts: AnswerPart[] = [];
  const readers = new Set<RunReader>();
  let first = 0;
  let kept = 0;
  let openText: string | undefined;
  let isEnded = false;
  let isAwaking = false;
  let isWhole = false;
  let wasDelivered = false;
  let end: RunEnd | undefined;
  let grace: NodeJS.Timeout | undefined;
  let goOn: (() => void) | undefined;

  const wakeAll = () => {
    isAwaking = false;
    for (const reader of readers) reader.wake();
  };
  const awake = () => {
    if (isAwaking) return;
    isAwaking = true;
    soon(wakeAll);
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
      for await (const part of answer.stream) {
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
      for (const part of stoppedParts(answer.threadId)) push(part);
      return;
    }
    const known = toDocentError(end === 'service' ? options.stoppingError() : failure);
    log.warn({ requestId, code: known.code, err: known.cause }, 'answer failed');
    push({ type: 'error', errorText: JSON.stringify(toErrorBody(known, requestId)) });
  }

  const run = {
    messageId: answer.messageId,
    threadId: answer.threadId,
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

    attach(reader: RunReader): void {
      readers.add(reader);
      clearTimeout(grace);
      reader.wake();
    },

    detach(reader: RunReader, hasAll: boolean): void {
      if (!readers.delete(reader)) return;
      if (hasAll) wasDelivered = true;
      letGoOn();
      run.beginGrace();
    },

    /** Ends in a while, unless somebody reads it or begins the grace anew. */
    beginGrace(): void {
      if (readers.size > 0 || isEnded) return;
      clearTimeout(grace);
      if (graceMs === 0) run.end('abandoned');
      else grace = setTimeout(() => run.end('abandoned'), graceMs).unref();
    },

    moved: letGoOn,

    /** Stops the model. The first reason counts. */
    end(why: RunEnd): void {
      if (isEnded || end !== undefined) return;
      end = why;
      controller.abort();
    },

    /** Settles when the answer has ended and its turn is stored. */
    done: consume(),
  } satisfies ReadableRun & Record<string, unknown>;
  return run;
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
