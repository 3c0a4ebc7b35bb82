import type { KeyKind } from '@docent/shared/keys';
import type { RequestHandler, Response } from 'express';
import { DocentError } from '../errors.ts';
import type { Caller, Keys } from '../keys/key-store.ts';

/** The same words for a missing, malformed, unknown, expired or revoked key: nothing to learn from. */
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

/** Lets a request through with a valid key of the right kind, and notes who calls. */
export function requireKey(keys: Pick<Keys, 'find'>, kind: KeyKind): RequestHandler {
  return async function requireKey(request, response, next) {
    const token = /^Bearer +(\S+) *$/i.exec(request.get('authorization') ?? '')?.[1];
    const caller = token === undefined ? undefined : await keys.find(token);
    if (!caller) throw refused();
    if (caller.kind !== kind) throw new DocentError('forbidden', wrongKind[kind]);
    response.locals['caller'] = caller;
    next();
  };
}

export function callerOf(response: Response): Caller {
  return response.locals['caller'] as Caller;
}
