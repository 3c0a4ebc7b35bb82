/** A conversation in the chat SDK's words and in ours, and what of it the service is told. */
import type { ContextItem } from '@docent/shared/assistant';
import type { AnswerStatus } from '@docent/shared/stream';
import type { UIMessage } from 'ai';
import {
  type Feedback,
  isRecord,
  isStatus,
  isTextList,
  type Message,
  type Source,
} from './message.ts';

export interface Metadata {
  threadId?: string;
  context?: ContextItem[];
  ended?: Message['ended'];
  feedback?: Feedback | undefined;
}
export type SdkMessage = UIMessage<
  Metadata,
  { answer: Pick<AnswerStatus, 'status'>; suggestions: { questions: string[] } }
>;

function toSource(part: Extract<SdkMessage['parts'][number], { type: 'source-url' }>): Source {
  const source: Source = { id: part.sourceId, url: part.url, title: part.title ?? part.url };
  const quote = part.providerMetadata?.['docent']?.['quote'];
  if (typeof quote === 'string') source.quote = quote;
  return source;
}

export function fromSdk({ id, role, parts, metadata }: SdkMessage): Message {
  const message: Message = {
    id,
    role: role === 'user' ? 'user' : 'assistant',
    text: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n'),
    sources: parts.flatMap((part) => (part.type === 'source-url' ? [toSource(part)] : [])),
    context: metadata?.context ?? [],
  };
  if (metadata?.ended) message.ended = metadata.ended;
  if (metadata?.feedback) message.feedback = metadata.feedback;
  // Data parts are not checked by the SDK.
  const kind = parts.find((part) => part.type === 'data-answer');
  if (isRecord(kind?.data) && isStatus(kind.data.status)) message.status = kind.data.status;
  const more = parts.find((part) => part.type === 'data-suggestions');
  if (isRecord(more?.data) && isTextList(more.data.questions) && more.data.questions.length)
    message.suggestions = more.data.questions;
  return message;
}

export function toSdk({
  id,
  role,
  text,
  sources,
  context,
  ended,
  status,
  suggestions,
  feedback,
}: Message): SdkMessage {
  return {
    id,
    role,
    parts: [
      ...sources.map(({ id: sourceId, url, title, quote }) => ({
        type: 'source-url' as const,
        sourceId,
        url,
        title,
        ...(quote ? { providerMetadata: { docent: { quote } } } : {}),
      })),
      { type: 'text', text },
      ...(status ? [{ type: 'data-answer' as const, data: { status } }] : []),
      ...(suggestions
        ? [{ type: 'data-suggestions' as const, data: { questions: suggestions } }]
        : []),
    ],
    metadata: {
      ...(context.length ? { context } : {}),
      ...(ended ? { ended } : {}),
      ...(feedback ? { feedback } : {}),
    },
  };
}

/** What the service is told of a piece of the page. */
export const toWireItem = ({ type, value, path, elementId }: ContextItem) => ({
  type,
  value,
  path,
  elementId,
});

/** What the service reads of a message: who said which words. */
export function toWire({ id, role, parts }: SdkMessage) {
  const texts = parts.flatMap((part) =>
    part.type === 'text' ? [{ type: 'text', text: part.text }] : [],
  );
  return { id, role, parts: texts };
}
