/** Opens the engine that a bench measures. */
import { randomBytes } from 'node:crypto';
import { createEmbedder } from '../../server/src/retrieval/embedder.ts';
import { createEmbeddedRetriever } from '../../server/src/retrieval/embedded/embedded-retriever.ts';
import { createMeilisearchRetriever } from '../../server/src/retrieval/meilisearch/meilisearch-retriever.ts';
import type { Retriever } from '../../server/src/retrieval/retriever.ts';
import { startMeilisearch, whyNoMeilisearch } from '../support/meilisearch.ts';

export const engineOptions = {
  engine: { type: 'string', default: 'embedded' },
  embedder: { type: 'string' },
  dimensions: { type: 'string', default: '384' },
} as const;

export interface BenchEngine {
  /** Another retriever on the same data each time. */
  open(): Retriever;
  stop(): Promise<void>;
}

export async function openBenchEngine(
  options: { engine: string; embedder?: string | undefined; dimensions: string },
  folder: string,
): Promise<BenchEngine> {
  const { engine, embedder: baseUrl, dimensions } = options;
  const embedder = baseUrl
    ? createEmbedder({
        baseUrl,
        model: 'bench',
        dimensions: Number(dimensions),
        questionMs: 60_000,
      })
    : undefined;
  const log = { warn: (fields: object, message: string) => console.warn(message, fields) };
  if (engine === 'embedded')
    return {
      open: () => createEmbeddedRetriever({ folder, embedder, log }),
      stop: async () => undefined,
    };
  if (engine !== 'meilisearch') throw new Error('Give --engine as embedded or meilisearch.');
  const server = await startMeilisearch();
  if (!server) throw new Error(whyNoMeilisearch);
  const indexPrefix = `bench-${randomBytes(4).toString('hex')}`;
  const { url, apiKey } = server;
  return {
    open: () => createMeilisearchRetriever({ url, apiKey, indexPrefix, embedder, log }),
    stop: () => server.stop(),
  };
}
