import {
  AllWebhooksQuery,
  WebhookDelivery,
  WebhooksQuery,
  WebhooksResponse,
} from '@docent/shared/webhooks';
import { editorWrites, endpointsOf, json, viewerReads } from '../../platform/http/endpoint.ts';
import type { Webhooks } from './webhooks.ts';

interface WebhookEndpointDeps {
  webhooks: Pick<Webhooks, 'endpointsOf' | 'list' | 'replay'>;
}

const ofService = endpointsOf<WebhookEndpointDeps>('Operations');
const ofProject = endpointsOf<WebhookEndpointDeps>('Agent jobs');

/** The deliveries to webhooks, for owners. Not in the service document. */
export const webhookEndpoints = [
  ofService('GET /v1/webhooks', {
    id: 'listWebhooks',
    summary: 'The webhooks of the organization, and what was sent to them',
    who: viewerReads,
    query: AllWebhooksQuery,
    reply: json(WebhooksResponse, 'Endpoints, and deliveries, newest first.'),
    async run({ caller: { organization }, query }, { webhooks }) {
      const [endpoints, page] = await Promise.all([
        webhooks.endpointsOf({ organization }),
        webhooks.list(organization, query),
      ]);
      return { endpoints, ...page };
    },
  }),

  ofProject('GET /v2/agent/{projectId}/webhooks', {
    id: 'getWebhooks',
    summary: 'The webhooks of a project, and what was sent to them',
    who: viewerReads,
    query: WebhooksQuery,
    reply: json(WebhooksResponse, 'Endpoints, and deliveries, newest first.'),
    async run({ project: { id: project, organization }, query }, { webhooks }) {
      const [endpoints, page] = await Promise.all([
        webhooks.endpointsOf({ project }),
        webhooks.list(organization, { ...query, project }),
      ]);
      return { endpoints, ...page };
    },
  }),

  ofProject('POST /v2/agent/{projectId}/webhooks/{deliveryId}/replay', {
    id: 'replayWebhook',
    summary: 'Send a webhook again, under the same id',
    who: editorWrites,
    reply: json(WebhookDelivery, 'The delivery, which is due.', { status: 202 }),
    errors: ['conflict'],
    run: ({ project, params, caller }, { webhooks }) =>
      webhooks.replay(project, params.deliveryId, caller.id),
  }),
];
