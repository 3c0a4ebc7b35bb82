/**
 * A language model behind OpenAI's `POST /chat/completions`, read with as little work per token as
 * there can be: many answers stream at once through one process. It knows text only; what needs tools
 * takes the AI SDK's provider.
 */
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import {
  APICallError,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Prompt,
} from '@ai-sdk/provider';
import { createChatChunks, toUsage } from './chat-chunks.ts';
import type { ModelEvent, TextModel } from './text-model.ts';

/** Text that waits for a slow reader before the model's server is held back, in characters. */
const waitingMaxLength = 262_144;
/** As much of an error's body as is kept for the log, in characters. */
const errorMaxLength = 4_096;

/** How long a server may take to close an answer that it has said is done, in milliseconds. */
const endMs = 1_000;

/** Responses that said `[DONE]`. */
const isWhole = new WeakSet<IncomingMessage>();

export interface ChatCompletionsSettings {
  /** For the log: which model of the configuration this is. */
  name: string;
  /** Up to and with the version: `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  model: string;
  apiKey?: string;
}

export function createChatCompletionsModel(settings: ChatCompletionsSettings): TextModel {
  const url = new URL(`${settings.baseUrl}/chat/completions`);
  const isSecure = url.protocol === 'https:';
  const agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const send = isSecure ? httpsRequest : httpRequest;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'user-agent': 'docent',
    ...(settings.apiKey !== undefined && { authorization: `Bearer ${settings.apiKey}` }),
  };

  /** Settles with the response's head. A kept connection that the server had just closed is tried once more. */
  function open(body: string, signal: AbortSignal | undefined): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const attempt = (isLast: boolean) => {
        const length = String(Buffer.byteLength(body));
        const request = send(url, {
          method: 'POST',
          agent,
          headers: { ...headers, 'content-length': length },
          ...(signal && { signal }),
        });
        request.once('response', resolve);
        request.once('error', (error: NodeJS.ErrnoException) => {
          const wasStale = request.reusedSocket && error.code === 'ECONNRESET';
          if (wasStale && !isLast && !signal?.aborted) attempt(true);
          else reject(error);
        });
        request.end(body);
      };
      attempt(false);
    });
  }

  return {
    provider: settings.name,
    modelId: settings.model,

    async *read(options, signal) {
      const response = await open(JSON.stringify(toBody(settings.model, options)), signal);
      try {
        const status = response.statusCode ?? 0;
        if (status !== 200) throw await toError(url, status, response);
        const heard = listen(response);
        for (;;) {
          const event = heard.take();
          if (event === undefined) await heard.wait();
          else yield event;
          if (event?.type === 'finish') return;
        }
      } finally {
        release(response);
      }
    },
  };
}

/**
 * What a response says, as it comes. Pieces that arrive before they are asked for are one: the busier
 * the process, the fewer the events.
 */
function listen(response: IncomingMessage) {
  const chunks = createChatChunks();
  let hasEnded = false;
  let fault: unknown;
  let wake: (() => void) | undefined;
  const wakeUp = () => {
    wake?.();
    wake = undefined;
  };
  response.setEncoding('utf8');
  response.on('data', (piece: string) => {
    try {
      chunks.read(piece);
    } catch (error) {
      fault ??= error;
      response.destroy();
    }
    if (chunks.text.length > waitingMaxLength) response.pause();
    wakeUp();
  });
  response.once('error', (error) => {
    fault ??= error;
    wakeUp();
  });
  response.once('close', () => {
    hasEnded = true;
    wakeUp();
  });

  return {
    /** What has come since the last time, or how it ended; `undefined`: nothing yet. */
    take(): ModelEvent | undefined {
      if (chunks.text !== '') {
        const { text } = chunks;
        chunks.text = '';
        if (response.isPaused()) response.resume();
        return { type: 'text', text };
      }
      if (fault instanceof Error) throw fault;
      if (!chunks.isDone && !hasEnded) return undefined;
      if (chunks.isDone) isWhole.add(response);
      // A connection that was cut looks like an end; only a model that said why it stopped has ended.
      const reason = chunks.reason ?? (chunks.isDone ? 'stop' : 'interrupted');
      return { type: 'finish', reason, usage: chunks.usage ?? toUsage({}) };
    },
    /** Settles when there is something to take. */
    wait: () => new Promise<void>((resolve) => (wake = resolve)),
  };
}

/** An answer that was read to its end leaves its connection for the next; any other ends, and with it the model's work. */
function release(response: IncomingMessage): void {
  if (!isWhole.has(response)) response.destroy();
  else if (!response.complete) response.resume().setTimeout(endMs, () => response.destroy());
}

function toBody(
  model: string,
  { prompt, maxOutputTokens, temperature }: LanguageModelV4CallOptions,
) {
  return {
    model,
    messages: prompt.flatMap(toMessage),
    ...(maxOutputTokens !== undefined && { max_tokens: maxOutputTokens }),
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

/** A refusal as the AI SDK's providers report it, so that both are explained to the reader in one place. */
async function toError(url: URL, status: number, response: IncomingMessage): Promise<APICallError> {
  let text = '';
  for await (const piece of response.setEncoding('utf8')) {
    text += piece as string;
    if (text.length > errorMaxLength) break;
  }
  return new APICallError({
    message: `The model's server answered ${status}.`,
    url: url.href,
    // The prompt holds what readers wrote: it does not belong into an error.
    requestBodyValues: {},
    statusCode: status,
    responseHeaders: Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
    ),
    responseBody: text.slice(0, errorMaxLength),
  });
}
