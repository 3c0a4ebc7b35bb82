/** Turns texts into vectors, with any server that has OpenAI's `/embeddings` endpoint. */
import type { OpenAI } from 'openai';
import type { EmbedderConfig } from '../platform/config/search-config.ts';
import { DocentError } from '../platform/errors.ts';
import { retry, type RetryPolicy } from '../platform/network/retry.ts';
import { retryAfterMs } from '../platform/network/retry-after.ts';
import type { SearchQuery } from './retriever.ts';

export interface Embedder {
  model: string;
  dimensions: number;
  /** Vectors of length 1, in the order of the texts. */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>;
}

export interface EmbedOptions {
  signal?: AbortSignal | undefined;
  /** A reader is waiting: one attempt with a short timeout. */
  isQuestion?: boolean;
  /** Called after each response with the tokens used, or `undefined` if the server doesn't report them. */
  onUsage?: ((tokens: number | undefined) => void) | undefined;
}

const batchSize = 64;
const timeouts = { questionMs: 2500, batchMs: 60_000 };
const defaultRetry: RetryPolicy = { attempts: 5, baseMs: 1000, capMs: 60_000 };

/** The response is late or incomplete, and another attempt may bring a better one. */
class Unusable extends Error {
  override readonly name = 'Unusable';
}

export interface EmbedderOptions extends Pick<EmbedderConfig, 'baseUrl' | 'model' | 'dimensions'> {
  apiKey?: string | undefined;
  /** For batches. Questions aren't retried, because a reader is waiting. */
  retry?: RetryPolicy;
  questionMs?: number;
}

export function createEmbedder(options: EmbedderOptions): Embedder {
  const { model, dimensions } = options;
  const { retry: retryPolicy = defaultRetry, questionMs = timeouts.questionMs } = options;
  let connected: Promise<OpenAI> | undefined;

  async function ask(
    input: readonly string[],
    signal: AbortSignal,
    onUsage: EmbedOptions['onUsage'],
  ): Promise<Float32Array[]> {
    const client = await (connected ??= connect(options));
    const answer: unknown = await client.embeddings.create(
      { model, input: [...input], encoding_format: 'float' },
      { signal },
    );
    const { data, usage } = (answer ?? {}) as { data?: unknown; usage?: unknown };
    // The tokens are paid for even if the vectors are unusable.
    onUsage?.(tokensOf(usage));
    return toVectors(data, input.length, dimensions);
  }

  async function askAgain(
    input: readonly string[],
    { signal, isQuestion = false, onUsage }: EmbedOptions,
  ): Promise<Float32Array[]> {
    const { APIConnectionError, APIError } = await importSdk();
    const attempt = (): Promise<Float32Array[]> => {
      const timeout = AbortSignal.timeout(isQuestion ? questionMs : timeouts.batchMs);
      return ask(input, signal ? AbortSignal.any([signal, timeout]) : timeout, onUsage).catch(
        (error: unknown) => {
          throw timeout.aborted ? new Unusable('No response within the timeout.') : error;
        },
      );
    };
    const statusOf = (error: unknown) =>
      error instanceof APIError ? (error.status as number | undefined) : undefined;
    const isRetryable = (error: unknown): boolean => {
      const status = statusOf(error) ?? 0;
      return (
        status === 429 ||
        status >= 500 ||
        error instanceof Unusable ||
        error instanceof APIConnectionError ||
        // The connection broke in the middle of the response.
        error instanceof TypeError
      );
    };
    try {
      return await retry(attempt, {
        policy: isQuestion ? { ...retryPolicy, attempts: 1 } : retryPolicy,
        isRetryable,
        retryAfterMs: (error) =>
          error instanceof APIError ? retryAfterMs(error.headers as Headers) : undefined,
        signal,
      });
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof DocentError) throw error;
      const status = statusOf(error);
      throw new DocentError('unavailable', 'The embeddings server does not respond.', {
        // The server's message may repeat the texts or the key.
        cause: status === undefined ? error : new Error(`The response has status ${status}.`),
      });
    }
  }

  return {
    model,
    dimensions,
    async embed(texts, embedOptions = {}) {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += batchSize)
        vectors.push(...(await askAgain(texts.slice(at, at + batchSize), embedOptions)));
      return vectors;
    },
  };
}

/** Loaded on first use, because it takes a quarter of a second. */
const importSdk = () => import('openai');

async function connect({ baseUrl, apiKey }: EmbedderOptions): Promise<OpenAI> {
  const { OpenAI } = await importSdk();
  return new OpenAI({
    baseURL: baseUrl,
    // The client requires a key. Without `null`, it reads the other settings from the environment, which
    // may belong to another server.
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    ...(apiKey === undefined && { defaultHeaders: { authorization: null } }),
    maxRetries: 0,
    // Our own signal always ends the request earlier.
    timeout: 2 * timeouts.batchMs,
    logLevel: 'off',
    // A key must not follow a redirect to another server.
    fetchOptions: { redirect: 'error' },
  });
}

/** The `/embeddings` endpoint reports `prompt_tokens` and no output. */
function tokensOf(usage: unknown): number | undefined {
  const { total_tokens: total, prompt_tokens: prompt } = (usage ?? {}) as Record<string, unknown>;
  return [total, prompt].find(
    (one): one is number => typeof one === 'number' && Number.isSafeInteger(one) && one >= 0,
  );
}

function toVectors(data: unknown, count: number, dimensions: number): Float32Array[] {
  const items = Array.isArray(data) ? (data as { index?: unknown; embedding?: unknown }[]) : [];
  const vectors: Float32Array[] = [];
  for (const [position, item] of items.entries()) {
    const index = typeof item.index === 'number' ? item.index : position;
    if (!Array.isArray(item.embedding) || index < 0 || index >= count) continue;
    if (item.embedding.length !== dimensions) {
      throw new DocentError(
        'upstream_failed',
        `The embedder returns vectors of ${item.embedding.length} numbers, but the configuration says ${dimensions}; correct search.embedder.dimensions.`,
      );
    }
    if (item.embedding.every((value) => typeof value === 'number'))
      vectors[index] = normalize(Float32Array.from(item.embedding as number[]));
  }
  for (let index = 0; index < count; index += 1) {
    if (!vectors[index]) throw new Unusable('The response is not a list with one vector per text.');
  }
  return vectors;
}

/** Scales to length 1, so that the dot product of two vectors is their similarity. */
function normalize(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** The vector of a question, or `undefined` if the embedder is down: then only words are searched. */
export async function embedQuestion(
  embedder: Embedder,
  { text, before = [], isLexical = false, onEmbedded }: SearchQuery,
  log: { warn(fields: object, message: string): void } | undefined,
  signal: AbortSignal | undefined,
): Promise<Float32Array | undefined> {
  if (isLexical || text.trim() === '') return undefined;
  try {
    // The question comes first, because the end is cut off if it's too long.
    const whole = [text, ...before].join('\n').toWellFormed().slice(0, maxQuestionLength);
    const [vector] = await embedder.embed([whole], {
      signal,
      isQuestion: true,
      onUsage: onEmbedded,
    });
    return vector;
  } catch (error) {
    signal?.throwIfAborted();
    log?.warn({ err: error }, 'the embedder failed; only the words of the question are searched');
    return undefined;
  }
}

const maxQuestionLength = 2000;
