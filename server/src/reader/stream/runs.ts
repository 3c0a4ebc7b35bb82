import { DocentError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import type { Bus } from '../../platform/store/bus.ts';
import type { OpenAnswer } from '../ask/answer.ts';
import type { Asker } from './access.ts';
import { createKnownRuns, type Found, type NamedQuestion, type RunNames } from './known-runs.ts';
import { createRun, type Run } from './run.ts';
import { createSoon } from './soon.ts';
import { answerChannel, type AnswerWord } from './stored-answers.ts';

/** Settings of the code that calls, so that tests can shorten them. */
export interface RunPatience {
  /** How long an answer goes on that nobody reads: time for a reload, or for a train's tunnel. */
  graceMs: number;
  /** How long an answer that has ended can be read again. */
  keptMs: number;
}

/** A page on a slow phone takes a good part of it to come back; a tunnel takes more. */
export const defaultRunPatience: RunPatience = { graceMs: 30_000, keptMs: 120_000 };

/** Characters of one answer that are kept; far more than any model says. */
const maxKeptOfOne = 4_000_000;
/** Characters of all answers that have ended. */
const maxKeptOfEnded = 64_000_000;

export interface NewRun extends RunNames {
  /** Opens the answer; what rejects here gets a status. */
  open: (signal: AbortSignal) => Promise<OpenAnswer>;
  requestId: string;
  /** How the first reader's client reads; who resumes gets the same bytes. */
  forSdk: boolean;
  /** Fires when the client leaves before the answer is open. */
  gone: AbortSignal;
  /** Other than the usual; 0 where the client cannot come back. */
  graceMs?: number;
}

/** What a reader hears whose answer is ended because the service stops. */
const stoppingError = () =>
  new DocentError('unavailable', 'The service is restarting. Please ask again in a moment.', {
    retryAfter: 5,
  });

export type Runs = ReturnType<typeof createRuns>;

/** The answers that are being made by this process, and those that ended a while ago. */
export function createRuns(parts: {
  log: Logger;
  bus: Pick<Bus, 'subscribe'>;
  patience?: Partial<RunPatience> | undefined;
}) {
  const { log, bus } = parts;
  const patience = { ...defaultRunPatience, ...parts.patience };
  const soon = createSoon();
  /** By what they are found. */
  const known = createKnownRuns();
  const running = new Set<Run>();
  /** Answers that have ended, oldest first, each with what makes it forgotten. */
  const ended = new Map<Run, () => void>();
  const writing = new Set<Promise<unknown>>();
  const opening = new Map<AbortController, Promise<OpenAnswer>>();
  /** Conversations that were deleted while answers were being opened, perhaps in them. */
  const deletedMeanwhile = new Set<string>();
  let keptOfEnded = 0;
  let isDraining = false;
  let isStopped = false;

  function keep(run: Run): void {
    const timer = setTimeout(() => drop(), patience.keptMs).unref();
    const drop = () => {
      clearTimeout(timer);
      keptOfEnded -= run.kept;
      ended.delete(run);
      known.hide(run);
    };
    ended.set(run, drop);
    keptOfEnded += run.kept;
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
    for (const run of running) {
      if (run.messageId !== messageId) continue;
      if (say === 'stop') run.end('stopped');
      else run.beginGrace();
    }
  });

  return {
    /** Once the service is stopping, no answer is begun: a connection that is kept open may still ask. */
    refuseWhenStopping(): void {
      if (isDraining) throw stoppingError();
    },

    /** See `createKnownRuns`. */
    once: (question: NamedQuestion, begin: () => Promise<Found>) => known.once(question, begin),

    /** Begins an answer. It goes on by itself from here; whoever wants to read it attaches a reader. */
    async begin(begun: NewRun): Promise<Run> {
      const controller = new AbortController();
      const leave = () => controller.abort();
      if (begun.gone.aborted) leave();
      begun.gone.addEventListener('abort', leave);
      let answer: OpenAnswer;
      let isDeleted: boolean;
      try {
        const opened = begun.open(controller.signal);
        opening.set(controller, opened);
        answer = await opened;
        isDeleted = deletedMeanwhile.has(answer.threadId);
      } catch (error) {
        throw isStopped ? stoppingError() : error;
      } finally {
        opening.delete(controller);
        if (opening.size === 0) deletedMeanwhile.clear();
        begun.gone.removeEventListener('abort', leave);
      }
      const { graceMs = patience.graceMs, requestId, forSdk } = begun;
      const run = createRun({
        answer,
        controller,
        requestId,
        forSdk,
        graceMs,
        maxKept: maxKeptOfOne,
        stoppingError,
        soon,
        log,
      });
      running.add(run);
      void run.done.then(() => {
        running.delete(run);
        // One that was hidden already is nobody's any more.
        if (known.isShown(run)) keep(run);
      });
      if (isDeleted) {
        known.forgetQuestion(begun);
        run.end('stopped');
      } else known.show(run, begun);
      if (isStopped) run.end('service');
      return run;
    },

    /** Waits with a stop of the service until this has been written. */
    track,

    find: (id: string, asker: Asker) => known.find(id, asker),

    /** Ends and drops the answers of conversations that were deleted: nobody can read them from here on. */
    forget(threadIds: readonly string[]): void {
      const gone = new Set(threadIds);
      if (opening.size > 0) for (const id of threadIds) deletedMeanwhile.add(id);
      for (const run of [...running, ...ended.keys()]) {
        if (!gone.has(run.threadId)) continue;
        known.hide(run);
        run.end('stopped');
        ended.get(run)?.();
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
        for (const run of running) run.end('service');
        giveUp();
      }, graceMs);
      const settle = async (works: () => Promise<unknown>[]) => {
        for (let left = works(); left.length > 0; left = works()) await Promise.allSettled(left);
      };
      const answers = () => [...opening.values(), ...[...running].map((run) => run.done)];
      await Promise.race([settle(() => [...answers(), ...writing]), waited]);
      // Each turn is stored. A reader who does not read is not waited for any longer.
      await settle(answers);
      clearTimeout(timer);
      for (const drop of ended.values()) drop();
    },
  };
}
