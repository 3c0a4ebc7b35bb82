/** The names by which clients find the answers of this process again, and who may find them. */
import { digestOf } from '../../platform/hash.ts';
import type { SearchFilter } from '@docent/shared/assistant';
import { holdsGroups, type Caller } from '../../platform/auth/caller.ts';
import { DocentError } from '../../platform/errors.ts';
import { anonymous } from '../../platform/redaction/redact.ts';
import type { AnswerStream } from './answer-stream.ts';
import type { StoredAnswer } from './stored-answers.ts';

/** Who asks a question, or reads its answer again. */
export interface Asker {
  caller: Pick<Caller, 'id' | 'organization' | 'groups'>;
  domain: string;
  fp: string;
  /** The address of the client. */
  address: string;
}

/** The client's names for an answer. Our own is its message id. */
export interface ClientNames {
  asker: Asker;
  /** The filter of the question. Another key finds the answer only if it holds the same groups. */
  filter?: SearchFilter | undefined;
  /** The client's id of the chat, if its answers can be resumed. */
  chatId?: string | undefined;
  /** The `Idempotency-Key` of this question. With it, the chat id doesn't count. */
  questionKey?: string | undefined;
}

/** An answer of this process, or one that is stored or made elsewhere. */
export type FoundAnswer = AnswerStream | StoredAnswer;

export const isStream = (found: FoundAnswer): found is AnswerStream => 'done' in found;

/** Shorter names are often constants of an application. Chat SDKs make 16 random characters. */
export const minNameLength = 16;

/**
 * Some applications use one constant chat id for all their readers. So a chat id counts only with the same
 * key, and for a reader without a name, only from the same address.
 */
export function chatDigest({ chatId, questionKey, asker }: ClientNames): string | undefined {
  if (chatId === undefined || chatId.length < minNameLength) return undefined;
  return questionKey === undefined ? clientDigest('chat', chatId, asker) : undefined;
}

/** The client's name for one question, by which it finds the answer before it knows our id. The same rules hold. */
export function questionDigest(key: string, asker: Asker): string {
  return clientDigest('question', key, asker);
}

function clientDigest(kind: string, name: string, { caller, domain, fp, address }: Asker): string {
  const from = fp === anonymous ? address : '';
  return digestOf([kind, name, caller.organization, caller.id, domain, fp, from]);
}

/**
 * Nobody can guess our message id, so any key of the site may use it, for the same reader. A reader without
 * a name is anybody, as with threads.
 */
function messageDigest(messageId: string, { caller, domain, fp }: Asker): string {
  return digestOf(['message', messageId, caller.organization, domain, fp]);
}

export function createStreamNames() {
  const byMessage = new Map<string, { stream: AnswerStream; filter: SearchFilter | undefined }>();
  const byChat = new Map<string, { stream: AnswerStream; isAmbiguous: boolean }>();
  /** Questions with an `Idempotency-Key`, even before their answer is open. */
  const byQuestion = new Map<string, { body: string; answer: Promise<FoundAnswer> }>();
  const removals = new WeakMap<AnswerStream, () => void>();

  function findByChat(chat: string | undefined): AnswerStream | undefined {
    const found = chat === undefined ? undefined : byChat.get(chat);
    const hasNothing = found?.isAmbiguous || (found?.stream.isEnded && found.stream.wasDelivered);
    return hasNothing ? undefined : found?.stream;
  }

  function removeQuestion({ questionKey, asker }: ClientNames): void {
    if (questionKey !== undefined) byQuestion.delete(questionDigest(questionKey, asker));
  }

  return {
    /** From now on, the answer is found by its names. Nothing else of its question is kept. */
    add(stream: AnswerStream, names: ClientNames): void {
      const { asker, filter, questionKey } = names;
      const message = messageDigest(stream.messageId, asker);
      const chat = chatDigest(names);
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
    },

    /** From now on, nobody finds the answer. A second call does nothing. */
    remove: (stream: AnswerStream): void => removals.get(stream)?.(),

    has: (stream: AnswerStream): boolean => removals.has(stream),

    removeQuestion,

    /**
     * The answer with an id, ours or the client's, if this reader may read it. By the client's chat id, a
     * delivered answer isn't found, because an SDK would show it a second time.
     */
    async find(id: string, asker: Asker): Promise<AnswerStream | undefined> {
      // The answer may still be opening. Don't report that there is nothing.
      const asked = await byQuestion.get(questionDigest(id, asker))?.answer.catch(() => undefined);
      if (asked && isStream(asked)) return asked;
      const named = byMessage.get(messageDigest(id, asker));
      if (named) return holdsGroups(asker.caller, named.filter) ? named.stream : undefined;
      return findByChat(chatDigest({ chatId: id, asker }));
    },

    /** Answers a question with an `Idempotency-Key` once: all its requests to this process share the answer. */
    async once(
      key: string,
      asker: Asker,
      body: string,
      begin: () => Promise<FoundAnswer>,
    ): Promise<FoundAnswer> {
      const question = questionDigest(key, asker);
      const known = byQuestion.get(question);
      if (known) {
        if (known.body === body) return known.answer;
        throw new DocentError('conflict', 'This `Idempotency-Key` was sent with another question.');
      }
      const mine = { body, answer: begin() };
      byQuestion.set(question, mine);
      const forget = () => {
        if (byQuestion.get(question) === mine) byQuestion.delete(question);
      };
      try {
        const found = await mine.answer;
        // A stream of this process is removed with its other names, see `add`.
        if (!isStream(found)) forget();
        return found;
      } catch (error) {
        forget();
        throw error;
      }
    },
  };
}
