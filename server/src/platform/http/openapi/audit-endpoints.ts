/** Endpoints of webhooks and of the audit trail. */
import { AuditQuery, AuditResponse } from '@docent/shared/audit';
import { WebhookDelivery, WebhooksQuery, WebhooksResponse } from '@docent/shared/webhooks';
import type { Endpoint } from './endpoint.ts';

const ofProject = { projectId: 'The project’s identifier, as the configuration has it.' };

export const auditEndpoints: Endpoint[] = [
  {
    method: 'get',
    path: '/v2/agent/{projectId}/webhooks',
    id: 'getWebhooks',
    tag: 'Agent jobs',
    summary: 'The webhooks of a project, and what was sent to them',
    scope: 'read',
    parameters: ofProject,
    query: WebhooksQuery,
    replies: [
      {
        status: 200,
        description: 'Endpoints, and deliveries, newest first.',
        content: { 'application/json': WebhooksResponse },
      },
    ],
    errors: ['bad_request', 'forbidden', 'not_found', 'rate_limited'],
  },
  {
    method: 'post',
    path: '/v2/agent/{projectId}/webhooks/{deliveryId}/replay',
    id: 'replayWebhook',
    tag: 'Agent jobs',
    summary: 'Send a webhook again, under the same id',
    scope: 'write',
    parameters: { ...ofProject, deliveryId: 'The delivery’s identifier.' },
    replies: [
      {
        status: 202,
        description: 'The delivery, which is due.',
        content: { 'application/json': WebhookDelivery },
      },
    ],
    errors: ['forbidden', 'not_found', 'conflict', 'rate_limited'],
  },
  {
    method: 'get',
    path: '/v1/audit',
    id: 'getAudit',
    tag: 'Operations',
    summary: 'The audit trail of the key’s organization, newest first',
    scope: 'read',
    query: AuditQuery,
    replies: [
      {
        status: 200,
        description: 'Entries, newest first.',
        content: { 'application/json': AuditResponse },
      },
    ],
    errors: ['bad_request', 'forbidden', 'rate_limited'],
  },
];
