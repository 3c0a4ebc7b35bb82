/**
 *   GET /metrics  counters in the Prometheus format, for callers with the configured token
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Router } from 'express';
import type { Environment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
import { DocentError } from '../errors.ts';
import { notFound } from '../http/method-not-allowed.ts';
import type { Metrics } from './metrics.ts';

/** Without a configured token, this path is 404. */
export function createMetricsRoutes({
  config,
  environment,
  metrics,
}: {
  config: Pick<Config, 'server'>;
  environment: Pick<Environment, 'secret'>;
  metrics: Metrics;
}): Router {
  const { metricsTokenEnv } = config.server;
  const token = metricsTokenEnv && environment.secret(metricsTokenEnv);
  const router = Router({ strict: true, caseSensitive: true });
  router.get('/metrics', async (request, response, next) => {
    if (token === undefined) return notFound(request, response, next);
    const given = /^Bearer +(\S+) *$/i.exec(request.get('authorization') ?? '')?.[1];
    if (given === undefined || !isSame(given, token)) {
      throw new DocentError('unauthorized', 'Send the token of `server.metricsTokenEnv`.');
    }
    response.set('Content-Type', metrics.contentType).send(await metrics.text());
  });
  return router;
}

function isSame(given: string, token: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(token));
}
