import type { AnswerPart } from '@docent/shared/stream';
import { DocentError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import type { Bus } from '../../platform/store/bus.ts';
import type { Database } from '../../platform/store/database.ts';
import { makeOnce, type NoteMade } from '../../platform/store/idempotency.ts';
import {
  type AnswerStream,
  createAnswerStream,
  createBatcher,
  type StartPart,
  stoppingError,
} from './answer-stream.ts';
import {
  answerChannel,
  type AnswerWord,
  questionScope,
  type StoredAnswers,
} from './stored-answers.ts';
import {
  type Asker,
  chatDigest,
  type ClientNames,
  createStreamNames,
  type FoundAnswer,
  questionDigest,
} from './stream-names.ts';

/** Settings of the code that calls, so that tests can shorten them. */
export interface StreamTimeouts {
  /** How long an answer goes on that nobody reads: time for a reload, or for a train's tunnel. */
  graceMs: number;
  /** How long an answer that has ended can be read again. */
  keptMs: number;
}

/** A page on a slow phone takes a good part of it to come back; a tunnel takes more. */
export const defaultTimeouts: StreamTimeouts = { graceMs: 30_000, keptMs: 120_000 };

/** Characters of all answers that have ended. */
const maxKeptOfEnded = 64_000_000;

export interface NewStream extends ClientNames {
  /** What the question asks: under the same `Idempotency-Key`, it must be the same. */
  body: string;
  /** Whether the answer may be stored; if not, other processes cannot know its `Idempotency-Key`. */
  isStored: boolean;
  /** Begins the answer; what rejects before its first part gets a status. */
  begin: (
    signal: AbortSignal,
    turn: { chat: string | undefined; note: NoteMade | undefined },
  ) => Promise<AsyncGenerator<AnswerPart, void, undefined>>;
  requestId: string;
  /** How the first reader's client reads; who resumes gets the same bytes. */
  forSdk: boolean;
  /** Fires when the client leaves before the answer is open. */
  gone: AbortSignal;
  /** Other than the usual; 0 where the client cannot come back. */
  graceMs?: number | undefined;
}

export type AnswerStreams = ReturnType<typeof createAnswerStreams>;

/** The answers that are being made by this process, and those that ended a while ago. */
export function createAnswerStreams(deps: {
  database: Database;
  now: () => Date;
  log: Logger;
  bus: Bus;
  storedAnswers: StoredAnswers;
  timeouts?: Partial<StreamTimeouts> | undefined;
}) {
  const { log, bus, storedAnswers } = deps;
  const timeouts = { ...defaultTimeouts, ...deps.timeouts };
  const batch = createBatcher();
  const names = createStreamNames();
  const running = new Set<AnswerStream>();
  /** Answers that have ended, oldest first, each with what makes it forgotten. */
  const ended = new Map<AnswerStream, () => void>();
  const writing = new Set<Promise<unknown>>();
  const opening = new Map<AbortController, Promise<unknown>>();
  /** Conversations that were deleted while answers were being opened, perhaps in them. */
  const deletedMeanwhile = new Set<string>();
  let keptOfEnded = 0;
  let isDraining = false;
  let isStopped = false;

  function keep(stream: AnswerStream): void {
    const timer = setTimeout(() => drop(), timeouts.keptMs).unref();
    const drop = () => {
      clearTimeout(timer);
      keptOfEnded -= stream.kept;
      ended.delete(stream);
      names.remove(stream);
    };
    ended.set(stream, drop);
    keptOfEnded += stream.kept;
    for (const dropOldest of ended.values()) {
      if (keptOfEnded <= maxKeptOfEnded) break;
      dropOldest();
    }
  }

  async function track<Result>(work: Promise<Result>): Promise<Result> {
    writing.add(work);
    try {
      return await work;
    } finally {
      writing.delete(work);
    }
  }

  bus.subscribe(answerChannel, (payload) => {
    const { say, messageId } = JSON.parse(payload) as AnswerWord;
    for (const stream of running) {
      if (stream.messageId !== messageId) continue;
      if (say === 'stop') stream.end('stopped');
      else stream.beginGrace();
    }
  });

  function refuseWhenStopping(): void {
    if (isDraining) throw stoppingError();
  }

  /** Begins an answer. It goes on by itself from here; whoever wants to read it attaches a reader. */
  async function begin(asked: NewStream, note?: NoteMade): Promise<AnswerStream> {
    const { requestId, forSdk, gone, graceMs = timeouts.graceMs } = asked;
    const controller = new AbortController();
    const leave = () => controller.abort();
    if (gone.aborted) leave();
    gone.addEventListener('abort', leave);
    const open = async () => {
      const rest = await asked.begin(controller.signal, { chat: chatDigest(asked), note });
      const { value: start } = await rest.next();
      return { start: start as StartPart, rest };
    };
    let opened: Awaited<ReturnType<typeof open>>;
    let isDeleted: boolean;
    try {
      const work = open();
      opening.set(controller, work);
      opened = await work;
      isDeleted = deletedMeanwhile.has(opened.start.messageMetadata.threadId);
    } catch (error) {
      throw isStopped ? stoppingError() : error;
    } finally {
      opening.delete(controller);
      if (opening.size === 0) deletedMeanwhile.clear();
      gone.removeEventListener('abort', leave);
    }
    const endReason = isDeleted ? 'stopped' : isStopped ? 'service' : undefined;
    const options = { requestId, forSdk, graceMs, controller, batch, log };
    const stream = createAnswerStream({ ...opened, ...options, endReason });
    running.add(stream);
    void stream.done.then(() => {
      running.delete(stream);
      // One that was removed already is nobody's any more.
      if (names.has(stream)) keep(stream);
    });
    if (isDeleted) names.removeQuestion(asked);
    else names.add(stream, asked);
    return stream;
  }

  return {
    /** Once the service is stopping, no answer is begun: a connection that is kept open may still ask. */
    refuseWhenStopping,

    /** Begins an answer, or finds the one that the same request has begun before. */
    async open(asked: NewStream): Promise<FoundAnswer> {
      const { questionKey, asker, body, isStored } = asked;
      if (questionKey === undefined) return begin(asked);
      const key = questionDigest(questionKey, asker);
      const keyed = isStored ? { scope: questionScope, key, body } : undefined;
      // Who can ask for the answer again may have left for that: as if they had left a moment later.
      const { signal: gone } = new AbortController();
      return names.once(questionKey, asker, body, async () => {
        let begun: AnswerStream | undefined;
        const { id } = await makeOnce(deps, keyed, async (note) => {
          begun = await begin({ ...asked, gone }, note);
          return begun.messageId;
        });
        const found =
          begun ?? (await names.find(id, asker)) ?? (await storedAnswers.find(id, asker));
        if (!found) throw new DocentError('not_found', 'The answer to this question was deleted.');
        return found;
      });
    },

    /** Waits with a stop of the service until this has been written. */
    track,

    find: (id: string, asker: Asker) => names.find(id, asker),

    /** Ends and drops the answers of conversations that were deleted: nobody can read them from here on. */
    forget(threadIds: readonly string[]): void {
      const gone = new Set(threadIds);
      if (opening.size > 0) for (const id of threadIds) deletedMeanwhile.add(id);
      for (const stream of [...running, ...ended.keys()]) {
        if (!gone.has(stream.threadId)) continue;
        names.remove(stream);
        stream.end('stopped');
        ended.get(stream)?.();
      }
    },

    get count() {
      return running.size;
    },

    /** Settles when every answer has ended and was handed over: by itself within the grace, with an error event after it. */
    async drain(graceMs: number): Promise<void> {
      isDraining = true;
      const { promise: waited, resolve: giveUp } = Promise.withResolvers<void>();
      const timer = setTimeout(() => {
        isStopped = true;
        for (const controller of opening.keys()) controller.abort();
        for (const stream of running) stream.end('service');
        giveUp();
      }, graceMs);
      const settle = async (works: () => Promise<unknown>[]) => {
        for (let left = works(); left.length > 0; left = works()) await Promise.allSettled(left);
      };
      const answers = () => [...opening.values(), ...[...running].map(({ done }) => done)];
      await Promise.race([settle(() => [...answers(), ...writing]), waited]);
      // Each turn is stored. A reader who does not read is not waited for any longer.
      await settle(answers);
      clearTimeout(timer);
      for (const drop of ended.values()) drop();
    },
  };
}
