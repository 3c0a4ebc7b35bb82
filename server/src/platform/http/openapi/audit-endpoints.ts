/** Endpoints of webhooks, of the audit trail, and of API keys. */
import { AuditEntry, AuditQuery, AuditResponse } from '@docent/shared/audit';
import {
  CreateKeyRequest,
  KeysQuery,
  KeysResponse,
  KeyWithToken,
  ManagedKey,
  RotateKeyRequest,
} from '@docent/shared/managed-keys';
import {
  AllWebhooksQuery,
  WebhookDelivery,
  WebhooksQuery,
  WebhooksResponse,
} from '@docent/shared/webhooks';
import { type Endpoint, json } from './endpoint.ts';

const changed = ['bad_request', 'unsupported_media_type', 'too_large', 'rate_limited'] as const;
const ofKey = { id: 'The key’s identifier.' };

export const auditEndpoints: Endpoint[] = [
  {
    method: 'get',
    path: '/v1/webhooks',
    id: 'listWebhooks',
    tag: 'Operations',
    summary: 'The webhooks of the organization, and what was sent to them',
    query: AllWebhooksQuery,
    replies: [json(WebhooksResponse, 'Endpoints, and deliveries, newest first.')],
    errors: ['bad_request', 'forbidden', 'rate_limited'],
  },
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
    summary: 'The audit trail of the organization, newest first',
    query: AuditQuery,
    replies: [
      {
        status: 200,
        description: 'Entries, newest first.',
        content: {
          'application/json': AuditResponse,
          'application/jsonl': AuditEntry,
          'text/csv': { description: 'A table, its first line the names of the columns.' },
        },
      },
    ],
    errors: ['bad_request', 'forbidden', 'rate_limited'],
  },
  {
    method: 'get',
    path: '/v1/keys',
    id: 'listKeys',
    tag: 'Operations',
    summary: 'API keys, without their tokens, newest first',
    query: KeysQuery,
    replies: [json(KeysResponse, 'Keys, newest first.')],
    errors: ['bad_request', 'rate_limited'],
  },
  {
    method: 'post',
    path: '/v1/keys',
    id: 'createKey',
    tag: 'Operations',
    summary: 'Create an API key',
    description:
      'A key can create assistant keys without groups. Other keys are created by people who are signed in.',
    body: CreateKeyRequest,
    replies: [json(KeyWithToken, 'The key, and its token, which is shown once.', { status: 201 })],
    errors: [...changed, 'not_found'],
  },
  {
    method: 'post',
    path: '/v1/keys/{id}/rotate',
    id: 'rotateKey',
    tag: 'Operations',
    summary: 'Give an API key another token; the one before stays valid for a while',
    description: 'A key can rotate itself, and assistant keys without groups.',
    parameters: ofKey,
    body: RotateKeyRequest,
    replies: [json(KeyWithToken, 'The key, and its new token, which is shown once.')],
    errors: [...changed, 'not_found', 'conflict'],
  },
  {
    method: 'post',
    path: '/v1/keys/{id}/revoke',
    id: 'revokeKey',
    tag: 'Operations',
    summary: 'Stop an API key at once',
    parameters: ofKey,
    replies: [json(ManagedKey, 'The key, which is revoked.')],
    errors: ['not_found', 'rate_limited'],
  },
];
