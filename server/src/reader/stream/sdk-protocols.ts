/** What chat SDKs read: version 1 of the API is for SDK 4, and version 2 for later ones and for plain readers. */
import type { AssistantRequestV1, AssistantRequestV2 } from '@docent/shared/assistant';
import type { AnswerPart } from '@docent/shared/stream';
import type { Question } from '../ask/question.ts';
import {
  dataStreamAnnotation as annotation,
  dataStreamHeaders,
  dataStreamHeartbeat,
  dataStreamLine as line,
  eventStreamHeaders,
  keepAlive,
  toEvent,
} from '../../platform/http/stream.ts';
import type { Protocol } from './write-stream.ts';

export interface V1Options {
  threadId: string;
  knows: ReturnType<typeof knownBy>;
}

/**
 * The data stream of chat SDK 4: lines of a code, a colon, and JSON. Only codes that all its releases know
 * are written, because an unknown code ends the chat with an error.
 */
export const v1Protocol = (options: V1Options): Protocol => ({
  headers: dataStreamHeaders,
  heartbeat: dataStreamHeartbeat,
  encode: (part) => toLines(part, options),
});

/**
 * What a client reads, from what it sends; the first releases of SDK 4 refuse either line. `f:` is older than
 * `parts`, which the service document asks every caller for. `h:` came with 4.1.35, whose requests look like
 * those of 4.1.34, so it goes only to a client that gives back what later releases made of our answers.
 */
export function knownBy({ messages }: AssistantRequestV1) {
  const parts = messages.flatMap((message) => message.parts ?? []);
  return {
    steps: messages.some((message) => message.parts !== undefined),
    sources: parts.some(({ type }) => type === 'source' || type === 'step-start'),
  };
}

/**
 * SDK 4 doesn't say that it wants another answer: it sends the conversation without the last one. A reader
 * who asks the same question again sends it with the last answer.
 */
export function asksAgain(question: Question): boolean {
  return question.threadId !== undefined && question.history.at(-1)?.question !== question.text;
}

function toLines(part: AnswerPart, { threadId, knows }: V1Options): string {
  switch (part.type) {
    case 'start': {
      const { messageId, messageMetadata } = part;
      // Every release knows annotations. They stay on the message and come back with it.
      const everywhere = annotation({ ...messageMetadata, messageId });
      return knows.steps ? line('f', { messageId }) + everywhere : everywhere;
    }
    case 'source-url': {
      const { sourceId: id, url, title } = part;
      const source = { id, url, ...(title !== undefined && { title }) };
      const everywhere = annotation({ type: 'source', ...source });
      return knows.sources ? line('h', { sourceType: 'url', ...source }) + everywhere : everywhere;
    }
    case 'text-delta':
      return line('0', part.delta);
    case 'data-answer':
      return annotation({ type: 'answer', ...part.data });
    case 'data-question':
      return annotation({ type: 'question', ...part.data });
    case 'message-metadata':
      return annotation(part.messageMetadata);
    case 'finish': {
      const { inputTokens, outputTokens } = part.usage ?? {};
      return end(part.finishReason ?? 'stop', threadId, inputTokens, outputTokens);
    }
    case 'abort':
      return end('other', threadId);
    case 'error':
      return line('3', part.errorText);
    // Version 1 has no such parts.
    case 'data-suggestions':
    case 'data-progress':
    case 'start-step':
    case 'text-start':
    case 'text-end':
    case 'finish-step':
      return '';
  }
}

/** The thread id is where each kind of caller looks: in the hook's `data`, and in the last line. */
function end(finishReason: string, threadId: string, input?: number, output?: number): string {
  // The SDK reads anything but a number as unknown.
  const usage = { promptTokens: input ?? null, completionTokens: output ?? null };
  return (
    line('2', [{ type: 'finish', threadId }]) +
    line('e', { finishReason, usage, isContinued: false }) +
    line('d', { finishReason, usage, type: 'finish', threadId })
  );
}

/**
 * The UI message stream of chat SDK 5 and later. It only contains parts and keys that every release of 5,
 * 6, and 7 accepts, so it's written by hand.
 */
export const v2Protocol = (forSdk: boolean): Protocol => ({
  headers: { ...eventStreamHeaders, 'x-vercel-ai-ui-message-stream': 'v1' },
  heartbeat: keepAlive,
  encode: (part) => toEvents(part, forSdk),
});

/**
 * Chat SDKs refuse keys they don't know, and other callers are promised `threadId` on `finish`. An id of 16
 * letters and digits is only a hint, so it doesn't count for a caller that accepts server-sent events by
 * name: clients of that standard say so, and no chat SDK does.
 */
export function isSdkCaller(
  body: AssistantRequestV2,
  { userAgent = '', accept = '' }: { userAgent?: string | undefined; accept?: string | undefined },
): boolean {
  if (body.trigger === 'submit-message' || body.trigger === 'regenerate-message') return true;
  if (userAgent.includes('ai-sdk/')) return true;
  if (accept.includes('text/event-stream')) return false;
  return /^[A-Za-z0-9]{16}$/.test(body.messages.at(-1)?.id ?? '');
}

function toEvents(part: AnswerPart, forSdk: boolean): string {
  if (part.type === 'abort' || part.type === 'error') return toEvent(part) + done;
  if (part.type !== 'finish') return toEvent(part);
  const { type, finishReason = 'stop', messageMetadata } = part;
  const { threadId } = messageMetadata;
  if (!forSdk) return toEvent({ type, messageMetadata, finishReason, threadId }) + done;
  const metadata = finishReason === 'stop' ? messageMetadata : { ...messageMetadata, finishReason };
  // No blank line follows the last line. By the standard it's never dispatched, so SDKs ignore it, while a
  // caller that reads lines finds the promised `threadId`.
  return `${toEvent({ type, messageMetadata: metadata })}${done}data: ${JSON.stringify({ type, threadId })}\n`;
}

const done = 'data: [DONE]\n\n';
