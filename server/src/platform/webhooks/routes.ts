/**
 * The deliveries to webhooks, for owners. Not in the service document.
 *   GET  /v1/webhooks                                          those of an organization, newest first
 *   GET  /v2/agent/{projectId}/webhooks                        endpoints and deliveries, newest first
 *   POST /v2/agent/{projectId}/webhooks/{deliveryId}/replay    sends one again, under the same id: 202
 */
import { AllWebhooksQuery, WebhooksQuery, type WebhooksResponse } from '@docent/shared/webhooks';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { parse } from '../http/request.ts';
import { callerOf } from '../http/require-key.ts';
import type { Projects } from '../tenants/projects.ts';
import type { Webhooks } from './webhooks.ts';

export interface WebhookRouteDeps {
  mayAccess: RequestHandler[];
  projects: Pick<Projects, 'forCaller'>;
  webhooks: Pick<Webhooks, 'endpointsOf' | 'list' | 'replay'>;
}

type OfProject = Request<{ projectId: string }>;
type OfDelivery = Request<{ projectId: string; deliveryId: string }>;

export function createWebhookRoutes({ mayAccess, projects, webhooks }: WebhookRouteDeps) {
  const router = Router({ strict: true, caseSensitive: true });
  const projectOf = (request: OfProject, response: Response) =>
    projects.forCaller(request.params.projectId, callerOf(response));

  router.get('/v1/webhooks', ...mayAccess, async (request: Request, response: Response) => {
    const { organization } = callerOf(response);
    const query = parse(AllWebhooksQuery, request.query);
    const [endpoints, page] = await Promise.all([
      webhooks.endpointsOf({ organization }),
      webhooks.list(organization, query),
    ]);
    response.json({ endpoints, ...page } satisfies WebhooksResponse);
  });

  router.get(
    '/v2/agent/:projectId/webhooks',
    ...mayAccess,
    async (request: OfProject, response: Response) => {
      const { id: project, organization } = projectOf(request, response);
      const query = parse(WebhooksQuery, request.query);
      const [endpoints, page] = await Promise.all([
        webhooks.endpointsOf({ project }),
        webhooks.list(organization, { ...query, project }),
      ]);
      response.json({ endpoints, ...page } satisfies WebhooksResponse);
    },
  );

  router.post(
    '/v2/agent/:projectId/webhooks/:deliveryId/replay',
    ...mayAccess,
    async (request: OfDelivery, response: Response) => {
      const project = projectOf(request, response);
      const { keyId } = callerOf(response);
      response.status(202).json(await webhooks.replay(project, request.params.deliveryId, keyId));
    },
  );

  return router;
}
