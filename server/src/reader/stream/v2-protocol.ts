/**
 * The UI message stream of chat SDK 5 and later. It only contains parts and keys that every release of 5,
 * 6, and 7 accepts, so it's written by hand.
 */
import type { AssistantRequestV2 } from '@docent/shared/assistant';
import type { AnswerPart } from '@docent/shared/stream';
import { eventStreamHeaders, keepAlive, toEvent } from '../../platform/http/stream.ts';
import type { Protocol } from './write-stream.ts';

export function v2Protocol(forSdk: boolean): Protocol {
  return {
    headers: { ...eventStreamHeaders, 'x-vercel-ai-ui-message-stream': 'v1' },
    heartbeat: keepAlive,
    encode: (part) => encode(part, forSdk),
  };
}

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

/** One part on the wire. */
function encode(part: AnswerPart, forSdk: boolean): string {
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
