import express, { type Express } from 'express';
import { type AgentRouteDeps, createAgentRoutes } from './agent/api/routes.ts';
import { createChatCompletionsRoutes } from './reader/ask/chat-completions/routes.ts';
import { type AuditRouteDeps, createAuditRoutes } from './platform/audit/routes.ts';
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
import { createReaderJobRoutes, type ReaderJobRouteDeps } from './reader/analytics/jobs/routes.ts';
import { createAnalyticsRoutes, type AnalyticsDeps } from './reader/analytics/routes.ts';
import type { Keys } from './platform/auth/key-store.ts';
import type { Limits } from './platform/limits/limits.ts';
import { createMcpRoutes } from './reader/ask/mcp/routes.ts';
import { createOpenApiRoutes } from './platform/http/openapi/routes.ts';
import { createPageRoutes, type PageRouteDeps } from './agent/pages/routes.ts';
import type { Projects } from './platform/tenants/projects.ts';
import { createSearchRoutes } from './reader/search/routes.ts';
import type { Metrics } from './platform/telemetry/metrics.ts';
import { countRequests, createMetricsRoutes, traceRequests } from './platform/telemetry/routes.ts';
import type { Tracing } from './platform/telemetry/tracing.ts';
import { createWebhookRoutes, type WebhookRouteDeps } from './platform/webhooks/routes.ts';

export interface AppDeps
  extends
    AgentRouteDeps,
    AuditRouteDeps,
    WebhookRouteDeps,
    AssistantDeps,
    ChallengeDeps,
    AnalyticsDeps,
    PageRouteDeps,
    ReaderJobRouteDeps,
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

/** The service as an Express app. A request passes these in order. */
export function createApp(deps: AppDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  // `/healthz/` and `/HEALTHZ` are other paths than `/healthz`.
  app.enable('strict routing').enable('case sensitive routing');
  app.disable('etag');
  app.set('trust proxy', deps.config.server.trustProxy ?? false);
  app.use((_request, response, next) => {
    response.set('X-Content-Type-Options', 'nosniff');
    next();
  });
  app.use(createRequestLog(deps.log, deps.newId));
  if (deps.tracing.isOn) app.use(traceRequests(deps.tracing));
  app.use(countRequests(deps.metrics));
  app.use(createWidgetFiles(deps.widget));
  app.use(createHealthRoutes(deps.readiness));
  // For MCP clients, this is also the protection against DNS rebinding that the protocol requires.
  app.use(['/discovery/:version/:kind/:domain', '/mcp/:domain'], createSiteCors(deps.sites));
  app.use(createChallengeRoutes(deps));
  app.use(createAssistantRoutes(deps));
  app.use(createChatCompletionsRoutes(deps));
  app.use(createSearchRoutes(deps));
  app.use(createMcpRoutes(deps));
  app.use(createAnalyticsRoutes(deps));
  app.use(createReaderJobRoutes(deps));
  app.use(createIndexRoutes(deps));
  app.use(createAgentRoutes(deps));
  app.use(createWebhookRoutes(deps));
  app.use(createAuditRoutes(deps));
  app.use(createPageRoutes(deps));
  app.use(createOpenApiRoutes());
  app.use(createMetricsRoutes(deps.metrics, deps.metricsToken));
  app.use(notFound);
  app.use(createErrorHandler(deps.log));
  return app;
}
