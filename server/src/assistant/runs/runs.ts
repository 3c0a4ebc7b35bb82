import { DocentError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { OpenAnswer } from '../answer.ts';
import { type Asker, chatClaim, messageClaim, questionClaim } from './access.ts';
import { createRun, type Run } from './run.ts';
import type { RemoteRun } from './remote-run.ts';
import type { SharedRuns } from './shared-runs.ts';
import { createSoon } from './soon.ts';

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

export interface NewRun {
  /** Opens the answer; what rejects here gets a status. */
  open: (signal: AbortSignal) => Promise<OpenAnswer>;
  asker: Asker;
  /** What the client calls the conversation; only answers that can be resumed have one. */
  chatId?: string | undefined;
  /** What the client calls this question, see `once`; its answer is found by this and not by the chat's id. */
  questionKey?: string | undefined;
  requestId: string;
  /** How the first reader's client reads; who resumes gets the same bytes. */
  forSdk: boolean;
  /** Whether it may be laid open in the database, for readers who come back to another process. */
  isStored: boolean;
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
  patience?: Partial<RunPatience> | undefined;
  /** Where several processes share a database. */
  shared?: SharedRuns | undefined;
}) {
  const { log, shared } = parts;
  const patience = { ...defaultRunPatience, ...parts.patience };
  const soon = createSoon();
  const byMessage = new Map<string, Run>();
  const byChat = new Map<string, { run: Run; isShared: boolean }>();
  /** Questions that came with a name of their own, from before their answer is open. */
  const byQuestion = new Map<string, { asked: string; answer: Promise<Run | RemoteRun> }>();
  const running = new Set<Run>();
  /** Answers that have ended, oldest first, each with what makes it forgotten. */
  const ended = new Map<Run, () => void>();
  const writing = new Set<Promise<unknown>>();
  const opening = new Map<AbortController, Promise<OpenAnswer>>();
  let keptOfEnded = 0;
  let isDraining = false;
  let isStopped = false;

  function keep(run: Run, forget: () => void): void {
    const timer = setTimeout(() => drop(), patience.keptMs).unref();
    const drop = () => {
      clearTimeout(timer);
      keptOfEnded -= run.kept;
      ended.delete(run);
      forget();
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

  function findHere(message: string, chat: string | undefined): Run | undefined {
    const exact = byMessage.get(message);
    if (exact || chat === undefined) return exact;
    const found = byChat.get(chat);
    const hasNothing = found?.isShared || (found?.run.isEnded && found.run.wasDelivered);
    return hasNothing ? undefined : found?.run;
  }

  /**
   * The answer behind an id, ours or the client's, where this reader may have it. By the client's id,
   * an answer that was handed over whole is not found: an SDK would show it a second time.
   */
  async function find(id: string, asker: Asker): Promise<Run | RemoteRun | undefined> {
    const message = messageClaim(id, asker);
    const chat = chatClaim(id, asker);
    const question = questionClaim(id, asker);
    const asked = byQuestion.get(question);
    // It may be on its way to be answered still: who asks now must not hear that there is nothing.
    if (asked) return asked.answer.catch(() => undefined);
    if (!shared || byMessage.has(message)) return findHere(message, chat);
    const there = await shared.find({ message, chat, question });
    return there === 'several' ? undefined : (there ?? findHere(message, chat));
  }

  return {
    /** Once the service is stopping, no answer is begun: a connection that is kept open may still ask. */
    refuseWhenStopping(): void {
      if (isDraining) throw stoppingError();
    },

    /**
     * The answer of a question that its client gave a name, begun at most once: a request that is sent
     * again, because its connection broke, gets the answer that the first one began. `asked`: a digest.
     */
    async once(
      { key, asked, asker }: { key: string; asked: string; asker: Asker },
      begin: () => Promise<Run>,
    ): Promise<Run | RemoteRun> {
      const claim = questionClaim(key, asker);
      const known = byQuestion.get(claim);
      if (known) {
        if (known.asked === asked) return known.answer;
        throw new DocentError('conflict', 'This `Idempotency-Key` was sent with another question.');
      }
      const beginOrFind = async () => {
        const there = await shared?.find({ question: claim });
        return there && there !== 'several' ? there : begin();
      };
      const answer = beginOrFind();
      byQuestion.set(claim, { asked, answer });
      try {
        const found = await answer;
        // One of this process is forgotten with everything else of it, see `begin`.
        if (!('done' in found)) byQuestion.delete(claim);
        return found;
      } catch (error) {
        byQuestion.delete(claim);
        throw error;
      }
    },

    /** Begins an answer. It goes on by itself from here; whoever wants to read it attaches a reader. */
    async begin(begun: NewRun): Promise<Run> {
      const controller = new AbortController();
      const leave = () => controller.abort();
      if (begun.gone.aborted) leave();
      begun.gone.addEventListener('abort', leave);
      let answer: OpenAnswer;
      try {
        const opened = begun.open(controller.signal);
        opening.set(controller, opened);
        answer = await opened;
      } catch (error) {
        throw isStopped ? stoppingError() : error;
      } finally {
        opening.delete(controller);
        begun.gone.removeEventListener('abort', leave);
      }
      const { graceMs = patience.graceMs, requestId, forSdk, asker } = begun;
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
      const message = messageClaim(run.messageId, asker);
      const { questionKey } = begun;
      const question = questionKey === undefined ? undefined : questionClaim(questionKey, asker);
      const chat = question === undefined ? chatClaim(begun.chatId, asker) : undefined;
      byMessage.set(message, run);
      if (chat !== undefined) {
        const before = byChat.get(chat);
        // Two conversations at once under one chat id: nobody knows whose answer is asked for.
        const isShared = before !== undefined && before.run.threadId !== run.threadId;
        byChat.set(chat, { run, isShared: isShared || before?.isShared === true });
      }
      const laid =
        shared && begun.isStored ? shared.lay(run, { message, chat: question ?? chat }) : undefined;
      if (laid) run.observe(laid);
      running.add(run);
      void run.done.then(() => {
        running.delete(run);
        keep(run, () => {
          byMessage.delete(message);
          if (question !== undefined) byQuestion.delete(question);
          laid?.forget();
          if (chat !== undefined && byChat.get(chat)?.run === run) byChat.delete(chat);
        });
      });
      if (isStopped) run.end('service');
      return run;
    },

    /** Waits with a stop of the service until this has been written. */
    track,

    find,

    /** Ends an answer, wherever it is made; settles when its turn is stored. */
    async stop(id: string, asker: Asker): Promise<void> {
      const run = await find(id, asker);
      if (!run || run.isEnded) return;
      if ('done' in run) {
        run.end('stopped');
        await run.done;
      } else await run.end();
    },

    /** Ends and drops the answers of conversations that were deleted: nobody can read them again. */
    forget(threadIds: readonly string[]): void {
      const gone = new Set(threadIds);
      const answers = [...running, ...ended.keys()].filter((run) => gone.has(run.threadId));
      for (const run of answers) {
        run.end('stopped');
        // Those that ended are kept from then on, see `begin`.
        void run.done.then(() => ended.get(run)?.());
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
      await shared?.close();
      for (const drop of ended.values()) drop();
    },

    /** What a process that died has left behind. */
    deleteLeftovers: async () => shared?.deleteLeftovers(),
  };
}
