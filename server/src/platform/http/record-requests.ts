import type { RequestHandler, Response } from 'express';
import type { Config } from '../config/schema.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../log.ts';
import { redact } from '../redaction/redact.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { beginWork } from '../telemetry/event-loop.ts';
import type { Tracing } from '../telemetry/tracing.ts';

/** A caller's own well-formed ID is kept, so that you can join the logs of both sides. */
const wellFormed = /^[A-Za-z0-9._-]{8,128}$/;

/**
 * Gives each request an ID, and records how it ends: in the log, in the metrics, and as a span. The query,
 * the body, the address, and the key are in none of them. The span has the route and not the path,
 * because a path may name a page or a conversation.
 */
export function recordRequests({
  log,
  metrics,
  tracing,
  config: {
    server: { trustProxy },
  },
}: {
  log: Logger;
  metrics: Pick<Metrics, 'requested'>;
  tracing: Tracing;
  config: Pick<Config, 'server'>;
}): RequestHandler {
  let warnsOfProxy = trustProxy === undefined;
  return function recordRequest(request, response, next) {
    if (warnsOfProxy && request.get('x-forwarded-for') !== undefined) {
      warnsOfProxy = false;
      log.warn(
        'requests come through a proxy, and server.trustProxy is not set: all readers and people count as one address. Set it to the number of proxies.',
      );
    }
    const given = request.get('x-request-id');
    const requestId = given !== undefined && wellFormed.test(given) ? given : newId();
    response.locals['requestId'] = requestId;
    response.set('X-Request-Id', requestId);
    const started = performance.now();
    const { method, path } = request;
    const attributes = {
      'http.request.method': method,
      'docent.request_id': redact(requestId),
    };
    const endWork = beginWork(() => `${method} ${routeOf(request) ?? 'of no route'}`);
    tracing.inRequest(request.headers, attributes, (span) => {
      response.once('close', () => {
        endWork();
        const status = response.statusCode;
        const ms = Math.round(performance.now() - started);
        const aborted = !response.writableFinished && { aborted: true };
        log.info({ requestId, method, path, status, ms, ...aborted }, 'request');
        const route = routeOf(request);
        metrics.requested(method, route ?? 'none', status);
        span.rename(route === undefined ? method : `${method} ${route}`);
        span.set({ 'http.route': route, 'http.response.status_code': status });
        if (status >= 500) span.fail(String(status));
        span.end();
      });
      next();
    });
  };
}

export function requestIdOf(response: Response): string {
  return response.locals['requestId'] as string;
}

function routeOf(request: { route?: unknown }): string | undefined {
  const { path } = (request.route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path : undefined;
}
