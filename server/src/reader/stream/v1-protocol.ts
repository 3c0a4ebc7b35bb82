/**
 * The data stream of chat SDK 4: lines of a code, a colon and JSON. Measured with its releases; what
 * is new here to none of them is written, as an unknown code ends the chat with an error.
 */
import type { AssistantRequestV1 } from '@docent/shared/assistant';
import type { AnswerPart } from '@docent/shared/stream';
import type { Question } from '../ask/question.ts';
import type { Protocol } from './write-stream.ts';

const headers = {
  'Content-Type': 'text/plain; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  // nginx would hold the answer back until it is whole.
  'X-Accel-Buffering': 'no',
  'x-vercel-ai-data-stream': 'v1',
};

export interface V1Options {
  threadId: string;
  /** The client knows `f:` and `h:`, which the first releases of SDK 4 refuse. */
  isRecent: boolean;
}

export function v1Protocol(options: V1Options): Protocol {
  return {
    headers,
    // The only line without a meaning that every release of SDK 4 skips.
    heartbeat: '\n',
    encode: (part) => encode(part, options),
  };
}

/**
 * From 4.1.17 on the SDK sends `parts` with each message, and the service document asks every caller
 * for them. `f:` came before that, `h:` with 4.1.35; the releases until then cannot be told from later ones.
 */
export function isRecent(body: AssistantRequestV1): boolean {
  return body.messages.some((message) => message.parts !== undefined);
}

/**
 * SDK 4 does not say that it wants another answer: it sends the conversation without the last one. A
 * reader who asks the same again sends it with that.
 */
export function asksAgain(question: Question): boolean {
  return question.threadId !== undefined && question.history.at(-1)?.question !== question.text;
}

function encode(part: AnswerPart, { threadId, isRecent }: V1Options): string {
  switch (part.type) {
    case 'start': {
      const { messageId, messageMetadata } = part;
      // Annotations are known to every release; they stay on the message, and come back with it.
      const everywhere = annotation({ ...messageMetadata, messageId });
      return isRecent ? line('f', { messageId }) + everywhere : everywhere;
    }
    case 'source-url': {
      const { sourceId: id, url, title } = part;
      const source = { id, url, ...(title !== undefined && { title }) };
      const everywhere = annotation({ type: 'source', ...source });
      return isRecent ? line('h', { sourceType: 'url', ...source }) + everywhere : everywhere;
    }
    case 'text-delta':
      return line('0', part.delta);
    case 'data-answer':
      return annotation({ type: 'answer', ...part.data });
    case 'message-metadata':
      return annotation(part.messageMetadata);
    case 'finish': {
      const { inputTokens, outputTokens } = part.usage ?? {};
      return end('stop', threadId, inputTokens, outputTokens);
    }
    case 'abort':
      return end('other', threadId);
    case 'error':
      return line('3', part.errorText);
    // Readers of version 1 get what they always got.
    case 'data-suggestions':
    case 'start-step':
    case 'text-start':
    case 'text-end':
    case 'finish-step':
      return '';
  }
}

/** The thread stands where each kind of caller looks: `data` of the hook, and the last line for raw readers. */
function end(finishReason: string, threadId: string, input?: number, output?: number): string {
  // The SDK reads what is no number as not known.
  const usage = { promptTokens: input ?? null, completionTokens: output ?? null };
  return (
    line('2', [{ type: 'finish', threadId }]) +
    line('e', { finishReason, usage, isContinued: false }) +
    line('d', { finishReason, usage, type: 'finish', threadId })
  );
}

function annotation(value: object): string {
  return line('8', [value]);
}

function line(code: string, value: unknown): string {
  return `${code}:${JSON.stringify(value)}\n`;
}
