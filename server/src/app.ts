import express, {
  type Express,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express';
import type { Services } from './compose.ts';
import {
  apiEndpoints,
  completionEndpoints,
  completionPaths,
  healthEndpoints,
} from './endpoints.ts';
import { toOpenAiError } from './reader/ask/chat-completions/routes.ts';
import { createDashboardGate, createDashboardFiles } from './platform/http/dashboard-files.ts';
import { createErrorHandler, notFound } from './platform/http/error-handler.ts';
import { deprecated, guardResponse, hideSecretsInResponses } from './platform/http/responses.ts';
import { recordRequests } from './platform/http/record-requests.ts';
import { createAnySiteCors, createSiteCors } from './platform/http/site-cors.ts';
import { createWidgetFiles } from './platform/http/widget-files.ts';
import { createOpenIdRoutes } from './accounts/people/open-id-routes.ts';
import type { Keys } from './accounts/keys/keys.ts';
import { DocentError } from './platform/errors.ts';
import type { Limits } from './platform/limits/limits.ts';
import type { Projects } from './platform/tenants/projects.ts';
import type { Sites } from './platform/tenants/sites.ts';
import { type Endpoint, type Permission, sent } from './platform/http/endpoint.ts';
import { callerOf, clientGone, jsonBody, parse, sessionOf } from './platform/http/request.ts';
import { requireKey } from './accounts/require-access.ts';

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
  const router = Router({ strict: true, caseSensitive: true });
  router.use(completionPaths, createAnySiteCors(services.sites));
  router.use(mountEndpoints(completionEndpoints, services));
  router.use(completionPaths, createErrorHandler(services.log, toOpenAiError));
  return router;
}

interface EndpointDeps {
  keys: Pick<Keys, 'find'>;
  limits: Limits;
  projects: Pick<Projects, 'forCaller'>;
  requireAccess: (permission: Permission) => RequestHandler;
  sites: Pick<Sites, 'forCaller' | 'refresh'>;
}

/**
 * The routes of endpoints. A request passes address limit > key or session > site or project > instructions
 * of the project > proof of work and the like > body > schemas, so what costs less refuses first, and who
 * isn't allowed learns nothing of the rest.
 */
function mountEndpoints<Deps extends EndpointDeps>(
  endpoints: readonly Endpoint<Deps>[],
  deps: Deps,
): Router {
  const router = Router({ strict: true, caseSensitive: true });
  const toPath = ({ path }: Endpoint<Deps>) => path.replaceAll(/\{(\w+)\}/g, ':$1');
  const deprecatedOnes = endpoints.filter((endpoint) => endpoint.isDeprecated === true);
  // Responses to other methods say it, too.
  for (const path of new Set(deprecatedOnes.map(toPath))) router.route(path).all(deprecated);
  for (const endpoint of endpoints) {
    router
      .route(toPath(endpoint))
      [endpoint.method](...stepsOf(endpoint, deps), async (request, response) => {
        const { query, body, checksBody = false, replies, run } = endpoint;
        const call = {
          params: request.params as Record<string, string>,
          query: query && parse(query, request.query),
          body: body && !checksBody ? parse(body, request.body) : request.body,
          caller: callerOf(response),
          session: sessionOf(response),
          site: response.locals['site'],
          project: response.locals['project'],
          request,
          response,
          get signal() {
            return clientGone(response);
          },
        };
        const result = await run(call as Parameters<typeof run>[0], deps);
        if (result === sent) return;
        response.status(replies[0]?.status ?? 200);
        if (result === undefined) response.end();
        else response.json(result);
      });
  }
  for (const [path, own] of Map.groupBy(endpoints, toPath)) {
    router.route(path).all(refuseOthers(own.map(({ method }) => method.toUpperCase())));
  }
  return router;
}

/** Another method of a known path gets 405 with the list of allowed ones. */
function refuseOthers(methods: readonly string[]): RequestHandler {
  const names = methods.toSorted();
  return function refuseOthers({ method }, response, next) {
    // Express answers it.
    if (method === 'OPTIONS') return next();
    response.set('Allow', [...names, 'OPTIONS'].join(', '));
    throw new DocentError('method_not_allowed', `This path accepts only ${names.join(' and ')}.`);
  };
}

function stepsOf<Deps extends EndpointDeps>(
  endpoint: Endpoint<Deps>,
  deps: Deps,
): RequestHandler[] {
  const { who, limit, path, body, checksBody = false, before } = endpoint;
  const { limits, keys } = deps;
  const steps: RequestHandler[] = [];
  if (limit === 'lookup') steps.push(limits.lookups.perAddress);
  if (limit === 'question') steps.push(limits.questions.perAddress);
  const countsAddress = limit === 'lookup' || limit === 'question';
  if (who !== 'public') {
    const allow = 'key' in who ? requireKey(keys, who.key) : deps.requireAccess(who);
    steps.push(countsAddress ? allow : countingRefused(allow, limits));
    if (/\{(domain|projectId)\}/.test(path)) steps.push(requireOwn(deps));
  }
  if (limit === 'instruction') steps.push(limits.perProject);
  if (before) steps.push(...before(deps));
  if (body && !checksBody) steps.push(jsonBody);
  return steps;
}

/** Finds the site or the project of the path, if the caller may know of it. */
function requireOwn({ sites, projects }: EndpointDeps): RequestHandler {
  return async function requireOwn({ params }: Request, response: Response, next) {
    const caller = callerOf(response);
    const { domain, projectId } = params as Record<string, string>;
    if (domain !== undefined) {
      await sites.refresh(domain);
      response.locals['site'] = sites.forCaller(domain, caller);
    }
    if (projectId !== undefined) {
      response.locals['project'] = await projects.forCaller(projectId, caller);
    }
    next();
  };
}

/**
 * Refused keys count towards the limit of the address and day, so that keys can't be guessed. Valid keys
 * don't: a program that polls a job would use up the limit of the readers behind the same address.
 */
function countingRefused(allow: RequestHandler, { lookups }: Limits): RequestHandler {
  return async function countRefused(request, response, next) {
    try {
      await allow(request, response, next);
    } catch (error) {
      if (!(error instanceof DocentError) || error.code !== 'unauthorized') throw error;
      await lookups.perAddress(request, response, (refused?: unknown) => next(refused ?? error));
    }
  };
}
