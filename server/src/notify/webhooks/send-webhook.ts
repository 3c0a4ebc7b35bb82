/** One attempt to send one webhook, as the Standard Webhooks specification has it. */
import { createHmac } from 'node:crypto';
import type { lookup as systemLookup } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { checkedLookup, refusalOf } from '../../platform/network/addresses.ts';
import { retryAfterMs } from '../../platform/network/retry.ts';
import { redact } from '../../platform/redaction/redact.ts';

/** How long the receiver may take to answer, without the body. */
const timeoutMs = 15_000;
/** The beginning of its answer helps to find a fault. */
const bodyMs = 1_000;
const bodyBytes = 2_000;
const keptCharacters = 200;

export interface Webhook {
  /** The same at each attempt, so that a receiver recognizes a repetition. */
  id: string;
  body: string;
  time: Date;
  /** The message is signed with each of them. Without a secret it isn't signed. */
  secrets: readonly string[];
}

/** Which hosts may be reached, and how. */
export interface WebhookReach {
  /** Hosts that may be called although they aren't on the public Internet. */
  privateHosts: readonly string[];
  /** Looks up names; by default the system's resolver. */
  lookup?: typeof systemLookup | undefined;
  /** In milliseconds; tests shorten it. */
  timeoutMs?: number | undefined;
}

export interface WebhookOutcome {
  /** What went wrong; `undefined` if it was delivered. Never contains the address, which may contain a secret. */
  fault?: string | undefined;
  status?: number | undefined;
  /** The beginning of the receiver's answer, redacted. */
  response?: string | undefined;
  /** The pause that the receiver asks for. */
  retryAfterMs?: number | undefined;
}

/**
 * Posts JSON. The name is looked up once, and the connection goes to the address that was checked. A
 * redirect is a fault, because it would send the message to an address that isn't configured.
 */
export async function sendWebhook(
  address: string,
  webhook: Webhook,
  reach: WebhookReach,
  stop: AbortSignal,
): Promise<WebhookOutcome> {
  const url = new URL(address);
  // The port is configured, like the rest of the address.
  const ports = new Set([url.port]);
  const refusal = refusalOf(url, { privateHosts: reach.privateHosts, ports });
  if (refusal !== undefined) return { fault: refusal };
  const deadline = AbortSignal.timeout(reach.timeoutMs ?? timeoutMs);
  try {
    const signal = AbortSignal.any([stop, deadline]);
    const response = await post(url, webhook, reach, signal);
    const status = response.statusCode ?? 0;
    const said = await readBeginning(response);
    return {
      fault: faultOf(status),
      status,
      response: said === '' ? undefined : said,
      retryAfterMs: retryAfterMs(response.headers, webhook.time.getTime()),
    };
  } catch (error) {
    if (deadline.aborted) return { fault: 'no answer in time' };
    if (error instanceof Refused) return { fault: error.message };
    const { code } = error as NodeJS.ErrnoException;
    return { fault: typeof code === 'string' ? code : (error as Error).name };
  }
}

class Refused extends Error {}

function post(
  url: URL,
  webhook: Webhook,
  { privateHosts, lookup }: WebhookReach,
  signal: AbortSignal,
): Promise<http.IncomingMessage> {
  const body = Buffer.from(webhook.body);
  const refuse = (_url: URL, reason: string) => new Refused(reason);
  return new Promise((answer, reject) => {
    (url.protocol === 'https:' ? https : http)
      .request(url, {
        method: 'POST',
        // A new connection: one that is kept was checked for another message.
        agent: false,
        lookup: checkedLookup(url, { privateHosts, refuse, lookup }),
        signal,
        headers: {
          'content-type': 'application/json',
          'content-length': body.length,
          'user-agent': 'Docent/0.1 (webhooks)',
          ...signed(webhook),
        },
      })
      .on('response', answer)
      .on('error', reject)
      .end(body);
  });
}

function signed({ id, time, body, secrets }: Webhook): Record<string, string> {
  const timestamp = String(Math.floor(time.getTime() / 1000));
  const signatures = secrets.map((secret) => `v1,${sign(`${id}.${timestamp}.${body}`, secret)}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  };
}

/** A secret of the form `whsec_…` is base64. Any other text is used as it is. */
function sign(text: string, secret: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret;
  return createHmac('sha256', key).update(text).digest('base64');
}

function faultOf(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  return status >= 300 && status < 400
    ? `status ${status}: redirects are not followed`
    : `status ${status}`;
}

/** Never rejects: the status decides, not the body. */
async function readBeginning(response: http.IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  const cut = setTimeout(() => response.destroy(), bodyMs);
  try {
    let length = 0;
    for await (const piece of response as AsyncIterable<Buffer>) {
      pieces.push(piece);
      length += piece.length;
      if (length >= bodyBytes) break;
    }
  } catch {
    // The connection ended, or the body took too long.
  } finally {
    clearTimeout(cut);
    response.destroy();
  }
  const text = redact(Buffer.concat(pieces).subarray(0, bodyBytes).toString('utf8'));
  const isText = !response.headers['content-encoding'];
  return isText
    ? text
        .replaceAll(/\p{Cc}+/gu, ' ')
        .trim()
        .slice(0, keptCharacters)
    : '';
}
