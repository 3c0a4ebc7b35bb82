/** Reads the response of an `/embeddings` endpoint. */
import { DocentError } from '../../platform/errors.ts';
import { EmbedderFault } from './embedder-fault.ts';

type Unusable = 'its vector is zero' | 'its vector has values that are no numbers';

export interface Embedded {
  /** Of length 1, in the order of the texts, or why a text has none. */
  vectors: (Float32Array | Unusable)[];
  /** `undefined` if the server doesn't report them. */
  tokens: number | undefined;
}

export function readVectors(body: string, count: number, dimensions: number): Embedded {
  const { data, usage, error } = toObject(body);
  const items = Array.isArray(data) ? (data as { index?: unknown; embedding?: unknown }[]) : [];
  const vectors: Embedded['vectors'] = [];
  for (const [position, item] of items.entries()) {
    const { index = position, embedding } = item ?? {};
    if (typeof index !== 'number' || index < 0 || index >= count) continue;
    const numbers = toNumbers(embedding);
    if (!numbers) continue;
    if (numbers.length !== dimensions) {
      throw new DocentError(
        'upstream_failed',
        `The embedder returns vectors of ${numbers.length} numbers, but the configuration says ${dimensions}; correct search.embedder.dimensions.`,
      );
    }
    vectors[index] = normalize(numbers);
  }
  for (let index = 0; index < count; index += 1) {
    if (vectors[index]) continue;
    const { message } = (error ?? {}) as { message?: unknown };
    const said = typeof message === 'string' ? message.slice(0, 300) : notAList;
    throw new EmbedderFault('broken', { said });
  }
  return { vectors, tokens: tokensOf(usage) };
}

const notAList = 'the response is not a list with one vector per text';

function toObject(body: string): Record<string, unknown> {
  try {
    return (JSON.parse(body) ?? {}) as Record<string, unknown>;
  } catch (cause) {
    throw new EmbedderFault('broken', { said: 'the response is not JSON', cause });
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
