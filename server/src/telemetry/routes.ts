/**
 *   GET /metrics  counters in Prometheus' format, for who knows the token of the configuration
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type RequestHandler, Router } from 'express';
import { DocentError } from '../errors.ts';
import { methodNotAllowed, notFound } from '../http/method-not-allowed.ts';
import type { Metrics } from './metrics.ts';

/** Without a token there is nothing at this path. */
export function createMetricsRoutes(metrics: Metrics, token: string | undefined): Router {
  const router = Router({ strict: true, caseSensitive: true });
  router
    .route('/metrics')
    .get(async (request, response, next) => {
      if (token === undefined) return notFound(request, response, next);
      const given = /^Bearer +(\S+) *$/i.exec(request.get('authorization') ?? '')?.[1];
      if (given === undefined || !isSame(given, token)) {
        throw new DocentError('unauthorized', 'Send the token of `server.metricsTokenEnv`.');
      }
      response.set('Content-Type', metrics.contentType).send(await metrics.text());
    })
    .all(methodNotAllowed('GET'));
  return router;
}

/** Counts each request by the route that took it; what has none is counted together. */
export function countRequests(metrics: Metrics): RequestHandler {
  return function countRequests(request, response, next) {
    response.once('close', () => {
      const { path } = (request.route ?? {}) as { path?: unknown };
      const route = typeof path === 'string' ? path : 'none';
      metrics.requested(request.method, route, response.statusCode);
    });
    next();
  };
}

function isSame(given: string, token: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(token));
}
