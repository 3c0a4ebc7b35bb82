/**
 * Signed deliveries of webhooks, as the forges send them. Gitea and Forgejo: `services/webhook/deliver.go`,
 * and Forgejo's `services/webhook/shared/payloader.go`; GitLab: `doc/user/project/integrations/webhooks.md`,
 * and its merge request 230944 for the signing token.
 */
import { createHmac, randomUUID } from 'node:crypto';

export interface Delivery {
  headers: Record<string, string>;
  /** As it's signed: send these bytes. */
  body: string;
}

interface DeliveryInput {
  /** `pull_request`, `issue_comment`; at GitLab `Note Hook`, `Merge Request Hook`. */
  event: string;
  payload: unknown;
  secret: string;
  /** A repeated delivery has the same. */
  id?: string;
}

const hex = (secret: string, body: string) =>
  createHmac('sha256', secret).update(body).digest('hex');

export function deliverFromGitHub({ event, payload, secret, id }: DeliveryInput): Delivery {
  const body = JSON.stringify(payload);
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-delivery': id ?? randomUUID(),
      'x-github-event': event,
      'x-hub-signature-256': `sha256=${hex(secret, body)}`,
    },
  };
}

/** With GitHub's headers too. The body is indented. Forgejo adds its own headers. */
export function deliverFromGitea(
  { event, payload, secret, id = randomUUID() }: DeliveryInput,
  { isForgejo = false }: { isForgejo?: boolean } = {},
): Delivery {
  const body = JSON.stringify(payload, null, 2);
  const signature = hex(secret, body);
  const named = (name: string) => ({
    [`x-${name}-delivery`]: id,
    [`x-${name}-event`]: event,
    [`x-${name}-event-type`]: event,
    [`x-${name}-signature`]: signature,
  });
  return {
    body,
    headers: {
      'content-type': 'application/json',
      ...(isForgejo && named('forgejo')),
      ...named('gitea'),
      ...named('gogs'),
      'x-hub-signature-256': `sha256=${signature}`,
      'x-github-delivery': id,
      'x-github-event': event,
    },
  };
}

/** With the secret itself, or signed where the secret is a signing token (`whsec_…`). */
export function deliverFromGitLab(
  { event, payload, secret, id = randomUUID() }: DeliveryInput,
  { seconds = Math.floor(Date.now() / 1000) }: { seconds?: number } = {},
): Delivery {
  const body = JSON.stringify(payload);
  const headers = {
    'content-type': 'application/json',
    'idempotency-key': id,
    'x-gitlab-event': event,
    'x-gitlab-event-uuid': randomUUID(),
  };
  if (!secret.startsWith('whsec_')) {
    return { body, headers: { ...headers, 'x-gitlab-token': secret } };
  }
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    body,
    headers: {
      ...headers,
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,${signature}`,
    },
  };
}
