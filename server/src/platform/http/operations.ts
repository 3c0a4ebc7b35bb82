/** What operators and their tools ask: health, the description of the API, and counters. */
import { HealthReply, ReadyReply } from '@docent/shared/replies';
import { sql } from 'kysely';
import { DocentError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import { endpointsOf, json, sent } from './endpoint.ts';
import { z } from 'zod';
import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '../hash.ts';
import type { Environment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
import { nothingThere } from './error-handler.ts';
import type { Metrics } from '../telemetry/metrics.ts';

interface HealthDeps {
  database: Database;
  retriever: { check(): Promise<'ready' | 'fallback'> };
  state: { isStopping: boolean };
}

const endpoint = endpointsOf<HealthDeps>('Operations');

export const healthEndpoints = [
  endpoint('GET /healthz', {
    id: 'getHealth',
    summary: 'Whether the process is alive',
    who: 'public',
    limit: 'none',
    reply: HealthReply,
    run: () => ({ status: 'ok' as const }),
  }),

  endpoint('GET /readyz', {
    id: 'getReadiness',
    summary: 'Whether the service can answer',
    who: 'public',
    limit: 'none',
    reply: ReadyReply,
    errors: ['unavailable'],
    async run(_call, { database, retriever, state }) {
      if (state.isStopping) throw new DocentError('unavailable', 'The service is stopping.');
      try {
        await sql`select 1`.execute(database);
      } catch (cause) {
        throw new DocentError('unavailable', 'The database cannot be read.', { cause });
      }
      // Rejects if no question can be answered. With `fallback`, only the local index answers.
      const search = await retriever.check();
      return { status: 'ready' as const, ...(search === 'fallback' && { search }) };
    },
  }),
];

export const openApiEndpoints = [
  endpointsOf<{ api: () => Record<string, unknown> }>('Operations')('GET /openapi.json', {
    id: 'getOpenApi',
    summary: 'This document',
    who: 'public',
    limit: 'none',
    reply: json(z.looseObject({ openapi: z.string() }), 'The description of the API.'),
    run({ response }, { api }) {
      // It says nothing of this installation, so tools on any page may show it.
      response.set('Access-Control-Allow-Origin', '*').set('Cache-Control', 'public, max-age=300');
      return api() as { openapi: string };
    },
  }),
];

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
