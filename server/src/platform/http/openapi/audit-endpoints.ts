/** Endpoints of webhooks and of the audit trail. */
import { AuditQuery, AuditResponse } from '@docent/shared/audit';
import { WebhookDelivery, WebhooksQuery, WebhooksResponse } from '@docent/shared/webhooks';
import { type Endpoint, json } from './endpoint.ts';

export const auditEndpoints: Endpoint[] = [
  {
    method: 'get',
    path: '/v2/agent/{projectId}/webhooks',
    id: 'getWebhooks',
    tag: 'Agent jobs',
    summary: 'The webhooks of a project, and what was sent to them',
    query: WebhooksQuery,
    replies: [json(WebhooksResponse, 'Endpoints, and deliveries, newest first.')],
    errors: ['bad_request', 'forbidden', 'not_found', 'rate_limited'],
  },
  {
    method: 'post',
    path: '/v2/agent/{projectId}/webhooks/{deliveryId}/replay',
    id: 'replayWebhook',
    tag: 'Agent jobs',
    summary: 'Send a webhook again, under the same id',
    parameters: { deliveryId: 'The delivery’s identifier.' },
    replies: [json(WebhookDelivery, 'The delivery, which is due.', { status: 202 })],
    errors: ['forbidden', 'not_found', 'conflict', 'rate_limited'],
  },
  {
    method: 'get',
    path: '/v1/audit',
    id: 'getAudit',
    tag: 'Operations',
    summary: 'The audit trail of the key’s organization, newest first',
    query: AuditQuery,
    replies: [json(AuditResponse, 'Entries, newest first.')],
    errors: ['bad_request', 'forbidden', 'rate_limited'],
  },
];
