import type { Express, Response } from 'express';
import { hideOwnSecrets } from '../redaction/own-secrets.ts';

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
