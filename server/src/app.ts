import express, { type Express, type Router } from 'express';
import type { Services } from './compose.ts';
import {
  apiEndpoints,
  completionEndpoints,
  completionPaths,
  healthEndpoints,
} from './endpoints.ts';
import { toOpenAiError } from './reader/ask/chat-completions/routes.ts';
import { mountEndpoints } from './mount-endpoints.ts';
import { createDashboardGate, createDashboardFiles } from './platform/http/dashboard-files.ts';
import { createErrorHandler, notFound } from './platform/http/error-handler.ts';
import { guardResponse, hideSecretsInResponses } from './platform/http/responses.ts';
import { recordRequests } from './platform/http/record-requests.ts';
import { createAnySiteCors, createSiteCors } from './platform/http/site-cors.ts';
import { createWidgetFiles } from './platform/http/widget-files.ts';
import { createOpenIdRoutes } from './accounts/people/open-id-routes.ts';

/** Pages that only some servers have. */
export type MoreRoutes = (services: Services) => Router;

/** The service as an Express app. A request passes these in order. */
export function createApp(services: Services, more?: MoreRoutes): Express {
  const app = express();
  app.disable('x-powered-by');
  hideSecretsInResponses(app);
  // `/healthz/` and `/HEALTHZ` are other paths than `/healthz`.
  app.enable('strict routing').enable('case sensitive routing');
  app.disable('etag');
  app.set('trust proxy', services.config.server.trustProxy ?? false);
  app.use(guardResponse);
  app.use(recordRequests(services));
  app.use(mountEndpoints(healthEndpoints, services));
  app.use(createDashboardGate(services));
  const ownOrigin = () => new URL(services.baseUrl()).origin;
  // For MCP clients, this is also the protection against DNS rebinding that the protocol requires.
  app.use(
    ['/discovery/:version/:kind/:domain', '/mcp/:domain'],
    createSiteCors(services.sites, ownOrigin),
  );
  app.use(mountCompletions(services));
  app.use(mountEndpoints(apiEndpoints, services));
  app.use(createWidgetFiles(services.widget));
  app.use(createOpenIdRoutes(services));
  app.use(createDashboardFiles(services));
  if (more) app.use(more(services));
  app.use(notFound);
  app.use(createErrorHandler(services.log));
  return app;
}

/** OpenAI's clients read errors of another shape. */
function mountCompletions(services: Services): Router {
  const router = express.Router({ strict: true, caseSensitive: true });
  router.use(completionPaths, createAnySiteCors(services.sites));
  router.use(mountEndpoints(completionEndpoints, services));
  router.use(completionPaths, createErrorHandler(services.log, toOpenAiError));
  return router;
}
