/**
 * Answers as they are stored, for readers who come back too late or to another process than the one that
 * makes their answer: they wait until it has ended, then get all of it.
 */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { promises } from '@docent/shared/promises';
import type { AnswerPart } from '@docent/shared/stream';
import { DocentError } from '../../platform/errors.ts';
import { toErrorBody } from '../../platform/http/error-handler.ts';
import { pseudonym } from '../../platform/redaction/pseudonym.ts';
import type { Bus } from '../../platform/store/bus.ts';
import type { Database } from '../../platform/store/database.ts';
import { keyDigest } from '../../platform/store/idempotency.ts';
import type { Source } from '../conversations/threads.ts';
import { stoppedParts } from './answer-stream.ts';
import { type Asker, chatDigest, questionDigest } from './stream-names.ts';
import type { Protocol } from './write-stream.ts';

/** What readers at another process say to the one that makes their answer. */
export const answerChannel = 'answers';

export interface AnswerWord {
  /** Somebody waits for it, or has stopped it. */
  say: 'wanted' | 'stop';
  messageId: string;
}

/** The scope of questions among all that is made once. */
export const questionScope = 'question';

/** How often a reader who waits looks whether the answer has ended. */
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
      .select(['status', 'answer', 'sources', 'outcome', 'confidence', 'model'])
      .where('id', '=', messageId)
      .executeTakeFirst();

  /** Waits until it has ended; `undefined` where its conversation is deleted. */
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
     * The answer behind an id, ours or the client's, where this reader may have it. By the client's id
     * of a chat only while it is being made: nobody knows whether it was handed over later.
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
        .select(['turns.id', 'turns.thread_id'])
        .where('threads.domain', '=', asker.domain)
        // Of a reader without a name: whoever knows the id, which nobody can guess.
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
      // Two conversations at once under one chat id: nobody knows whose answer is asked for.
      if (!newest || rows.some((row) => row.thread_id !== newest.thread_id)) return undefined;
      return { messageId: newest.id, threadId: newest.thread_id };
    },

    /** Sends it to its end; settles when it is sent, or when its reader has left. */
    async send(
      stored: StoredAnswer,
      response: ServerResponse,
      protocol: Protocol,
      gone: AbortSignal,
    ): Promise<void> {
      const { messageId, threadId } = stored;
      response.setHeader('X-Thread-Id', threadId);
      response.writeHead(200, protocol.headers);
      response.flushHeaders();
      const heartbeat = setInterval(() => response.write(protocol.heartbeat), promises.heartbeatMs);
      try {
        const turn = await untilEnded(messageId, 'wanted', gone);
        const parts = turn ? toParts(turn, stored) : stoppedParts(threadId);
        response.end(parts.map((part) => protocol.encode(part)).join(''));
      } catch (error) {
        if (!gone.aborted) throw error;
      } finally {
        clearInterval(heartbeat);
      }
    },

    /** Stops it, wherever it is made; settles when its turn is stored. */
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
    // Without the quotations, which are not kept: a citation then lands on what of its section fits best.
    for (const { id, url, title } of JSON.parse(turn.sources) as Source[]) {
      parts.push({ type: 'source-url', sourceId: id, url, title });
    }
    if (answer !== '') {
      parts.push({ type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: answer });
      parts.push({ type: 'text-end', id: '0' });
    }
    if (status === 'stopped') return [...parts, ...stoppedParts(threadId)];
    if (status === 'complete') {
      if (outcome) {
        const mode = model.startsWith('docent/') ? 'extractive' : 'model';
        const data = { status: outcome, confidence: confidence ?? 0, mode } as const;
        parts.push({ type: 'data-answer', data });
      }
      return [...parts, { type: 'finish-step' }, { type: 'finish', messageMetadata }];
    }
    const cut = new DocentError(
      'unavailable',
      'The answer was cut off on our side. Please ask again.',
    );
    parts.push({ type: 'error', errorText: JSON.stringify(toErrorBody(cut, messageId)) });
    return parts;
  }
}
