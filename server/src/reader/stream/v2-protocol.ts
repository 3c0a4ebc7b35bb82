/**
 * The UI message stream of chat SDK 5 and later, written by hand: only parts and keys that every
 * release of 5, 6 and 7 accepts.
 */
import type { AssistantRequestV2 } from '@docent/shared/assistant';
import type { AnswerPart } from '@docent/shared/stream';
import type { Protocol } from './write-stream.ts';

const headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  // nginx would hold the answer back until it is whole.
  'X-Accel-Buffering': 'no',
  'x-vercel-ai-ui-message-stream': 'v1',
};

export function v2Protocol(forSdk: boolean): Protocol {
  return {
    headers,
    // A comment line, which every reader of server-sent events skips.
    heartbeat: ': keep-alive\n\n',
    encode: (part) => encode(part, forSdk),
  };
}

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
function encode(part: AnswerPart, forSdk: boolean): string {
  if (part.type === 'abort') return event(part) + done;
  if (part.type !== 'finish') return event(part);
  const { type, messageMetadata } = part;
  const { threadId } = messageMetadata;
  if (!forSdk) return event({ type, messageMetadata, finishReason: 'stop', threadId }) + done;
  // The last line ends without a blank one: by the standard it is never dispatched, so SDKs ignore
  // it, while a caller that reads lines finds the promised `threadId`.
  return `${event({ type, messageMetadata })}${done}data: ${JSON.stringify({ type, threadId })}\n`;
}

const done = 'data: [DONE]\n\n';

function event(part: object): string {
  return `data: ${JSON.stringify(part)}\n\n`;
}
