import { type KeyKind, type KeyScope, keyKind, kindOfScope } from '@docent/shared/keys';
import type { RequestHandler } from 'express';
import { DocentError } from '../platform/errors.ts';
import type { Keys } from './keys/keys.ts';

/**
 * The same message for a missing, malformed, unknown, expired or revoked key, and for a key that may not
 * be used from this address, so that it reveals nothing.
 */
const refused = () =>
  new DocentError(
    'unauthorized',
    'The API key is missing or not valid. Send one as `Authorization: Bearer <key>`.',
  );

const wrongKind: Record<KeyKind, string> = {
  admin: 'This endpoint takes an admin key (svc_…), not an assistant key.',
  assistant:
    'This endpoint takes an assistant key (svc_dsc_…); keep the admin key on your servers.',
};

/** Accepts requests with a valid key that may do this, and notes the caller. */
export function requireKey(keys: Pick<Keys, 'find'>, scope: KeyScope): RequestHandler {
  const kind = kindOfScope(scope);
  return async function requireKey(request, response, next) {
    const token = /^Bearer +(\S+) *$/i.exec(request.get('authorization') ?? '')?.[1];
    const caller = token === undefined ? undefined : await keys.find(token, request.ip);
    if (token === undefined || !caller) throw refused();
    if (keyKind(token) !== kind) throw new DocentError('forbidden', wrongKind[kind]);
    if (caller.scopes && !caller.scopes.includes(scope)) {
      throw new DocentError('forbidden', `This key doesn't have the scope "${scope}".`);
    }
    response.locals['caller'] = caller;
    next();
  };
}
