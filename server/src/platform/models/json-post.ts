/**
 * Requests to a model's server. `node:http` has no time limits of its own, and a model that loads takes
 * minutes; `fetch` ends every request after five.
 */
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

/** Sends JSON to one address. `settings.apiKey` is read for each request. Resolves with the response's head. */
export function createJsonPost(
  url: URL,
  accept: string,
  settings: { apiKey?: string | undefined },
) {
  const isSecure = url.protocol === 'https:';
  const agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const send = isSecure ? httpsRequest : httpRequest;

  return function post(body: string, signal: AbortSignal | undefined): Promise<IncomingMessage> {
    const { apiKey } = settings;
    return new Promise((resolve, reject) => {
      const request = send(url, {
        method: 'POST',
        agent,
        headers: {
          'content-type': 'application/json',
          accept,
          'user-agent': 'docent',
          ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
          'content-length': String(Buffer.byteLength(body)),
        },
        ...(signal && { signal }),
      });
      request.once('response', resolve);
      request.once('error', reject);
      request.end(body);
    });
  };
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
