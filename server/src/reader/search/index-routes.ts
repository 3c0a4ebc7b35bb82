/**
 * Endpoints for indexing. They require an admin key of the site's organization.
 *
 *   POST /v1/index/{domain}   requests a run: 202. If one is in progress, another follows it
 *   GET  /v1/index/{domain}   the state of the run, and the report of the last one
 */
import { IndexQuery } from '@docent/shared/sites';
import { type RequestHandler, Router } from 'express';
import { parse } from '../../platform/http/request.ts';
import { callerOf } from '../../platform/http/require-key.ts';
import type { Sites } from '../../platform/tenants/sites.ts';
import type { Indexer } from '../../docs/indexer/indexer.ts';
import type { Schedule } from '../../docs/indexer/schedule.ts';

export interface IndexRouteDeps {
  mayAccess: RequestHandler[];
  sites: Pick<Sites, 'forCaller'>;
  indexer: Pick<Indexer, 'runs'>;
  schedule: Pick<Schedule, 'wake'>;
}

export function createIndexRoutes({ mayAccess, sites, indexer, schedule }: IndexRouteDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router
    .route('/v1/index/:domain')
    .post(...mayAccess, async (request, response) => {
      const { domain } = sites.forCaller(request.params.domain ?? '', callerOf(response));
      const { acceptFewer = false } = parse(IndexQuery, request.query);
      const run = await indexer.runs.request(domain, { acceptFewer });
      void schedule.wake();
      response.status(202).location(`/v1/index/${domain}`).json(run);
    })
    .get(...mayAccess, async (request, response) => {
      const { domain } = sites.forCaller(request.params.domain ?? '', callerOf(response));
      response.json(await indexer.runs.read(domain));
    });
  return router;
}
