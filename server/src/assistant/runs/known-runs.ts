/**
 * By what answers are found: our id, the client's own name of the question or of the chat; those of
 * this process, and where the database is shared those of the others.
 */
import { type Asker, askedDigest, chatClaim, messageClaim, questionClaim } from './access.ts';
import { askedOther, type QuestionClaims } from './question-claims.ts';
import type { RemoteRun } from './remote-run.ts';
import type { Run } from './run.ts';
import type { SharedRuns } from './shared-runs.ts';

export interface RunNames {
  asker: Asker;
  /** What the client calls the conversation; only answers that can be resumed have one. */
  chatId?: string | undefined;
  /** What the client calls this question, see `once`; its answer is found by this and not by the chat's id. */
  questionKey?: string | undefined;
  /** Whether it may be laid open in the database, for readers who come back to another process. */
  isStored: boolean;
}

export interface NamedQuestion {
  key: string;
  /** A digest of what it asks. */
  asked: string;
  asker: Asker;
  isStored: boolean;
}

export function createKnownRuns({
  shared,
  claims,
}: {
  shared: SharedRuns | undefined;
  claims: QuestionClaims | undefined;
}) {
  const byMessage = new Map<string, Run>();
  const byChat = new Map<string, { run: Run; isShared: boolean }>();
  /** Questions that came with a name of their own, from before their answer is open. */
  const byQuestion = new Map<string, { asked: string; answer: Promise<Run | RemoteRun> }>();
  const hiding = new WeakMap<Run, () => void>();

  function findHere(message: string, chat: string | undefined): Run | undefined {
    const exact = byMessage.get(message);
    if (exact || chat === undefined) return exact;
    const found = byChat.get(chat);
    const hasNothing = found?.isShared || (found?.run.isEnded && found.run.wasDelivered);
    return hasNothing ? undefined : found?.run;
  }

  async function findThere(question: string): Promise<RemoteRun | undefined> {
    const there = await shared?.find({ question });
    return there === 'several' ? undefined : there;
  }

  const forgetQuestion = ({ questionKey, asker }: RunNames) => {
    if (questionKey === undefined) return;
    const question = questionClaim(questionKey, asker);
    byQuestion.delete(question);
    claims?.release(question);
  };

  return {
    /** From here on it is found. */
    show(run: Run, names: RunNames): void {
      const { asker, questionKey, chatId, isStored } = names;
      const message = messageClaim(run.messageId, asker);
      const question = questionKey === undefined ? undefined : questionClaim(questionKey, asker);
      const chat = question === undefined ? chatClaim(chatId, asker) : undefined;
      byMessage.set(message, run);
      if (chat !== undefined) {
        const before = byChat.get(chat);
        // Two conversations at once under one chat id: nobody knows whose answer is asked for.
        const isShared = before !== undefined && before.run.threadId !== run.threadId;
        byChat.set(chat, { run, isShared: isShared || before?.isShared === true });
      }
      const laid =
        shared && isStored ? shared.lay(run, { message, chat: question ?? chat }) : undefined;
      if (laid) run.observe(laid);
      hiding.set(run, () => {
        hiding.delete(run);
        byMessage.delete(message);
        laid?.forget();
        if (chat !== undefined && byChat.get(chat)?.run === run) byChat.delete(chat);
        forgetQuestion(names);
      });
    },

    /** Nobody finds it any more, and nothing further of it is laid open; a second time does nothing. */
    hide: (run: Run): void => hiding.get(run)?.(),

    isShown: (run: Run): boolean => hiding.has(run),

    /** Of an answer that is not to be found at all. */
    forgetQuestion,

    /**
     * The answer behind an id, ours or the client's, where this reader may have it. By the client's id,
     * an answer that was handed over whole is not found: an SDK would show it a second time.
     */
    async find(id: string, asker: Asker): Promise<Run | RemoteRun | undefined> {
      const message = messageClaim(id, asker);
      const chat = chatClaim(id, asker);
      const question = questionClaim(id, asker);
      const asked = byQuestion.get(question);
      // It may be on its way to be answered still: who asks now must not hear that there is nothing.
      if (asked) return asked.answer.catch(() => undefined);
      if (!shared || byMessage.has(message)) return findHere(message, chat);
      const there = await shared.find({ message, chat, question });
      if (there === 'several') return undefined;
      const found = there ?? findHere(message, chat);
      if (found || !claims) return found;
      return claims.waitFor(question, () => findThere(question));
    },

    /**
     * The answer of a question that its client gave a name, begun at most once: a request that is sent
     * again, because its connection broke, gets the answer that the first one began. One that is not
     * stored is known to no other process.
     */
    async once(
      { key, asked, asker, isStored }: NamedQuestion,
      begin: () => Promise<Run>,
    ): Promise<Run | RemoteRun> {
      const claim = questionClaim(key, asker);
      const known = byQuestion.get(claim);
      if (known) {
        if (known.asked === asked) return known.answer;
        throw askedOther();
      }
      const question = { claim, asked: askedDigest(key, asked) };
      const answer: Promise<Run | RemoteRun> =
        claims && isStored ? claims.once(question, begin, () => findThere(claim)) : begin();
      const mine = { asked, answer };
      byQuestion.set(claim, mine);
      const forget = () => {
        if (byQuestion.get(claim) === mine) byQuestion.delete(claim);
      };
      try {
        const found = await answer;
        // One of this process is forgotten with everything else of it, see `show`.
        if (!('done' in found)) forget();
        return found;
      } catch (error) {
        forget();
        throw error;
      }
    },
  };
}
