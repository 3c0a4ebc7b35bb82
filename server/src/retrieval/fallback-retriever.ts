/**
 * An engine with an index beside it that answers while the engine does not. Both are written by every
 * indexing run; what the index beside knows is as old as the last run.
 */
import { DocentError } from '../platform/errors.ts';
import type { Retriever } from './retriever.ts';

/** After a failure the engine is not asked for this long, so that not every reader waits for it. */
const restMs = 5000;

export function createFallbackRetriever(
  engine: Retriever,
  beside: Retriever,
  log: { warn(fields: object, message: string): void; info(fields: object, message: string): void },
): Retriever {
  let restsUntil = Number.NEGATIVE_INFINITY;
  let isDown = false;

  function hasAnswered(): void {
    if (isDown) log.info({}, 'the search engine answers again');
    isDown = false;
  }

  /** Runs on the engine, or beside it where that is unavailable. */
  async function tryBoth<Result>(
    onEngine: () => Promise<Result>,
    onBeside: () => Promise<Result>,
  ): Promise<{ result: Result; isFallback: boolean }> {
    if (performance.now() >= restsUntil) {
      try {
        const result = await onEngine();
        hasAnswered();
        return { result, isFallback: false };
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        restsUntil = performance.now() + restMs;
        if (!isDown)
          log.warn({ err: error }, 'the search engine is down; the index beside it answers');
        isDown = true;
      }
    }
    return { result: await onBeside(), isFallback: true };
  }

  return {
    async search(domain, query, signal) {
      const { result, isFallback } = await tryBoth(
        () => engine.search(domain, query, signal),
        () => beside.search(domain, query, signal),
      );
      return isFallback ? { ...result, isFallback: true } : result;
    },

    async page(domain, path, filter) {
      const { result } = await tryBoth(
        () => engine.page(domain, path, filter),
        () => beside.page(domain, path, filter),
      );
      return result;
    },

    /** What one of them does not have as the other has it, has no hash: the next run writes it to both. */
    async hashes(domain) {
      const [first, second] = await Promise.all([engine.hashes(domain), beside.hashes(domain)]);
      const paths = new Set([...first.keys(), ...second.keys()]);
      return new Map(
        [...paths].map((path) => {
          const hash = first.get(path);
          return [path, hash !== undefined && hash === second.get(path) ? hash : ''];
        }),
      );
    },

    async apply(domain, changes) {
      await engine.apply(domain, changes);
      await beside.apply(domain, changes);
    },

    async check() {
      const { result, isFallback } = await tryBoth(
        () => engine.check(),
        () => beside.check(),
      );
      return isFallback ? 'fallback' : result;
    },

    async close() {
      await Promise.all([engine.close(), beside.close()]);
    },
  };
}

function isUnavailable(error: unknown): boolean {
  return error instanceof DocentError && error.code === 'unavailable';
}
