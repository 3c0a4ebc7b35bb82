/** By what the answers of this process are found: our id, the client's own id of the question or of the chat. */
import { DocentError } from '../../platform/errors.ts';
import { type Asker, chatClaim, messageClaim, questionClaim } from './access.ts';
import type { Run } from './run.ts';
import type { StoredAnswer } from './stored-answers.ts';

export interface RunNames {
  asker: Asker;
  /** What the client calls the conversation; only answers that can be resumed have one. */
  chatId?: string | undefined;
  /** What the client calls this question, see `once`; its answer is found by this and not by the chat's id. */
  questionKey?: string | undefined;
}

export interface NamedQuestion {
  key: string;
  /** What it asks, as JSON. */
  body: string;
  asker: Asker;
}

/** An answer that this process makes, or one that is stored or made elsewhere. */
export type Found = Run | StoredAnswer;

export const isRun = (found: Found): found is Run => 'done' in found;

export function createKnownRuns() {
  const byMessage = new Map<string, Run>();
  const byChat = new Map<string, { run: Run; isShared: boolean }>();
  /** Questions that came with a name of their own, from before their answer is open. */
  const byQuestion = new Map<string, { body: string; answer: Promise<Found> }>();
  const hiding = new WeakMap<Run, () => void>();

  function findByChat(chat: string | undefined): Run | undefined {
    const found = chat === undefined ? undefined : byChat.get(chat);
    const hasNothing = found?.isShared || (found?.run.isEnded && found.run.wasDelivered);
    return hasNothing ? undefined : found?.run;
  }

  const forgetQuestion = ({ questionKey, asker }: RunNames) => {
    if (questionKey !== undefined) byQuestion.delete(questionClaim(questionKey, asker));
  };

  return {
    /** From here on it is found. */
    show(run: Run, names: RunNames): void {
      const { asker, questionKey, chatId } = names;
      const message = messageClaim(run.messageId, asker);
      const chat = questionKey === undefined ? chatClaim(chatId, asker) : undefined;
      byMessage.set(message, run);
      if (chat !== undefined) {
        const before = byChat.get(chat);
        // Two conversations at once under one chat id: nobody knows whose answer is asked for.
        const isShared = before !== undefined && before.run.threadId !== run.threadId;
        byChat.set(chat, { run, isShared: isShared || before?.isShared === true });
      }
      hiding.set(run, () => {
        hiding.delete(run);
        byMessage.delete(message);
        if (chat !== undefined && byChat.get(chat)?.run === run) byChat.delete(chat);
        forgetQuestion(names);
      });
    },

    /** Nobody finds it any more; a second time does nothing. */
    hide: (run: Run): void => hiding.get(run)?.(),

    isShown: (run: Run): boolean => hiding.has(run),

    /** Of an answer that is not to be found at all. */
    forgetQuestion,

    /**
     * The answer behind an id, ours or the client's, where this reader may have it. By the client's id
     * of a chat, an answer that was handed over whole is not found: an SDK would show it a second time.
     */
    async find(id: string, asker: Asker): Promise<Run | undefined> {
      // It may be on its way to be answered still: who asks now must not hear that there is nothing.
      const asked = await byQuestion.get(questionClaim(id, asker))?.answer.catch(() => undefined);
      if (asked && isRun(asked)) return asked;
      return byMessage.get(messageClaim(id, asker)) ?? findByChat(chatClaim(id, asker));
    },

    /**
     * The answer of a question that its client gave a name: a request that is sent again, because its
     * connection broke, gets the answer that the first one began.
     */
    async once({ key, body, asker }: NamedQuestion, begin: () => Promise<Found>): Promise<Found> {
      const claim = questionClaim(key, asker);
      const known = byQuestion.get(claim);
      if (known) {
        if (known.body === body) return known.answer;
        throw new DocentError('conflict', 'This `Idempotency-Key` was sent with another question.');
      }
      const mine = { body, answer: begin() };
      byQuestion.set(claim, mine);
      const forget = () => {
        if (byQuestion.get(claim) === mine) byQuestion.delete(claim);
      };
      try {
        const found = await mine.answer;
        // One of this process is forgotten with everything else of it, see `show`.
        if (!isRun(found)) forget();
        return found;
      } catch (error) {
        forget();
        throw error;
      }
    },
  };
}
