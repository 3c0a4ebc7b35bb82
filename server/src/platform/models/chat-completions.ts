/**
 * A language model behind OpenAI's `POST /chat/completions`, read with as little work per token as
 * possible, because one process streams many answers at once. It reads only text; agents, which need
 * tools, use the AI SDK's provider.
 */
import type { IncomingMessage } from 'node:http';
import {
  APICallError,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Prompt,
} from '@ai-sdk/provider';
import { createParser } from 'eventsource-parser';
import { askServer, readText } from './ask-server.ts';
import type { ModelEvent, TextModel } from './model.ts';
import { providerMessage } from './provider-error.ts';

/** The text to buffer for a slow reader before pausing the model's server, in characters. */
const waitingMaxLength = 262_144;
/** The part of an error's body to keep for the log, in characters. */
const errorMaxLength = 4_096;

/** An event that never ends must not fill the memory. In characters. */
const maxEventLength = 8_388_608;

/**
 * The status line and the first words pass as they arrive. After this many characters, text is passed on
 * at most this often, which nobody sees: everything after this file costs per event, not per character.
 */
const gatherFrom = 60;
const gatherMs = 50;

/** How long a server may take to end a response after `[DONE]`. */
const endMs = 1_000;

export interface ChatCompletionsSettings {
  /** The model's name in the configuration, for the log. */
  name: string;
  /** Including the version, such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  model: string;
  apiKey?: string;
}

export function createChatCompletionsModel(settings: ChatCompletionsSettings): TextModel {
  const url = new URL(`${settings.baseUrl}/chat/completions`);
  // OpenAI's reasoning models refuse the old name, and other servers don't know the new one.
  const limitName = url.hostname === 'api.openai.com' ? 'max_completion_tokens' : 'max_tokens';

  return {
    provider: settings.name,
    modelId: settings.model,

    async *read(options, signal) {
      const body = JSON.stringify(toBody(settings.model, options, limitName));
      const { apiKey } = settings;
      const response = await askServer(url, { body, accept: 'text/event-stream', apiKey, signal });
      const status = response.statusCode ?? 0;
      if (status !== 200) throw await toError(url, status, response, apiKey);
      const heard = listen(response);
      try {
        for (;;) {
          const event = heard.take();
          if (event === undefined) await heard.wait();
          else yield event;
          if (event?.type === 'finish') return;
        }
      } finally {
        heard.release();
      }
    },
  };
}

/** Reads a response as it arrives. Chunks that arrive before the caller gets them are joined. */
function listen(response: IncomingMessage) {
  const chunks = createChatChunks();
  let hasEnded = false;
  let fault: unknown;
  let passed = 0;
  let isGathering = false;
  let wake: (() => void) | undefined;
  const wakeUp = () => {
    wake?.();
    wake = undefined;
  };
  const gathering = setTimeout(() => {
    isGathering = false;
    if (chunks.text !== '') wakeUp();
  }, gatherMs);
  response.setEncoding('utf8');
  response.on('data', (piece: string) => {
    try {
      chunks.read(piece);
    } catch (error) {
      fault ??= error;
      response.destroy();
    }
    if (chunks.text.length > waitingMaxLength) response.pause();
    if (!isGathering || chunks.isDone) wakeUp();
  });
  response.once('error', (error) => {
    fault ??= error;
    wakeUp();
  });
  response.once('close', () => {
    hasEnded = true;
    clearTimeout(gathering);
    wakeUp();
  });

  return {
    /** The text since the last call, or the end; `undefined` if there is nothing yet. */
    take(): ModelEvent | undefined {
      if (chunks.thoughts !== '') {
        const text = chunks.thoughts;
        chunks.thoughts = '';
        return { type: 'reasoning', text };
      }
      if (chunks.text !== '') {
        const { text } = chunks;
        chunks.text = '';
        passed += text.length;
        if (passed > gatherFrom) {
          isGathering = true;
          gathering.refresh();
        }
        if (response.isPaused()) response.resume();
        return { type: 'text', text };
      }
      if (fault instanceof Error) throw fault;
      if (!chunks.isDone && !hasEnded) return undefined;
      // Some servers say neither a finish reason nor `[DONE]`. A broken connection leaves the response incomplete,
      // and Ollama ends it after an empty chunk when its runner dies: `ChatWriter` drops the error.
      const isWhole = chunks.isDone || (passed > 0 && response.complete && !chunks.isLastEmpty);
      const reason = chunks.reason ?? (isWhole ? 'stop' : 'interrupted');
      return { type: 'finish', reason, ...chunks.usage };
    },
    /** Resolves when there is something to take. */
    wait: () => new Promise<void>((resolve) => (wake = resolve)),
    /** Keeps the connection of a complete response for reuse, and closes any other, which stops the model. */
    release(): void {
      if (!chunks.isDone) response.destroy();
      else if (!response.complete) response.resume().setTimeout(endMs, () => response.destroy());
    },
  };
}

function toBody(
  model: string,
  { prompt, maxOutputTokens, temperature }: LanguageModelV4CallOptions,
  limitName: string,
) {
  return {
    model,
    messages: prompt.flatMap(toMessage),
    ...(maxOutputTokens !== undefined && { [limitName]: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function toMessage(message: LanguageModelV4Prompt[number]): { role: string; content: string }[] {
  if (message.role === 'system') return [{ role: message.role, content: message.content }];
  if (message.role === 'tool') return [];
  const texts = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return [{ role: message.role, content: texts.join('\n\n') }];
}

/** The same error as from the AI SDK's providers, so that one function turns both into messages. */
async function toError(
  url: URL,
  status: number,
  response: IncomingMessage,
  apiKey: string | undefined,
): Promise<APICallError> {
  const responseBody = await readText(response, errorMaxLength, apiKey);
  // For the log. What the provider quotes may be the reader's text.
  const said = providerMessage(responseBody)
    ?.split(/["“[{<]|(?<!\w)'/)[0]
    ?.trimEnd();
  return new APICallError({
    message: `The model's server answered ${status}${said ? `: ${said}` : '.'}`,
    url: url.href,
    // The prompt contains the reader's text, which doesn't belong in an error.
    requestBodyValues: {},
    statusCode: status,
    responseHeaders: Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
    ),
    responseBody,
  });
}

/** A chunk that isn't JSON, is too long, or reports an error. */
export class BadChunk extends Error {
  override readonly name = 'BadChunk';
}

interface Delta {
  content?: unknown;
  /** Ollama, vLLM, OpenRouter. */
  reasoning?: unknown;
  /** llama.cpp, DeepSeek, older vLLM. */
  reasoning_content?: unknown;
}

interface Chunk {
  choices?: { delta?: Delta | null; finish_reason?: string | null }[] | null;
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

/** Parses the stream: server-sent events with one JSON chunk each, then `[DONE]`. */
export function createChatChunks() {
  const chunks = {
    /** The text since it was last taken. The caller takes it and resets it. */
    text: '',
    /** The same of what the model thinks. */
    thoughts: '',
    /** The AI SDK's finish reason; `undefined` until the model finishes. */
    reason: undefined as string | undefined,
    usage: toUsage({}),
    /** Whether `[DONE]` was received. */
    isDone: false,
    /** The last chunk had neither text nor thoughts. */
    isLastEmpty: false,
    read: (piece: string) => parser.feed(piece),
  };
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: ({ data }) => readData(data.trim()),
    onError({ type, message, line = '' }) {
      if (type === 'max-buffer-size-exceeded') throw new BadChunk(message);
      // Other errors are unknown fields, which the specification ignores. But older Ollama reports an error in
      // the middle of a stream as a line of bare JSON, and older llama.cpp in a field of that name.
      if (/^(?:\{"error"|error:)/.test(line))
        throw new BadChunk(`The stream reports an error: ${line}`);
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
    const thought = choice?.delta?.reasoning ?? choice?.delta?.reasoning_content;
    if (typeof thought === 'string') chunks.thoughts += thought;
    chunks.isLastEmpty = !content && !thought;
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

function toUsage(usage: NonNullable<Chunk['usage']>) {
  const count = (value: unknown) => (typeof value === 'number' ? value : undefined);
  return {
    inputTokens: count(usage.prompt_tokens),
    outputTokens: count(usage.completion_tokens),
  };
}
