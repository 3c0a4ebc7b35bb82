import type { SearchFilter } from '@docent/shared/assistant';
import type { AnswerPart } from '@docent/shared/stream';
import { holdsGroups } from '../../platform/auth/caller.ts';
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
  type Asker,
  chatDigest,
  type ClientNames,
  type FoundAnswer,
  isStream,
  messageDigest,
  questionDigest,
  questionScope,
  type StoredAnswers,
} from './stored-answers.ts';

/** Tests shorten these. */
export interface StreamTimeouts {
  /** How long an answer continues when nobody reads it: time for a reload, or a train in a tunnel. */
  graceMs: number;
  /** How long the parts of an ended answer are kept. */
  keptMs: number;
}

/** A page on a slow phone needs much of the grace period to load again. */
export const defaultTimeouts: StreamTimeouts = { graceMs: 10_000, keptMs: 120_000 };

/** Maximum bytes kept of all ended answers. Older ones are read from their stored turns. */
const maxKeptOfEnded = 16_000_000;
/** Of all answers together. Above it, new questions wait. */
const maxKept = 64_000_000;

export interface NewStream extends ClientNames {
  /** What the question asks: under the same `Idempotency-Key`, it must be the same. */
  body: string;
  /** Whether the answer may be stored; if not, other processes cannot know its `Idempotency-Key`. */
  isStored: boolean;
  /** Begins the answer. Errors before its first part become an HTTP status. */
  begin: (
    signal: AbortSignal,
    turn: { chat: string | undefined; note: NoteMade | undefined },
  ) => Promise<AsyncGenerator<AnswerPart, void, undefined>>;
  requestId: string;
  /** Whether the client is a chat SDK. A client that resumes gets the same bytes. */
  forSdk: boolean;
  /** Fires when the client leaves. */
  gone: AbortSignal;
  /** Overrides the grace period; 0 if the client can't come back. */
  graceMs?: number | undefined;
}

export type AnswerStreams = ReturnType<typeof createAnswerStreams>;

/** The answers of this process: those in progress, and those that ended a while ago. */
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
  const byMessage = new Map<string, { stream: AnswerStream; filter: SearchFilter | undefined }>();
  const byChat = new Map<string, { stream: AnswerStream; isAmbiguous: boolean }>();
  /** Questions with an `Idempotency-Key`, even before their answer is open. */
  const byQuestion = new Map<string, { body: string; answer: Promise<FoundAnswer> }>();
  /** Of answers that somebody can find by their names. */
  const removals = new Map<AnswerStream, () => void>();
  const running = new Set<AnswerStream>();
  /** Ended answers, oldest first, each with a function that drops it. */
  const ended = new Map<AnswerStream, () => void>();
  const writing = new Set<Promise<unknown>>();
  const opening = new Map<AbortController, Promise<unknown>>();
  /** Conversations deleted while answers were being opened, maybe in them. */
  const deletedMeanwhile = new Set<string>();
  let keptOfEnded = 0;
  let kept = 0;
  // Not made for each answer: its scope would hold the request.
  const onKept = (bytes: number) => void (kept += bytes);
  let isDraining = false;
  let hasShutDown = false;

  function keep(stream: AnswerStream): void {
    const timer = setTimeout(() => drop(), timeouts.keptMs).unref();
    // It may grow while somebody reads it again.
    const keptAtEnd = stream.kept;
    const drop = () => {
      if (!ended.has(stream)) return;
      clearTimeout(timer);
      keptOfEnded -= keptAtEnd;
      stream.forget();
      ended.delete(stream);
      removals.get(stream)?.();
    };
    ended.set(stream, drop);
    keptOfEnded += keptAtEnd;
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
    if (kept > maxKept) {
      throw new DocentError('unavailable', 'Too many answers are being read. Please try again.', {
        retryAfter: 5,
      });
    }
  }

  /** Begins an answer. It continues by itself, and readers attach to it. */
  async function begin(asked: NewStream, note?: NoteMade): Promise<AnswerStream> {
    const { requestId, forSdk, gone, graceMs = timeouts.graceMs } = asked;
    const controller = new AbortController();
    const leave = () => controller.abort();
    if (gone.aborted) leave();
    gone.addEventListener('abort', leave);
    const { promise: opened, resolve: settle } = Promise.withResolvers<void>();
    opening.set(controller, opened);
    let rest: Awaited<ReturnType<NewStream['begin']>>;
    let start: StartPart;
    let isDeleted: boolean;
    try {
      rest = await asked.begin(controller.signal, { chat: chatDigest(asked), note });
      start = (await rest.next()).value as StartPart;
      isDeleted = deletedMeanwhile.has(start.messageMetadata.threadId);
    } catch (error) {
      throw hasShutDown ? stoppingError() : error;
    } finally {
      opening.delete(controller);
      if (opening.size === 0) deletedMeanwhile.clear();
      gone.removeEventListener('abort', leave);
      settle();
    }
    const endReason = isDeleted ? 'stopped' : hasShutDown ? 'service' : undefined;
    const options = { requestId, forSdk, graceMs, controller, batch, onKept, log };
    const stream = createAnswerStream({ start, rest, ...options, endReason });
    running.add(stream);
    void stream.done.then(() => {
      running.delete(stream);
      // A removed answer isn't kept.
      if (removals.has(stream)) keep(stream);
      else stream.forget();
    });
    if (isDeleted) removeQuestion(asked);
    else name(stream, asked);
    return stream;
  }

  /** From now on, the answer is found by its names. Nothing else of its question is kept. */
  function name(stream: AnswerStream, { asker, filter, chatId, questionKey }: ClientNames): void {
    const message = messageDigest(stream.messageId, asker);
    const chat = chatDigest({ asker, chatId, questionKey });
    byMessage.set(message, { stream, filter });
    if (chat !== undefined) {
      const before = byChat.get(chat);
      // If two conversations use one chat id, it's unclear whose answer is meant.
      const isAmbiguous = before !== undefined && before.stream.threadId !== stream.threadId;
      byChat.set(chat, { stream, isAmbiguous: isAmbiguous || before?.isAmbiguous === true });
    }
    removals.set(stream, () => {
      removals.delete(stream);
      byMessage.delete(message);
      if (chat !== undefined && byChat.get(chat)?.stream === stream) byChat.delete(chat);
      removeQuestion({ asker, questionKey });
    });
  }

  function removeQuestion({ questionKey, asker }: ClientNames): void {
    if (questionKey !== undefined) byQuestion.delete(questionDigest(questionKey, asker));
  }

  /**
   * The answer with an id, ours or the client's, if this reader may read it. By the client's chat id, a
   * delivered answer isn't found, because an SDK would show it a second time.
   */
  async function find(id: string, asker: Asker): Promise<AnswerStream | undefined> {
    // The answer may still be opening. Don't report that there is nothing.
    const asked = await byQuestion.get(questionDigest(id, asker))?.answer.catch(() => undefined);
    if (asked && isStream(asked)) return asked;
    const named = byMessage.get(messageDigest(id, asker));
    if (named) return holdsGroups(asker.caller, named.filter) ? named.stream : undefined;
    const chat = byChat.get(chatDigest({ chatId: id, asker }) ?? '');
    const hasNothing = chat?.isAmbiguous || (chat?.stream.isEnded && chat.stream.wasDelivered);
    return hasNothing ? undefined : chat?.stream;
  }

  /** Begins an answer, or finds the one that another process began for the same request. */
  async function beginOrFind(key: string, asked: NewStream): Promise<FoundAnswer> {
    const { asker, body, isStored } = asked;
    const keyed = isStored ? { scope: questionScope, key, body } : undefined;
    // The client may have left to send the request again, so the answer begins anyway.
    const { signal: gone } = new AbortController();
    let begun: AnswerStream | undefined;
    const { id } = await makeOnce(deps, keyed, async (note) => {
      begun = await begin({ ...asked, gone }, note);
      return begun.messageId;
    });
    const found = begun ?? (await find(id, asker)) ?? (await storedAnswers.find(id, asker));
    if (!found) throw new DocentError('not_found', 'The answer to this question was deleted.');
    return found;
  }

  return {
    /** Refuses questions once the service is stopping. A kept-alive connection may still send some. */
    refuseWhenStopping,

    /** The same as middleware. */
    acceptQuestions: (_request: unknown, _response: unknown, next: () => void): void => {
      refuseWhenStopping();
      next();
    },

    begin,

    /** Begins an answer, or finds the one that the same request began before: all of them share the answer. */
    async beginOnce(questionKey: string, asked: NewStream): Promise<FoundAnswer> {
      const { asker, body } = asked;
      const key = questionDigest(questionKey, asker);
      const known = byQuestion.get(key);
      if (known?.body === body) return known.answer;
      if (known) {
        throw new DocentError('conflict', 'This `Idempotency-Key` was sent with another question.');
      }
      const mine = { body, answer: beginOrFind(key, asked) };
      byQuestion.set(key, mine);
      // A stream of this process is removed with its other names.
      const found = await mine.answer.catch(() => undefined);
      const isHere = found && isStream(found);
      if (!isHere && byQuestion.get(key) === mine) byQuestion.delete(key);
      return mine.answer;
    },

    /** When the service stops, it waits until this is written. */
    track,

    find,

    /** Ends and drops the answers of deleted conversations. */
    forget(threadIds: readonly string[]): void {
      const gone = new Set(threadIds);
      if (opening.size > 0) for (const id of threadIds) deletedMeanwhile.add(id);
      for (const stream of [...running, ...ended.keys()]) {
        if (!gone.has(stream.threadId)) continue;
        removals.get(stream)?.();
        stream.end('stopped');
        ended.get(stream)?.();
      }
    },

    get count() {
      return running.size;
    },

    /** Settles once all answers have ended and are delivered. After the grace period, they end with an error. */
    async drain(graceMs: number): Promise<void> {
      isDraining = true;
      const { promise: waited, resolve: giveUp } = Promise.withResolvers<void>();
      const timer = setTimeout(() => {
        hasShutDown = true;
        for (const controller of opening.keys()) controller.abort();
        for (const stream of running) stream.end('service');
        giveUp();
      }, graceMs);
      const settle = async (works: () => Promise<unknown>[]) => {
        for (let left = works(); left.length > 0; left = works()) await Promise.allSettled(left);
      };
      const answers = () => [...opening.values(), ...[...running].map(({ done }) => done)];
      await Promise.race([settle(() => [...answers(), ...writing]), waited]);
      // Each turn is stored. Slow readers get no more time.
      await settle(answers);
      clearTimeout(timer);
      for (const drop of ended.values()) drop();
    },
  };
}
