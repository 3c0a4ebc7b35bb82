/**
 * The embedding half of the zoo: `/v1/embeddings`, with the limits, the errors, and the traps of the real
 * servers. Messages are theirs, word for word.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { embed, embeddingDimensions } from '../embeddings-wire.ts';
import { createRandom } from '../random.ts';
import { type Personality, sendJson, sendText, type ZooCall, type ZooRoutes } from './wire.ts';

export interface EmbeddingOptions {
  /**
   * What goes wrong, beside the personality:
   * - `cold`: no headers until the model is loaded, and a closed connection stops the load (ollama's
   *   server/routes.go: scheduleRunner gets the request's context; anything-llm#5161).
   * - `slow`: two texts per second.
   * - `zero-vectors`, `same-vectors`, `random-vectors`, `narrow` (another width): vectors that mean nothing (qmd#897,
   *   anything-llm#5794).
   * - `base64`: floats in Base64, whatever was asked for (docs-mcp-server#469).
   * - `refuses-long`: a version that refuses long texts instead of cutting them (ollama#14186).
   * - `batch-of-10`: DashScope's limit, status 400.
   * Names of the other half are ignored.
   */
  traps?: readonly string[];
  model?: string;
  /** After so many texts, requests wait for `resume`. */
  stallAfter?: number;
  /** The model is loaded then, with the trap `cold`; after 20 seconds if a person started the server. */
  loading?: Promise<unknown>;
}

/** A text with this sign breaks every server, each in its own way. */
export const poison = '☠';

interface Refusal {
  status: number;
  body: unknown;
}

interface Species {
  /** Texts in a request. */
  batch?: { limit: number; refusal: (count: number) => Refusal };
  /** Tokens in a text. Without a refusal, the rest is cut off without a word. */
  text: { limit: number; refusal?: (tokens: number) => Refusal };
  poisoned: Refusal | 'null-vector';
  missing?: (model: string) => Refusal;
}

const openAi = (status: number, message: string, more: object = {}): Refusal => ({
  status,
  body: { error: { message, type: 'invalid_request_error', code: status, ...more } },
});

const species: Record<Personality, Species> = {
  // text-embeddings-inference: router/src/main.rs (max_client_batch_size 32, payload_limit 2000000,
  // auto_truncate true), router/src/http/server.rs (Validation is 422, Backend is 424).
  tei: {
    batch: {
      limit: 32,
      refusal: (count) => ({
        status: 422,
        body: {
          message: `batch size ${count} > maximum allowed batch size 32`,
          code: 422,
          type: 'Validation',
        },
      }),
    },
    text: { limit: 512 },
    poisoned: { status: 424, body: { message: 'Backend error', code: 424, type: 'Backend' } },
  },
  // llama.cpp: tools/server/server-context.cpp (ERROR_TYPE_SERVER is 500; n_ubatch is 512). A value that is
  // not a number becomes null in its JSON.
  'llama-cpp': {
    text: {
      limit: 512,
      refusal: (tokens) => ({
        status: 500,
        body: {
          error: {
            code: 500,
            message: `input (${tokens} tokens) is too large to process. increase the physical batch size (current batch size: 512)`,
            type: 'server_error',
          },
        },
      }),
    },
    poisoned: 'null-vector',
    // Started without --embeddings; it takes any name of a model.
    missing: () => ({
      status: 501,
      body: {
        error: {
          code: 501,
          message: 'This server does not support embeddings. Start it with `--embeddings`',
          type: 'not_supported_error',
        },
      },
    }),
  },
  // ollama: server/routes.go (EmbedHandler: one text fails the request; handleScheduleError), and
  // middleware/openai.go, which drops truncate, keep_alive, and num_ctx.
  ollama: {
    text: { limit: 512 },
    poisoned: openAi(400, 'embedding contains NaN or Inf values', { code: null }),
    missing: (model) =>
      openAi(404, `model "${model}" not found, try pulling it first`, { type: 'not_found_error' }),
  },
  // vllm: entrypoints/openai/serving_embedding.py (_validate_input), and protocol.py (ErrorResponse).
  vllm: {
    text: {
      limit: 512,
      refusal: (tokens) => ({
        status: 400,
        body: {
          object: 'error',
          message: `This model's maximum context length is 512 tokens. However, you requested ${tokens} tokens in the input for embedding generation. Please reduce the length of the input.`,
          type: 'BadRequestError',
          param: null,
          code: 400,
        },
      }),
    },
    poisoned: {
      status: 500,
      body: { object: 'error', message: 'Internal server error', type: 'InternalServerError' },
    },
    missing: (model) => ({
      status: 404,
      body: {
        object: 'error',
        message: `The model \`${model}\` does not exist.`,
        type: 'NotFoundError',
        param: null,
        code: 404,
      },
    }),
  },
  // lmstudio-bug-tracker#756 (encoding_format is ignored), #1908 (the error is a string); the sentence
  // about a text is from cherry-studio#2093.
  'lm-studio': {
    text: { limit: 512 },
    poisoned: { status: 400, body: { error: 'Received embed-string-error' } },
    missing: () => ({
      status: 400,
      body: {
        error:
          "No models loaded. Please load a model in the developer page or use the 'lms load' command.",
      },
    }),
  },
  // LocalAI: core/http/endpoints/openai/embeddings.go (the first text that fails ends the request), and
  // core/http/app.go (every error of a backend is 500). Its backend is llama.cpp.
  localai: {
    text: {
      limit: 512,
      refusal: () =>
        openAi(
          500,
          'rpc error: code = Unknown desc = input is too large to process. increase the physical batch size',
        ),
    },
    poisoned: openAi(500, 'rpc error: code = Internal desc = failed to decode'),
  },
  // infinity: env.py (INFINITY_MAX_CLIENT_BATCH_SIZE, here 64), fastapi_schemas/pydantic_v2.py (FastAPI's own
  // 422), infinity_server.py (every other exception is 500).
  infinity: {
    batch: {
      limit: 64,
      refusal: (count) => ({
        status: 422,
        body: {
          detail: [
            {
              type: 'too_long',
              loc: ['body', 'input'],
              msg: `List should have at most 64 items after validation, not ${count}`,
            },
          ],
        },
      }),
    },
    text: { limit: 512 },
    poisoned: openAi(500, 'InternalServerError: nan'),
  },
};

/** TEI's axum and its words for a body above 2 MB. */
const payloadLimit = 2_000_000;

export function createEmbeddings(personality: Personality, options: EmbeddingOptions = {}) {
  const {
    traps = [],
    model,
    stallAfter = Number.POSITIVE_INFINITY,
    loading = sleep(20_000, undefined, { ref: false }),
  } = options;
  const kind = species[personality];
  const random = createRandom(7);
  const has = (trap: string): boolean => traps.includes(trap);
  const seen = {
    /** Texts that got a vector. */
    embedded: [] as string[],
    requests: 0,
    refusals: 0,
    /** Requests that wait, or waited, for `resume`. */
    stalled: 0,
    /** Loads that ended because the client went away. */
    abortedLoads: 0,
  };
  let isLoaded = !has('cold');
  let isDown = false;
  const resumed = Promise.withResolvers<void>();
  let queue = Promise.resolve();

  const routes: ZooRoutes = async (call) => {
    if (call.path !== '/v1/embeddings' || call.method !== 'POST') return false;
    if (isDown) {
      call.response.destroy();
      return true;
    }
    seen.requests += 1;
    const input = [call.body['input']].flat() as string[];
    if (!(await load(call))) return true;
    const refusal = refuse(call, input);
    if (refusal) {
      seen.refusals += 1;
      if (typeof refusal.body === 'string') sendText(call.response, refusal.status, refusal.body);
      else sendJson(call.response, refusal.status, refusal.body);
      return true;
    }
    // One text after the other, as on a small machine.
    if (has('slow')) {
      const turn = queue.then(() => until(sleep(500 * input.length), call));
      queue = turn.then(() => undefined);
      if (!(await turn)) return true;
    }
    if (seen.embedded.length >= stallAfter) {
      seen.stalled += 1;
      if (!(await until(resumed.promise, call))) return true;
    }
    seen.embedded.push(...input);
    const data = input.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: toEmbedding(text),
    }));
    const tokens = input.reduce((sum, text) => sum + countTokens(text), 0);
    const usage = { prompt_tokens: tokens, total_tokens: tokens };
    sendJson(call.response, 200, { object: 'list', model: call.body['model'], data, usage });
    return true;
  };

  /** False if the client left in the meantime: then the next request starts from the beginning. */
  async function load(call: ZooCall): Promise<boolean> {
    if (isLoaded) return true;
    isLoaded = await until(loading, call);
    if (!isLoaded) seen.abortedLoads += 1;
    return isLoaded;
  }

  function refuse({ body, bodyLength }: ZooCall, input: string[]): Refusal | undefined {
    if (personality === 'tei' && bodyLength > payloadLimit)
      return { status: 413, body: 'Failed to buffer the request body: length limit exceeded' };
    const asked = String(body['model']);
    if (model !== undefined && asked !== model && kind.missing) return kind.missing(asked);
    if (kind.batch && input.length > kind.batch.limit) return kind.batch.refusal(input.length);
    if (has('batch-of-10') && input.length > 10)
      return openAi(400, 'batch size is invalid, it should not be larger than 10.: input.contents');
    const long = input.map(countTokens).find((tokens) => tokens > kind.text.limit);
    if (long !== undefined && kind.text.refusal) return kind.text.refusal(long);
    if (long !== undefined && has('refuses-long'))
      return openAi(400, 'the input length exceeds the context length', { code: null });
    const isPoisoned = input.some((text) => text.includes(poison));
    return isPoisoned && kind.poisoned !== 'null-vector' ? kind.poisoned : undefined;
  }

  function toEmbedding(text: string): unknown {
    if (has('zero-vectors')) return Array(embeddingDimensions).fill(0);
    if (has('random-vectors'))
      return Array.from({ length: embeddingDimensions }, () => random.below(2_000) / 1_000 - 1);
    if (has('same-vectors')) return embed('one text for all');
    if (has('narrow')) return embed(text).slice(1);
    if (kind.poisoned === 'null-vector' && text.includes(poison))
      return Array(embeddingDimensions).fill(null);
    const numbers = embed(text);
    if (!has('base64')) return numbers;
    return Buffer.from(Float32Array.from(numbers).buffer).toString('base64');
  }

  return {
    routes,
    seen,
    resume: () => resumed.resolve(),
    /** The server ends, or comes back. */
    setDown(value: boolean) {
      isDown = value;
    },
    /** The model leaves the memory, as after five minutes without a request. */
    unload() {
      isLoaded = false;
    },
  };
}

/** False if the client left. */
async function until(done: Promise<unknown>, { left }: ZooCall): Promise<boolean> {
  await Promise.race([done, left.aborted ? undefined : once(left, 'abort')]);
  return !left.aborted;
}

/** Roughly as WordPiece counts. */
function countTokens(text: string): number {
  const pieces = text.match(/\w+|[^\w\s]/g) ?? [];
  return pieces.reduce((sum, piece) => sum + Math.ceil(piece.length / 5), 0);
}
