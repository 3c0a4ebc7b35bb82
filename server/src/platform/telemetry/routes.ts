import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '../hash.ts';
import type { Environment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
import { DocentError } from '../errors.ts';
import { endpointsOf, sent } from '../http/endpoint.ts';
import { nothingThere } from '../http/method-not-allowed.ts';
import type { Metrics } from './metrics.ts';

interface MetricsEndpointDeps {
  config: Pick<Config, 'server'>;
  environment: Pick<Environment, 'secret'>;
  metrics: Metrics;
}

export const metricsEndpoints = [
  endpointsOf<MetricsEndpointDeps>('Operations')('GET /metrics', {
    id: 'getMetrics',
    summary: 'Counters for Prometheus',
    description:
      'With the token of `server.metricsTokenEnv` as a Bearer token; without that setting, 404.',
    who: 'public',
    limit: 'none',
    reply: {
      status: 200,
      description: 'The counters of this process.',
      content: { 'text/plain': { description: 'The text format of Prometheus.' } },
    },
    errors: ['unauthorized', 'not_found'],
    async run({ request, response }, { config, environment, metrics }) {
      const { metricsTokenEnv } = config.server;
      const token = metricsTokenEnv && environment.secret(metricsTokenEnv);
      if (token === undefined) throw nothingThere();
      const given = /^Bearer +(\S+) *$/i.exec(request.get('authorization') ?? '')?.[1];
      if (given === undefined || !isSame(given, token)) {
        throw new DocentError('unauthorized', 'Send the token of `server.metricsTokenEnv`.');
      }
      response.set('Content-Type', metrics.contentType).send(await metrics.text());
      return sent;
    },
  }),
];

function isSame(given: string, token: string): boolean {
  const hash = (text: string) => Buffer.from(sha256(text));
  return timingSafeEqual(hash(given), hash(token));
}
