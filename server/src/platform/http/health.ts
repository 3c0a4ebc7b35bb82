/**
 *   GET /healthz  the process is alive
 *   GET /readyz   the process can answer: the database and the search engine work, and it isn't stopping
 */
import { Router } from 'express';
import { DocentError } from '../errors.ts';
import { methodNotAllowed } from './method-not-allowed.ts';

export interface Readiness {
  isStopping(): boolean;
  /** Rejects if the database can't be read. */
  checkDatabase(): Promise<void>;
  /** Rejects if no question can be answered. `fallback`: only the local index answers. */
  checkSearch(): Promise<'ready' | 'fallback'>;
}

export function createHealthRoutes(readiness: Readiness): Router {
  const router = Router({ strict: true, caseSensitive: true });
  router
    .route('/healthz')
    .get((_request, response) => void response.json({ status: 'ok' }))
    .all(methodNotAllowed('GET'));
  router
    .route('/readyz')
    .get(async (_request, response) => {
      if (readiness.isStopping()) throw new DocentError('unavailable', 'The service is stopping.');
      try {
        await readiness.checkDatabase();
      } catch (cause) {
        throw new DocentError('unavailable', 'The database cannot be read.', { cause });
      }
      const search = await readiness.checkSearch();
      response.json({ status: 'ready', ...(search === 'fallback' && { search }) });
    })
    .all(methodNotAllowed('GET'));
  return router;
}
