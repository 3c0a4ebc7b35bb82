/**
 * Parses the stream of OpenAI's `POST /chat/completions`: server-sent events with one JSON chunk each, then
 * `[DONE]`.
 */
import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import { createParser } from 'eventsource-parser';

/** In characters. An event that never ends must not fill the memory. */
const maxEventLength = 8_388_608;

/** What has been read since the text was last taken. */
export interface ChatChunks {
  /** The caller takes the text and resets it. */
  text: string;
  /** The AI SDK's finish reason; `undefined` until the model finishes. */
  reason: string | undefined;
  usage: LanguageModelV4Usage | undefined;
  /** Whether `[DONE]` was received. */
  isDone: boolean;
  read(piece: string): void;
}

/** A chunk that isn't JSON, is too long, or reports an error. */
export class BadChunk extends Error {
  override readonly name = 'BadChunk';
}

interface Chunk {
  choices?: { delta?: { content?: unknown } | null; finish_reason?: string | null }[] | null;
  usage?: { prompt_tokens?: unknown; completion_tokens?: unknown } | null;
  error?: unknown;
}

const reasons: Record<string, string> = {
  stop: 'stop',
  length: 'length',
  content_filter: 'content-filter',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
};

export function createChatChunks(): ChatChunks {
  const chunks: ChatChunks = {
    text: '',
    reason: undefined,
    usage: undefined,
    isDone: false,
    read: (piece) => parser.feed(piece),
  };
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: ({ data }) => readData(data.trim()),
    onError({ type, message }) {
      // Other errors are unknown fields, which the specification ignores.
      if (type === 'max-buffer-size-exceeded') throw new BadChunk(message);
    },
  });

  function readData(data: string): void {
    if (data === '') return;
    if (data === '[DONE]') {
      chunks.isDone = true;
      return;
    }
    const chunk = parse(data);
    if (chunk.error !== undefined && chunk.error !== null) {
      throw new BadChunk(`The stream reports an error: ${JSON.stringify(chunk.error)}`);
    }
    const choice = chunk.choices?.[0];
    const content = choice?.delta?.content;
    if (typeof content === 'string') chunks.text += content;
    const reason = choice?.finish_reason;
    if (typeof reason === 'string') chunks.reason = reasons[reason] ?? 'other';
    if (chunk.usage) chunks.usage = toUsage(chunk.usage);
  }

  return chunks;
}

function parse(data: string): Chunk {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (cause) {
    throw new BadChunk('A chunk is not JSON.', { cause });
  }
  if (typeof value !== 'object' || value === null) throw new BadChunk('A chunk is not an object.');
  return value;
}

export function toUsage(usage: NonNullable<Chunk['usage']>): LanguageModelV4Usage {
  const count = (value: unknown) => (typeof value === 'number' ? value : undefined);
  const input = count(usage.prompt_tokens);
  const output = count(usage.completion_tokens);
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  };
}
