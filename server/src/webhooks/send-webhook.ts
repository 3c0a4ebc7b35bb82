import { createHmac } from 'node:crypto';

/** How long the receiver may take. */
const timeoutMs = 10_000;

export interface Webhook {
  /** The same at each attempt, so that a receiver can tell a repetition. */
  id: string;
  body: string;
  time: Date;
  secret: string | undefined;
}

/**
 * Posts JSON as the Standard Webhooks specification has it; answers what went wrong, if something did.
 * The address may be a private one: it stands in the configuration of whoever runs the service, and no
 * reader, page or model can change it.
 */
export async function sendWebhook(
  url: string,
  { id, body, time, secret }: Webhook,
  stop: AbortSignal,
): Promise<string | undefined> {
  const timestamp = String(Math.floor(time.getTime() / 1000));
  try {
    const response = await fetch(url, {
      method: 'POST',
      // A redirect would take the alert to an address that nobody configured.
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        ...(secret !== undefined && {
          'webhook-signature': `v1,${sign(`${id}.${timestamp}.${body}`, secret)}`,
        }),
      },
      body,
      signal: AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `status ${response.status}`;
  } catch (error) {
    // The address may hold a token of its own: only the kind of fault is said.
    const { name, cause } = error as Error;
    const code = (cause as { code?: unknown } | undefined)?.code;
    return typeof code === 'string' ? code : name;
  }
}

/** Secrets of the usual form `whsec_…` hold their bytes in base64; any other text is taken as it is. */
function sign(text: string, secret: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret;
  return createHmac('sha256', key).update(text).digest('base64');
}
