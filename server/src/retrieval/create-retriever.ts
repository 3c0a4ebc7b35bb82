/** Opens the engine that the configuration names. */
import type { SearchConfig } from '../platform/config/search-config.ts';
import { createEmbeddedRetriever } from './embedded/embedded-retriever.ts';
import { createEmbedder, type Embedder, type EmbedderOptions } from './embedder.ts';
import { createMeilisearchRetriever } from './meilisearch/meilisearch-retriever.ts';
import type { Retriever } from './retriever.ts';
import { DocentError } from '../platform/errors.ts';

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

/**
 * An engine with a fallback index that answers while the engine is unavailable. Every indexing run
 * writes both.
 */

/** The pause after a failure, so that not every reader waits for an unavailable engine. */
const pauseMs = 5000;

export function createFallbackRetriever(
  engine: Retriever,
  fallback: Retriever,
  log: { warn(fields: object, message: string): void; info(fields: object, message: string): void },
): Retriever {
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let isDown = false;

  /** Tries the engine, then the fallback. */
  async function withFallback<Result>(
    ask: (retriever: Retriever) => Promise<Result>,
  ): Promise<{ result: Result; isFallback: boolean }> {
    if (performance.now() >= pausedUntil) {
      try {
        const result = await ask(engine);
        if (isDown) log.info({}, 'the search engine is available again');
        isDown = false;
        return { result, isFallback: false };
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        pausedUntil = performance.now() + pauseMs;
        if (!isDown)
          log.warn({ err: error }, 'the search engine is down; the fallback index answers');
        isDown = true;
      }
    }
    return { result: await ask(fallback), isFallback: true };
  }

  return {
    async search(domain, query, signal) {
      const { result, isFallback } = await withFallback((one) => one.search(domain, query, signal));
      return isFallback ? { ...result, isFallback: true } : result;
    },

    async page(domain, path, filter) {
      return (await withFallback((one) => one.page(domain, path, filter))).result;
    },

    /** A page that differs between the two gets an empty hash, so that the next run writes it to both. */
    async hashes(domain) {
      const [first, second] = await Promise.all([engine.hashes(domain), fallback.hashes(domain)]);
      const paths = new Set([...first.keys(), ...second.keys()]);
      return new Map(
        [...paths].map((path) => {
          const hash = first.get(path);
          return [path, hash !== undefined && hash === second.get(path) ? hash : ''];
        }),
      );
    },

    async apply(domain, changes, options) {
      await engine.apply(domain, changes, options);
      await fallback.apply(domain, changes, options);
    },

    async check() {
      const { result, isFallback } = await withFallback((one) => one.check());
      return isFallback ? 'fallback' : result;
    },

    embedderState: () => engine.embedderState(),
    trust: (domain) => engine.trust(domain),

    async close() {
      await Promise.all([engine.close(), fallback.close()]);
    },
  };
}

function isUnavailable(error: unknown): boolean {
  return error instanceof DocentError && error.code === 'unavailable';
}
