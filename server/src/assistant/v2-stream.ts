/**
 * The UI message stream of chat SDK 5 and later, written by hand: only parts and keys that every
 * release of 5, 6 and 7 accepts.
 */
import type { AssistantRequestV2 } from '@docent/shared/assistant';
import type { AnswerPart } from '@docent/shared/stream';

export const v2Headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  // nginx would hold the answer back until it is whole.
  'X-Accel-Buffering': 'no',
  'x-vercel-ai-ui-message-stream': 'v1',
} as const;

/** A comment line, which every reader of server-sent events skips. */
export const v2Heartbeat = ': keep-alive\n\n';

/** Chat SDK clients refuse keys they do not know; raw callers are promised `threadId` on `finish`. */
export function isSdkCaller(body: AssistantRequestV2, userAgent: string | undefined): boolean {
  return (
    body.trigger === 'submit-message' ||
    body.trigger === 'regenerate-message' ||
    (userAgent?.includes('ai-sdk/') ?? false) ||
    /^[A-Za-z0-9]{16}$/.test(body.messages.at(-1)?.id ?? '')
  );
}

/** One part as it goes over the wire. */
export function encodeV2(part: AnswerPart, forSdk: boolean): string {
  if (part.type !== 'finish') return event(part);
  const { threadId } = part.messageMetadata;
  if (!forSdk) return event({ ...part, finishReason: 'stop', threadId }) + done;
  // The last line ends without a blank one: by the standard it is never dispatched, so SDKs ignore
  // it, while a caller that reads lines finds the promised `threadId`.
  return `${event(part)}${done}data: ${JSON.stringify({ type: 'finish', threadId })}\n`;
}

const done = 'data: [DONE]\n\n';

function event(part: object): string {
  return `data: ${JSON.stringify(part)}\n\n`;
}
