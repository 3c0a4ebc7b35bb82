import express, { type Express } from 'express';
import { type AgentRouteDeps, createAgentRoutes } from './agent/api/routes.ts';
import { createChatCompletionsRoutes } from './reader/ask/chat-completions/routes.ts';
import { type AuditRouteParts, createAuditRoutes } from './platform/audit/routes.ts';
import { type AssistantDeps, createAssistantRoutes } from './reader/ask/routes.ts';
import { type ChallengeDeps, createChallengeRoutes } from './platform/challenge/routes.ts';
import type { Config } from './platform/config/schema.ts';
import { createErrorHandler } from './platform/http/error-handler.ts';
import { createHealthRoutes, type Readiness } from './platform/http/health.ts';
import { notFound } from './platform/http/method-not-allowed.ts';
import { createRequestLog } from './platform/http/request-log.ts';
import { createSiteCors } from './platform/http/site-cors.ts';
import type { ReadWidgetBuild } from './platform/http/widget-build.ts';
import { createWidgetFiles } from './platform/http/widget-files.ts';
import { createIndexRoutes, type IndexRouteDeps } from './reader/search/index-routes.ts';
import type { NewId } from './platform/ids.ts';
import { createReaderJobRoutes, type ReaderJobRouteParts } from './reader/analytics/jobs/routes.ts';
import { createInsightRoutes, type InsightParts } from './reader/analytics/routes.ts';
import type { Keys } from './platform/auth/key-store.ts';
import type { Limits } from './platform/limits/limits.ts';
import { createMcpRoutes } from './reader/ask/mcp/routes.ts';
import { createOpenApiRoutes } from './platform/http/openapi/routes.ts';
import { createPageRoutes, type PagesParts } from './agent/pages/routes.ts';
import type { Projects } from './platform/tenants/projects.ts';
import { createSearchRoutes } from './reader/search/routes.ts';
import type { Metrics } from './platform/telemetry/metrics.ts';
import { countRequests, createMetricsRoutes, traceRequests } from './platform/telemetry/routes.ts';
import type { Tracing } from './platform/telemetry/tracing.ts';
import { createWebhookRoutes, type WebhookRouteParts } from './platform/webhooks/routes.ts';

export interface AppParts
  extends
    AgentRouteDeps,
    AuditRouteParts,
    WebhookRouteParts,
    AssistantDeps,
    ChallengeDeps,
    InsightParts,
    PagesParts,
    ReaderJobRouteParts,
    Pick<IndexRouteDeps, 'indexer' | 'schedule'> {
  config: Pick<Config, 'server' | 'agent' | 'models'>;
  keys: Keys;
  limits: Limits;
  projects: Projects;
  newId: NewId;
  readiness: Readiness;
  metrics: Metrics;
  metricsToken: string | undefined;
  tracing: Tracing;
  widget: ReadWidgetBuild;
}

/** The whole service as an Express app: what a request meets, in this order. */
export function createApp(parts: AppParts): Express {
  const app = express();
  app.disable('x-powered-by');
  // A path is what it says: `/healthz/` and `/HEALTHZ` are others.
  app.enable('strict routing').enable('case sensitive routing');
  app.disable('etag');
  app.set('trust proxy', parts.config.server.trustProxy ?? false);
  app.use((_request, response, next) => {
    response.set('X-Content-Type-Options', 'nosniff');
    next();
  });
  app.use(createRequestLog(parts.log, parts.newId));
  if (parts.tracing.isOn) app.use(traceRequests(parts.tracing));
  app.use(countRequests(parts.metrics));
  app.use(createWidgetFiles(parts.widget));
  app.use(createHealthRoutes(parts.readiness));
  // For agents this is also the guard against DNS rebinding, which the protocol asks for.
  app.use(['/discovery/:version/:kind/:domain', '/mcp/:domain'], createSiteCors(parts.sites));
  app.use(createChallengeRoutes(parts));
  app.use(createAssistantRoutes(parts));
  app.use(createChatCompletionsRoutes(parts));
  app.use(createSearchRoutes(parts));
  app.use(createMcpRoutes(parts));
  app.use(createInsightRoutes(parts));
  app.use(createReaderJobRoutes(parts));
  app.use(createIndexRoutes(parts));
  app.use(createAgentRoutes(parts));
  app.use(createWebhookRoutes(parts));
  app.use(createAuditRoutes(parts));
  app.use(createPageRoutes(parts));
  app.use(createOpenApiRoutes());
  app.use(createMetricsRoutes(parts.metrics, parts.metricsToken));
  app.use(notFound);
  app.use(createErrorHandler(parts.log));
  return app;
}
