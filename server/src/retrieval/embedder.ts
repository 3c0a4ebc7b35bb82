/** Turns texts into vectors, with any server that has OpenAI's `/embeddings` endpoint. */
import { untilAborted } from '../platform/abort.ts';
import type { EmbedderConfig } from '../platform/config/search-config.ts';
import { DocentError } from '../platform/errors.ts';
import { embedAll, type EmbedAllOptions, loadMs, type Pauses } from './embedding/embed-all.ts';
import { EmbedderFault } from './embedding/embedder-fault.ts';
import { createEmbeddingsServer } from './embedding/embeddings-server.ts';
import { prefixesOf } from './embedding/prefixes.ts';
import type { SearchQuery } from './retriever.ts';
import type { VectorSource } from './vectors.ts';

/**
 * What the last question showed. `unknown`: nobody has asked yet. While an embedder warms up or is
 * unavailable, questions are answered by words.
 */
export type EmbedderState = 'unknown' | 'ready' | 'warming-up' | 'unavailable';

export interface Embedder {
  source: Required<Omit<VectorSource, 'trust'>>;
  /** Texts come with their prefix. Rejects with a sentence for the owner. */
  embedPassages(texts: readonly string[], options: EmbedAllOptions): Promise<void>;
  /** One vector of length 1, with one attempt and a short timeout, because a reader is waiting. */
  embedQuestion(text: string, options?: QuestionOptions): Promise<Float32Array>;
  state(): EmbedderState;
}

export interface QuestionOptions {
  signal?: AbortSignal | undefined;
  /** Called after the response with the tokens used, or `undefined` if the server doesn't report them. */
  onUsage?: ((tokens: number | undefined) => void) | undefined;
}

/** How long a question waits for its vector. */
const questionTimeoutMs = 2500;
const defaultPauses: Pauses = { baseMs: 1000, capMs: 60_000 };

export interface EmbedderOptions extends Pick<
  EmbedderConfig,
  'baseUrl' | 'model' | 'dimensions' | 'queryPrefix' | 'passagePrefix'
> {
  apiKey?: string | undefined;
  /** Between requests for passages. Questions aren't retried. */
  retry?: Pauses;
  questionMs?: number;
}

export function createEmbedder(options: EmbedderOptions): Embedder {
  const { model, dimensions, retry: pauses = defaultPauses } = options;
  const { questionMs = questionTimeoutMs } = options;
  const server = createEmbeddingsServer(options);
  const prefixes = prefixesOf(model, options);
  let state: EmbedderState = 'unknown';
  /** A request that goes on after its question was answered, because the model loads. */
  let loading = false;
  const warmingUp = () => new DocentError('unavailable', 'The embedder is warming up.');

  /** Ends only with the server's answer: Ollama stops loading a model when the connection is closed. */
  async function askOne(text: string, onUsage: QuestionOptions['onUsage']) {
    try {
      const { vectors, tokens } = await server.ask([text], AbortSignal.timeout(loadMs));
      onUsage?.(tokens);
      const [vector] = vectors;
      if (!(vector instanceof Float32Array)) throw new EmbedderFault('broken');
      state = 'ready';
      return vector;
    } catch (error) {
      const isBusy = error instanceof EmbedderFault && error.facts.status === 503;
      state = isBusy ? 'warming-up' : 'unavailable';
      throw error;
    } finally {
      loading = false;
    }
  }

  return {
    source: {
      model,
      dimensions,
      queryPrefix: prefixes.query,
      passagePrefix: prefixes.passage,
    },

    embedPassages: (texts, more) => embedAll(texts, { server, pauses }, more),

    async embedQuestion(text, { signal, onUsage } = {}) {
      signal?.throwIfAborted();
      if (loading) throw warmingUp();
      const late = AbortSignal.timeout(questionMs);
      const until = signal ? AbortSignal.any([signal, late]) : late;
      try {
        return await untilAborted(() => askOne(text, onUsage), until);
      } catch (error) {
        // The request goes on. A warm model ends it soon.
        if (error === until.reason) loading = late.aborted || state !== 'ready';
        signal?.throwIfAborted();
        if (error === until.reason) {
          state = 'warming-up';
          throw warmingUp();
        }
        if (!(error instanceof EmbedderFault)) throw error;
        throw new DocentError('unavailable', 'The embeddings server does not respond.', {
          // The server's own words may repeat the question.
          cause: new Error(error.message),
        });
      }
    },

    state: () => state,
  };
}

/** The vector of a question, or `undefined` if the embedder is down: then only words are searched. */
export async function embedQuestion(
  embedder: Embedder,
  { queryPrefix = '' }: VectorSource,
  { text, before = [], only, onEmbedded }: SearchQuery,
  log: { warn(fields: object, message: string): void } | undefined,
  signal: AbortSignal | undefined,
): Promise<Float32Array | undefined> {
  if (only === 'words' || text.trim() === '') return undefined;
  try {
    // The question comes first, because the end is cut off if it's too long.
    const whole = [text, ...before].join('\n').toWellFormed().slice(0, maxQuestionLength);
    return await embedder.embedQuestion(queryPrefix + whole, { signal, onUsage: onEmbedded });
  } catch (error) {
    signal?.throwIfAborted();
    log?.warn({ err: error }, 'the embedder failed; only the words of the question are searched');
    return undefined;
  }
}

const maxQuestionLength = 2000;
