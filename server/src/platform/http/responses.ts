/** What holds for every response of the app. */
import type { Express, RequestHandler, Response, Request } from 'express';
import { hideOwnSecrets } from '../redaction/own-secrets.ts';
import { stalledMs } from './stream.ts';
import { deprecation } from '@docent/shared/promises';

const clean = (text: unknown) => (typeof text === 'string' ? hideOwnSecrets(text) : text);

/**
 * No response of the app contains one of the service's own secrets, whatever makes its text. What arrives in
 * pieces, such as the words of a model, is also looked at where the pieces come together.
 */
export function hideSecretsInResponses({ response }: Express): void {
  const own = response as Response;
  for (const name of ['send', 'write', 'end'] as const) {
    const original = own[name] as (...said: unknown[]) => unknown;
    Object.assign(own, {
      [name](this: Response, text: unknown, ...more: unknown[]) {
        return original.call(this, clean(text), ...more);
      },
    });
  }
}

/** No response is read as another type than it says, and nobody keeps a connection by not reading. */
export const guardResponse: RequestHandler = (_request, response, next) => {
  response.set('X-Content-Type-Options', 'nosniff');
  // Once everything is written: streams watch before. Node.js takes the time limit back when the connection
  // is free for the next request.
  response.once('prefinish', () => response.setTimeout(stalledMs, () => response.destroy()));
  next();
};

/**
 * Says on every response of an endpoint of version 1 since when it's deprecated (RFC 9745), when it may go
 * (RFC 8594), and what comes after it (RFC 5829): the same path of version 2.
 */
export function deprecated(request: Request, response: Response, next: () => void): void {
  const since = Date.parse(deprecation.since) / 1_000;
  const successor = request.path.replace('/v1/', '/v2/').replace(/[<>"]/g, encodeURIComponent);
  response.set('Deprecation', `@${since}`);
  response.set('Sunset', new Date(deprecation.sunset).toUTCString());
  response.append('Link', `<${successor}>; rel="successor-version"`);
  next();
}
