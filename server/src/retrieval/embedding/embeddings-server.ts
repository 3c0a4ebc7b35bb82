/** A server with OpenAI's `/embeddings`. */
import { DocentError } from '../../platform/errors.ts';
import { askServer, readText } from '../../platform/models/ask-server.ts';
import { providerMessage } from '../../platform/models/provider-error.ts';
import { retryAfterMs } from '../../platform/network/retry.ts';
import { EmbedderFault, toFault } from './embedder-fault.ts';

export interface EmbeddingsServerOptions {
  baseUrl: string;
  model: string;
  dimensions: number;
  apiKey?: string | undefined;
}

type Unusable = 'its vector is zero' | 'its vector has values that are no numbers';

interface Embedded {
  /** Of length 1, in the order of the texts, or why a text has none. */
  vectors: (Float32Array | Unusable)[];
  /** `undefined` if the server doesn't report them. */
  tokens: number | undefined;
}

export type EmbeddingsServer = ReturnType<typeof createEmbeddingsServer>;

/** The longest response, in characters. */
const maxLength = 1 << 28;

export function createEmbeddingsServer(options: EmbeddingsServerOptions) {
  const { model, dimensions } = options;
  const url = new URL(`${options.baseUrl}/embeddings`);

  return {
    model,
    origin: url.origin,
    /** One vector per text. Rejects with an `EmbedderFault`, or with the reason of `signal`. */
    async ask(input: readonly string[], signal: AbortSignal): Promise<Embedded> {
      const body = JSON.stringify({ model, input, encoding_format: 'float' });
      const { apiKey } = options;
      const post = () => askServer(url, { body, apiKey, signal });
      try {
        const response = await post().catch((error: NodeJS.ErrnoException) => {
          // The server closed the kept connection just now.
          if (error.code !== 'ECONNRESET' || signal.aborted) throw error;
          return post();
        });
        const text = await readText(response, maxLength, apiKey);
        const { statusCode: status = 0, headers } = response;
        if (status === 200) return readVectors(text, input.length, dimensions);
        throw toFault(status, text.slice(0, 4096), retryAfterMs(headers));
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof EmbedderFault || error instanceof DocentError) throw error;
        const { code, message } = error as NodeJS.ErrnoException;
        throw new EmbedderFault('unreachable', { said: code ?? message });
      }
    },
  };
}

export function readVectors(body: string, count: number, dimensions: number): Embedded {
  const { data, usage } = toObject(body);
  const items = Array.isArray(data) ? (data as { index?: unknown; embedding?: unknown }[]) : [];
  const vectors: Embedded['vectors'] = [];
  for (const [position, item] of items.entries()) {
    const { index = position, embedding } = item ?? {};
    const numbers = toNumbers(embedding);
    if (typeof index !== 'number' || index < 0 || index >= count || !numbers) continue;
    if (numbers.length !== dimensions) {
      throw new DocentError(
        'upstream_failed',
        `The embedder returns vectors of ${numbers.length} numbers, but the configuration says ${dimensions}; correct search.embedder.dimensions.`,
      );
    }
    vectors[index] = normalize(numbers);
  }
  if (Object.keys(vectors).length < count)
    throw new EmbedderFault('broken', { said: providerMessage(body) ?? notAList });
  return { vectors, tokens: tokensOf(usage) };
}

const notAList = 'the response is not a list with one vector per text';

function toObject(body: string): Record<string, unknown> {
  try {
    return (JSON.parse(body) ?? {}) as Record<string, unknown>;
  } catch {
    throw new EmbedderFault('broken', { said: 'the response is not JSON' });
  }
}

/** Numbers, or 32-bit floats in Base64, which some servers send whatever they're asked for. */
function toNumbers(embedding: unknown): Float32Array | undefined {
  if (typeof embedding === 'string') {
    const bytes = Buffer.from(embedding, 'base64');
    return Float32Array.from({ length: bytes.length >> 2 }, (_, at) => bytes.readFloatLE(4 * at));
  }
  if (!Array.isArray(embedding)) return undefined;
  return Float32Array.from(embedding as unknown[], (value) =>
    typeof value === 'number' ? value : Number.NaN,
  );
}

/** Scales to length 1, so that the dot product of two vectors is their similarity. */
function normalize(vector: Float32Array): Float32Array | Unusable {
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length)) return 'its vector has values that are no numbers';
  return length === 0 ? 'its vector is zero' : vector.map((value) => value / length);
}

/** The `/embeddings` endpoint reports `prompt_tokens` and no output. */
function tokensOf(usage: unknown): number | undefined {
  const { total_tokens: total, prompt_tokens: prompt } = (usage ?? {}) as Record<string, unknown>;
  return [total, prompt].find(
    (one): one is number => typeof one === 'number' && Number.isSafeInteger(one) && one >= 0,
  );
}
