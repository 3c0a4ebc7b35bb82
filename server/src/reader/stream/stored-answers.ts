/**
 * The names by which clients find answers again, and who may find them. Answers that are stored are for readers
 * who come back too late, or to another process than the one that makes their answer. They wait until it has
 * ended, and then get all of it.
 */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SearchFilter } from '@docent/shared/assistant';
import type { AnswerPart, AnswerStamp, AnswerStatus } from '@docent/shared/stream';
import { type Caller, holdsGroups } from '../../platform/auth/caller.ts';
import { DocentError } from '../../platform/errors.ts';
import { digestOf } from '../../platform/hash.ts';
import { toErrorBody } from '../../platform/http/error-handler.ts';
import { beginStream } from '../../platform/http/stream.ts';
import { anonymous, pseudonym } from '../../platform/redaction/redact.ts';
import type { Bus } from '../../platform/store/bus.ts';
import type { Database } from '../../platform/store/database.ts';
import { keyDigest } from '../../platform/store/idempotency.ts';
import { toQuestion } from '../ask/ask-back.ts';
import type { Source } from '../conversations/threads.ts';
import { pinnedModel } from '../words/words.ts';
import { type AnswerStream, stoppedParts } from './answer-stream.ts';
import type { Protocol } from './write-stream.ts';

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
export function messageDigest(messageId: string, { caller, domain, fp }: Asker): string {
  return digestOf(['message', messageId, caller.organization, domain, fp]);
}

/** The bus channel on which readers at other processes reach the one that makes their answer. */
export const answerChannel = 'answers';

export interface AnswerWord {
  /** Somebody waits for the answer, or stops it. */
  say: 'wanted' | 'stop';
  messageId: string;
}

/** The scope of questions among all idempotency keys. */
export const questionScope = 'question';

/** How often a waiting reader checks whether the answer has ended. */
const pollMs = 200;

export interface StoredAnswer {
  messageId: string;
  threadId: string;
}

export type StoredAnswers = ReturnType<typeof createStoredAnswers>;

export function createStoredAnswers({ database, bus }: { database: Database; bus: Bus }) {
  const read = (messageId: string) =>
    database
      .selectFrom('turns')
      .select([
        'status',
        'answer',
        'sources',
        'outcome',
        'confidence',
        'model',
        'finish_reason',
        'stamp',
        'choices',
      ])
      .where('id', '=', messageId)
      .executeTakeFirst();

  /** Waits until the answer has ended. Returns `undefined` if its conversation is deleted. */
  async function untilEnded(messageId: string, say: AnswerWord['say'], signal: AbortSignal) {
    for (;;) {
      const turn = await read(messageId);
      if (turn?.status !== 'running') return turn;
      await bus.publish(answerChannel, JSON.stringify({ say, messageId } satisfies AnswerWord));
      await sleep(pollMs, undefined, { signal });
    }
  }

  return {
    /**
     * The answer with an id, ours or the client's, if this reader may read it. By the client's chat id, only
     * an answer in progress is found: an ended one may already be delivered.
     */
    async find(id: string, asker: Asker): Promise<StoredAnswer | undefined> {
      const asked = await database
        .selectFrom('idempotency_keys')
        .select('made')
        .where('scope', '=', questionScope)
        .where('key', '=', keyDigest(questionScope, questionDigest(id, asker)))
        .executeTakeFirst();
      const chat = chatDigest({ chatId: id, asker });
      const rows = await database
        .selectFrom('turns')
        .innerJoin('threads', 'threads.id', 'turns.thread_id')
        .select(['turns.id', 'turns.thread_id', 'turns.filter'])
        .where('threads.domain', '=', asker.domain)
        // For a reader without a name, it's enough to know the id, which nobody can guess.
        .where('threads.fp', '=', pseudonym(asker.fp, asker.domain))
        .where((or) =>
          or.or([
            or('turns.id', '=', asked?.made ?? id),
            ...(chat === undefined ? [] : [or('turns.chat', '=', chat)]),
          ]),
        )
        .orderBy('turns.id', 'desc')
        .limit(10)
        .execute();
      const [newest] = rows;
      // If two conversations use one chat id, it's unclear whose answer is meant.
      if (!newest || rows.some((row) => row.thread_id !== newest.thread_id)) return undefined;
      const filter = JSON.parse(newest.filter ?? '{}') as SearchFilter;
      if (!holdsGroups(asker.caller, filter)) return undefined;
      return { messageId: newest.id, threadId: newest.thread_id };
    },

    /** Waits for the answer's end and sends it. Settles once it's sent or its reader has left. */
    async send(
      stored: StoredAnswer,
      response: ServerResponse,
      protocol: Protocol,
      gone: AbortSignal,
    ): Promise<void> {
      const { messageId, threadId } = stored;
      response.setHeader('X-Thread-Id', threadId);
      beginStream(response, protocol);
      response.flushHeaders();
      try {
        const turn = await untilEnded(messageId, 'wanted', gone);
        const parts = turn ? toParts(turn, stored) : stoppedParts(threadId);
        response.end(parts.map((part) => protocol.encode(part)).join(''));
      } catch (error) {
        if (!gone.aborted) throw error;
      }
    },

    /** Stops an answer of any process. Settles once its turn is stored. */
    async stop({ messageId }: StoredAnswer, gone: AbortSignal): Promise<void> {
      await untilEnded(messageId, 'stop', gone);
    },
  };

  function toParts(
    turn: NonNullable<Awaited<ReturnType<typeof read>>>,
    { messageId, threadId }: StoredAnswer,
  ): AnswerPart[] {
    const { status, answer, outcome, confidence, model } = turn;
    const messageMetadata = { threadId };
    const parts: AnswerPart[] = [
      { type: 'start', messageId, messageMetadata },
      { type: 'start-step' },
    ];
    // Quotations aren't stored. Without them, a citation leads to the best match in its section.
    for (const { id, url, title } of JSON.parse(turn.sources) as Source[]) {
      parts.push({ type: 'source-url', sourceId: id, url, title });
    }
    if (turn.choices !== null) {
      const data = toQuestion(JSON.parse(turn.choices) as string[]);
      parts.push({ type: 'data-question', data });
    }
    if (answer !== '') {
      parts.push({ type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: answer });
      parts.push({ type: 'text-end', id: '0' });
    }
    if (status === 'stopped') return [...parts, ...stoppedParts(threadId)];
    if (status === 'complete') {
      if (outcome) {
        const mode = modeOf(model);
        const named = mode === 'model' && { model };
        const stamp = turn.stamp === null ? undefined : (JSON.parse(turn.stamp) as AnswerStamp);
        const known = { status: outcome, confidence: confidence ?? 0, mode };
        const data = { ...known, ...named, ...stamp };
        parts.push({ type: 'data-answer', data });
      }
      const finishReason = turn.finish_reason ?? 'stop';
      const finish = { type: 'finish', finishReason, messageMetadata } as const;
      return [...parts, { type: 'finish-step' }, finish];
    }
    const cut = new DocentError(
      'unavailable',
      'The answer was cut off on our side. Please ask again.',
    );
    parts.push({ type: 'error', errorText: JSON.stringify(toErrorBody(cut, messageId)) });
    return parts;
  }
}

/** What stands for a model in the stored turn says it. */
function modeOf(model: string): AnswerStatus['mode'] {
  if (model === pinnedModel) return 'pinned';
  return model.startsWith('docent/') ? 'extractive' : 'model';
}
