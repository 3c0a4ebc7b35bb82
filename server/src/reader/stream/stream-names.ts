/** The names by which the answers of this process are found again, and who may find them. */
import { createHash } from 'node:crypto';
import { DocentError } from '../../platform/errors.ts';
import type { Caller } from '../../platform/auth/key-store.ts';
import { anonymous } from '../../platform/redaction/pseudonym.ts';
import type { AnswerStream } from './answer-stream.ts';
import type { StoredAnswer } from './stored-answers.ts';

/** Who asks, or asks to read again. */
export interface Asker {
  caller: Pick<Caller, 'keyId' | 'organization'>;
  domain: string;
  fp: string;
  /** Where the request comes from. */
  address: string;
}

/** The client's names of an answer; our own is its message id. */
export interface ClientNames {
  asker: Asker;
  /** What the client calls the conversation; only answers that can be resumed have one. */
  chatId?: string | undefined;
  /** The client's `Idempotency-Key` for this question. With it, the chat's id does not count. */
  questionKey?: string | undefined;
}

/** An answer that this process makes, or one that is stored or made elsewhere. */
export type FoundAnswer = AnswerStream | StoredAnswer;

export const isStream = (found: FoundAnswer): found is AnswerStream => 'done' in found;

/** Shorter names are given by applications, and may be guessed. Chat SDKs make 16 random characters. */
export const minNameLength = 16;

/**
 * A chat id is the client's, and some applications write one into their source, for all their readers.
 * So it counts with the same key only, and for a reader without a name from the same address.
 */
export function chatDigest({ chatId, questionKey, asker }: ClientNames): string | undefined {
  if (chatId === undefined || chatId.length < minNameLength) return undefined;
  return questionKey === undefined ? clientDigest('chat', chatId, asker) : undefined;
}

/** The client's name for one question, by which it finds the answer before it knows our id. */
export function questionDigest(key: string, asker: Asker): string {
  return clientDigest('question', key, asker);
}

function clientDigest(kind: string, name: string, { caller, domain, fp, address }: Asker): string {
  const from = fp === anonymous ? address : '';
  return digest([kind, name, caller.organization, caller.keyId, domain, fp, from]);
}

/**
 * Our own id of an answer cannot be guessed, so it is enough, on the same site and for the same reader; a
 * reader without a name is anybody, as with threads.
 */
function messageDigest(messageId: string, { caller, domain, fp }: Asker): string {
  return digest(['message', messageId, caller.organization, domain, fp]);
}

function digest(what: string[]): string {
  return createHash('sha256').update(JSON.stringify(what)).digest('base64url');
}

export function createStreamNames() {
  const byMessage = new Map<string, AnswerStream>();
  const byChat = new Map<string, { stream: AnswerStream; isShared: boolean }>();
  /** Questions with an `Idempotency-Key`, from before their answer is open. */
  const byQuestion = new Map<string, { body: string; answer: Promise<FoundAnswer> }>();
  const removals = new WeakMap<AnswerStream, () => void>();

  function findByChat(chat: string | undefined): AnswerStream | undefined {
    const found = chat === undefined ? undefined : byChat.get(chat);
    const hasNothing = found?.isShared || (found?.stream.isEnded && found.stream.wasDelivered);
    return hasNothing ? undefined : found?.stream;
  }

  function removeQuestion({ questionKey, asker }: ClientNames): void {
    if (questionKey !== undefined) byQuestion.delete(questionDigest(questionKey, asker));
  }

  return {
    /** From here on, the answer is found by its names. */
    add(stream: AnswerStream, names: ClientNames): void {
      const message = messageDigest(stream.messageId, names.asker);
      const chat = chatDigest(names);
      byMessage.set(message, stream);
      if (chat !== undefined) {
        const before = byChat.get(chat);
        // Two conversations at once under one chat id: nobody knows whose answer is asked for.
        const isShared = before !== undefined && before.stream.threadId !== stream.threadId;
        byChat.set(chat, { stream, isShared: isShared || before?.isShared === true });
      }
      removals.set(stream, () => {
        removals.delete(stream);
        byMessage.delete(message);
        if (chat !== undefined && byChat.get(chat)?.stream === stream) byChat.delete(chat);
        removeQuestion(names);
      });
    },

    /** Nobody finds it any more; a second time does nothing. */
    remove: (stream: AnswerStream): void => removals.get(stream)?.(),

    has: (stream: AnswerStream): boolean => removals.has(stream),

    removeQuestion,

    /**
     * The answer behind an id, ours or the client's, where this reader may have it. By the client's id of
     * a chat, an answer that was handed over whole is not found: an SDK would show it a second time.
     */
    async find(id: string, asker: Asker): Promise<AnswerStream | undefined> {
      // It may be on its way to be answered still: who asks now must not hear that there is nothing.
      const asked = await byQuestion.get(questionDigest(id, asker))?.answer.catch(() => undefined);
      if (asked && isStream(asked)) return asked;
      return (
        byMessage.get(messageDigest(id, asker)) ?? findByChat(chatDigest({ chatId: id, asker }))
      );
    },

    /** The answer of a question with an `Idempotency-Key`: all requests of this process share it. */
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
        // A stream of this process is forgotten with its other names, see `add`.
        if (!isStream(found)) forget();
        return found;
      } catch (error) {
        forget();
        throw error;
      }
    },
  };
}
