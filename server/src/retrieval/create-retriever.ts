/** Opens the engine that the configuration names. */
import type { EmbedderConfig, SearchConfig } from '../platform/config/search-config.ts';
import { createEmbeddedRetriever } from './embedded/embedded-retriever.ts';
import { createEmbedder, type Embedder } from './embedder.ts';
import { createFallbackRetriever } from './fallback-retriever.ts';
import { createMeilisearchRetriever } from './meilisearch/meilisearch-retriever.ts';
import type { Retriever } from './retriever.ts';

export interface RetrieverDeps {
  search: SearchConfig;
  /** Where the embedded engine keeps its indexes. */
  folder: string;
  secret: (variable: string) => string | undefined;
  log: { warn(fields: object, message: string): void; info(fields: object, message: string): void };
}

export function createRetriever({ search, folder, secret, log }: RetrieverDeps): Retriever {
  const embedder = search.embedder && openEmbedder(search.embedder, secret);
  if (search.engine === 'embedded') return createEmbeddedRetriever({ folder, log, embedder });
  const { url, apiKeyEnv, indexPrefix } = search;
  const engine = createMeilisearchRetriever({
    url,
    apiKey: apiKeyEnv === undefined ? undefined : secret(apiKeyEnv),
    indexPrefix,
    embedder,
    log,
  });
  if (search.fallback === undefined) return engine;
  return createFallbackRetriever(engine, createEmbeddedRetriever({ folder, log }), log);
}

function openEmbedder(
  { apiKeyEnv, ...options }: EmbedderConfig,
  secret: RetrieverDeps['secret'],
): Embedder {
  return createEmbedder({ ...options, apiKey: apiKeyEnv && secret(apiKeyEnv) });
}
