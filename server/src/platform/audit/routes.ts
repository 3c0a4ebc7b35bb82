/**
 * The audit trail of the caller's organization, with an admin key. Not in the service document.
 *   GET /v1/audit    entries, newest first
 */
import { AuditQuery } from '@docent/shared/audit';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { DocentError } from '../errors.ts';
import { methodNotAllowed } from '../http/method-not-allowed.ts';
import { parse } from '../http/request.ts';
import { callerOf } from '../http/require-key.ts';
import type { Limits } from '../limits/limits.ts';
import type { Audit } from './audit.ts';

export interface AuditRouteDeps {
  requireAccess: RequestHandler;
  limits: Limits;
  audit: Audit;
}

export function createAuditRoutes({ requireAccess, limits, audit }: AuditRouteDeps): Router {
  const router = Router({ strict: true, caseSensitive: true });

  router
    .route('/v1/audit')
    .get(limits.lookups.perAddress, requireAccess, async (request: Request, response: Response) => {
      const { organization, domain } = callerOf(response);
      if (domain !== undefined) {
        throw new DocentError(
          'forbidden',
          'The audit trail is for keys of the whole organization.',
        );
      }
      const { limit, cursor: before, ...query } = parse(AuditQuery, request.query);
      const found = await audit.list(organization, { ...query, before, limit: limit + 1 });
      const entries = found.slice(0, limit);
      const hasMore = found.length > limit;
      response.json({
        entries,
        nextCursor: hasMore ? (entries.at(-1)?.seq ?? null) : null,
        hasMore,
      });
    })
    .all(methodNotAllowed('GET'));

  return router;
}
