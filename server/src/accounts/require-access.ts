import { type KeyKind, type KeyScope, keyKind, kindOfScope } from '@docent/shared/keys';
import { isAtLeast } from '@docent/shared/people';
import type { RequestHandler } from 'express';
import type { Keys } from './keys/keys.ts';
import type { Config } from '../platform/config/schema.ts';
import { DocentError } from '../platform/errors.ts';
import type { Sessions } from './people/sessions.ts';
import type { Permission } from '../platform/http/endpoint.ts';
import { requireOwnPage, sessionToken } from './people/sign-in.ts';

/**
 * Accepts an admin key with the scope that an endpoint requires, or a person who is signed in and whose
 * role suffices. Notes the caller, and the session of a person.
 */
export function createRequireAccess(deps: {
  keys: Pick<Keys, 'find'>;
  sessions: Pick<Sessions, 'find'>;
  config: Pick<Config, 'dashboard'>;
}): (permission: Permission) => RequestHandler {
  const { keys, sessions, config } = deps;
  const withKey = {
    read: requireKey(keys, 'read'),
    write: requireKey(keys, 'write'),
  };

  return (permission) =>
    async function requireAccess(request, response, next) {
      const token = sessionToken(request);
      const isForKeys = permission.scope !== undefined;
      if (request.get('authorization') !== undefined || (token === undefined && isForKeys)) {
        if (!isForKeys) throw signIn();
        return withKey[permission.scope ?? 'read'](request, response, next);
      }
      const session = token === undefined ? undefined : await sessions.find(token);
      if (!session || session.needsCode) throw signIn();
      requireOwnPage(request, config.dashboard.publicUrl);
      const { role, organization, person } = session;
      const lacksFactor = config.dashboard.requireSecondFactor && person.second_factor === null;
      if (lacksFactor && permission.isForEnrollment !== true) {
        throw new DocentError('forbidden', 'Set up your second factor first.');
      }
      if (!isAtLeast(role, permission.role)) {
        throw new DocentError(
          'forbidden',
          `This needs the role ${permission.role}, and yours is ${role}. An administrator of ${organization} can change it.`,
        );
      }
      // What a person sees isn't kept by their browser, or by a proxy.
      response.set('Cache-Control', 'no-store');
      response.locals['session'] = session;
      response.locals['caller'] = {
        id: person.id,
        kind: 'person',
        organization,
        domain: undefined,
        scopes: isAtLeast(role, 'editor') ? undefined : ['read'],
        groups: [],
      };
      next();
    };
}

const signIn = () => new DocentError('unauthorized', 'Sign in to the dashboard.');

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
