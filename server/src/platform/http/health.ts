/**
 *   GET /healthz  the process is alive
 *   GET /readyz   the process can answer: the database and the search engine work, and it isn't stopping
 */
import { Router } from 'express';
import { sql } from 'kysely';
import { DocentError } from '../errors.ts';
import type { Database } from '../store/database.ts';

export function createHealthRoutes({
  database,
  retriever,
  state,
}: {
  database: Database;
  retriever: { check(): Promise<'ready' | 'fallback'> };
  state: { isStopping: boolean };
}): Router {
  const router = Router({ strict: true, caseSensitive: true });
  router.get('/healthz', (_request, response) => void response.json({ status: 'ok' }));
  router.get('/readyz', async (_request, response) => {
    if (state.isStopping) throw new DocentError('unavailable', 'The service is stopping.');
    try {
      await sql`select 1`.execute(database);
    } catch (cause) {
      throw new DocentError('unavailable', 'The database cannot be read.', { cause });
    }
    // Rejects if no question can be answered. With `fallback`, only the local index answers.
    const search = await retriever.check();
    response.json({ status: 'ready', ...(search === 'fallback' && { search }) });
  });
  return router;
}
