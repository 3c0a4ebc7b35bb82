/**
 *   GET /healthz  the process is alive
 *   GET /readyz   it can answer: the database is there and it is not stopping
 */
import { Router } from 'express';
import { DocentError } from '../errors.ts';
import { methodNotAllowed } from './method-not-allowed.ts';

export interface Readiness {
  isStopping(): boolean;
  /** Rejects where the database cannot be read. */
  checkDatabase(): Promise<void>;
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
      response.json({ status: 'ready' });
    })
    .all(methodNotAllowed('GET'));
  return router;
}
