/**
 * The data stream of chat SDK 4: lines of a code, a colon, and JSON. Only codes that all its releases know
 * are written, because an unknown code ends the chat with an error.
 */
import type { AssistantRequestV1 } from '@docent/shared/assistant';
import type { AnswerPart } from '@docent/shared/stream';
import type { Question } from '../ask/question.ts';
import {
  dataStreamAnnotation as annotation,
  dataStreamHeaders,
  dataStreamHeartbeat,
  dataStreamLine as line,
} from '../../platform/http/stream.ts';
import type { Protocol } from './write-stream.ts';

export interface V1Options {
  threadId: string;
  knows: ReturnType<typeof knownBy>;
}

export function v1Protocol(options: V1Options): Protocol {
  return {
    headers: dataStreamHeaders,
    heartbeat: dataStreamHeartbeat,
    encode: (part) => encode(part, options),
  };
}

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

function encode(part: AnswerPart, { threadId, knows }: V1Options): string {
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
