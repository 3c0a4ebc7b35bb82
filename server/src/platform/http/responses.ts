/** What holds for every response of the app. */
import type { Express, RequestHandler, Response } from 'express';
import { hideOwnSecrets } from '../redaction/own-secrets.ts';
import { stalledMs } from './stream.ts';

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
