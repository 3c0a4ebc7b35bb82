/** Opens the engine that the configuration names. */
import type { SearchConfig } from '../platform/config/search-config.ts';
import { createEmbeddedRetriever } from './embedded/embedded-retriever.ts';
import { createEmbedder } from './embedder.ts';
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
  const { embedder: settings } = search;
  const key = settings?.apiKeyEnv;
  const embedder =
    settings &&
    createEmbedder({
      ...settings,
      // Read when it's used, because most commands don't use it.
      get apiKey() {
        return key && secret(key);
      },
    });
  if (search.engine === 'embedded') return createEmbeddedRetriever({ folder, log, embedder });
  const { url, apiKeyEnv, indexPrefix } = search;
  const engine = createMeilisearchRetriever({
    url,
    get apiKey() {
      return apiKeyEnv && secret(apiKeyEnv);
    },
    indexPrefix,
    embedder,
    folder,
    log,
  });
  if (search.fallback === undefined) return engine;
  return createFallbackRetriever(engine, createEmbeddedRetriever({ folder, log }), log);
}
