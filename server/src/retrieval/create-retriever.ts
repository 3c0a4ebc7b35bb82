/** Opens the engine that the configuration names. */
import type { SearchConfig } from '../platform/config/search-config.ts';
import { createEmbeddedRetriever } from './embedded/embedded-retriever.ts';
import { createEmbedder, type Embedder, type EmbedderOptions } from './embedder.ts';
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

/** The configured embedder. */
export function openEmbedder(
  { search: { embedder: settings }, secret }: Pick<RetrieverDeps, 'search' | 'secret'>,
  more: Pick<EmbedderOptions, 'questionMs'> = {},
): Embedder | undefined {
  const key = settings?.apiKeyEnv;
  return (
    settings &&
    createEmbedder({
      ...settings,
      ...more,
      // Read when it's used, because most commands don't use it.
      get apiKey() {
        return key && secret(key);
      },
    })
  );
}

export function createRetriever({ search, folder, secret, log }: RetrieverDeps): Retriever {
  const embedder = openEmbedder({ search, secret });
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
