/**
 * Requests to a model's server. `node:http` has no time limits of its own, and a model that loads takes
 * minutes; `fetch` ends every request after five, and takes 25 MB of memory from the first one on.
 */
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

const http = { send: httpRequest, agent: new HttpAgent({ keepAlive: true }) };
const https = { send: httpsRequest, agent: new HttpsAgent({ keepAlive: true }) };

export interface AskOptions {
  /** JSON to post; without it, the request is a GET. */
  body?: string | undefined;
  accept?: string;
  apiKey?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Resolves with the response's head. */
export function askServer(
  url: URL,
  { body, accept = 'application/json', apiKey, signal }: AskOptions,
): Promise<IncomingMessage> {
  const { send, agent } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const request = send(url, {
      method: body === undefined ? 'GET' : 'POST',
      agent,
      headers: {
        accept,
        'user-agent': 'docent',
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
        }),
      },
      ...(signal && { signal }),
    });
    request.once('response', resolve);
    request.once('error', reject);
    request.end(body);
  });
}

/** A response's text up to a length in characters, without the key that a server may quote. */
export async function readText(
  response: IncomingMessage,
  maxLength: number,
  apiKey = '\0',
): Promise<string> {
  let text = '';
  for await (const piece of response.setEncoding('utf8')) {
    text += piece as string;
    if (text.length > maxLength) break;
  }
  return text.slice(0, maxLength).replaceAll(apiKey, '…');
}
