import type {
  AssistantRequestV1,
  AssistantRequestV2,
  ContextItem,
  MessageV1,
  MessageV2,
  SearchFilter,
} from '@docent/shared/assistant';
import { promises } from '@docent/shared/promises';
import { DocentError } from '../../platform/errors.ts';
import { withoutRouter } from '../../retrieval/page-path.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import { newestTurns, type PastTurn } from '../conversations/threads.ts';

/** A reader's question, independent of the protocol. */
export interface Question {
  text: string;
  /** The conversation as the client has it. It only counts if there is no stored thread. */
  history: PastTurn[];
  /** The thread to continue. If absent, a new one starts. */
  threadId: string | undefined;
  fp: string;
  currentPath: string | undefined;
  context: ContextItem[];
  pageSize: number;
  /** What this answer may use. Earlier answers that used more are hidden from the model. */
  filter: SearchFilter | undefined;
  /** The reader wants another answer to the same question: this turn replaces the last one. */
  isRetry: boolean;
  /** The client's id of the question. */
  questionId?: string | undefined;
  /**
   * The client's id of the question to replace, or with `isRetry` the id of our answer. That turn and all
   * turns after it are replaced. An unknown id replaces nothing.
   */
  replaces?: string | undefined;
  /** Whether the conversation may be stored. */
  store: boolean;
}

/**
 * Reads the question from a request: the last user message. Assistant and system messages from a client
 * have no authority. They only count as conversation.
 */
export function toQuestion(
  body: AssistantRequestV1 | AssistantRequestV2,
  docs: Pick<Site['docs'], 'baseUrl'> = {},
): Question {
  const messages: (MessageV1 | MessageV2)[] = body.messages;
  const last = messages.findLastIndex((message) => message.role === 'user');
  const text = last < 0 ? '' : textOf(messages[last]);
  if (text === '') {
    throw new DocentError(
      'bad_request',
      'There is no question: the last user message has no text.',
      {
        details: [{ path: `messages.${Math.max(last, 0)}`, message: 'has no text' }],
      },
    );
  }
  if (text.length > promises.questionMaxCharacters) {
    throw new DocentError(
      'bad_request',
      `The question is too long: ${promises.questionMaxCharacters} characters at most. Send long text or code as \`context\`.`,
      { details: [{ path: `messages.${last}`, message: 'is too long' }] },
    );
  }
  return {
    text,
    history: toHistory(messages.slice(0, last)),
    threadId: storable(body.threadId || echoedThreadId(messages)),
    fp: storable(body.fp),
    currentPath: body.currentPath && withoutRouter(docs.baseUrl, body.currentPath),
    context: body.context ?? [],
    pageSize: body.retrievalPageSize ?? promises.retrievalPageSizeDefault,
    filter: body.filter,
    isRetry: body.trigger === 'regenerate-message',
    questionId: asName(messages[last]?.id),
    replaces: asName(body.messageId),
    store: body.store ?? true,
  };
}

/** An id from the client, if we can store it. Chat SDKs make 16 letters and digits. */
function asName(id: string | undefined): string | undefined {
  return id !== undefined && /^[\w-]{1,64}$/.test(id) ? id : undefined;
}

/** Removes what the database can't store: lone surrogates, and NUL in PostgreSQL. */
function storable<Text extends string | undefined>(text: Text): Text {
  return text?.replaceAll('\0', '').toWellFormed() as Text;
}

/** Chat SDKs 5 and later send `parts`. SDK 4 and other clients send `content`, and some send both. */
function textOf(message: MessageV2 | MessageV1 | undefined): string {
  const parts = (message?.parts ?? [])
    .filter((part) => part.type === 'text' && typeof part.text === 'string')
    .map((part) => part.text as string);
  const text = parts.length > 0 ? parts.join('\n') : (message?.content ?? '');
  return storable(text).trim();
}

function toHistory(messages: (MessageV2 | MessageV1)[]): PastTurn[] {
  const turns: PastTurn[] = [];
  for (const message of messages) {
    const text = textOf(message);
    if (text === '') continue;
    if (message.role === 'user') turns.push({ question: text, answer: '' });
    const open = turns.at(-1);
    if (message.role === 'assistant' && open) open.answer = text;
  }
  return newestTurns(turns);
}

/** SDK transports often reuse their first body. Then the thread id comes back on our last answer. */
function echoedThreadId(messages: (MessageV2 | MessageV1)[]): string | undefined {
  const answer = messages.findLast((message) => message.role === 'assistant');
  const marks = [
    answer?.metadata,
    ...(Array.isArray(answer?.annotations) ? answer.annotations : []),
  ];
  for (const mark of marks) {
    const threadId = (mark as { threadId?: unknown } | null | undefined)?.threadId;
    if (typeof threadId === 'string' && threadId !== '') return threadId;
  }
  return undefined;
}
