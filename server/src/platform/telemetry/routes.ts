/**
 *   GET /metrics  counters in the Prometheus format, for callers with the configured token
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type RequestHandler, Router } from 'express';
import { DocentError } from '../errors.ts';
import { methodNotAllowed, notFound } from '../http/method-not-allowed.ts';
import { requestIdOf } from '../http/request-log.ts';
import { redact } from '../redaction/redact.ts';
import type { Metrics } from './metrics.ts';
import type { Tracing } from './tracing.ts';

/** Without a configured token, this path is 404. */
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

/** Counts requests by route. Requests without a route are counted together. */
export function countRequests(metrics: Metrics): RequestHandler {
  return function countRequests(request, response, next) {
    response.once('close', () => {
      const route = routeOf(request) ?? 'none';
      metrics.requested(request.method, route, response.statusCode);
    });
    next();
  };
}

/** A span for each request, with its route. The path isn't in it, because it may name a page or a conversation. */
export function traceRequests(tracing: Tracing): RequestHandler {
  return function traceRequests(request, response, next) {
    const { method } = request;
    const attributes = {
      'http.request.method': method,
      'docent.request_id': redact(requestIdOf(response)),
    };
    tracing.inRequest(request.headers, attributes, (span) => {
      response.once('close', () => {
        const route = routeOf(request);
        const { statusCode } = response;
        span.rename(route === undefined ? method : `${method} ${route}`);
        span.set({ 'http.route': route, 'http.response.status_code': statusCode });
        if (statusCode >= 500) span.fail(String(statusCode));
        span.end();
      });
      next();
    });
  };
}

function routeOf(request: { route?: unknown }): string | undefined {
  const { path } = (request.route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path : undefined;
}

function isSame(given: string, token: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(token));
}
