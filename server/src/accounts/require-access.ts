import { isAtLeast } from '@docent/shared/people';
import type { RequestHandler } from 'express';
import type { Keys } from './keys/keys.ts';
import type { Config } from '../platform/config/schema.ts';
import { DocentError } from '../platform/errors.ts';
import type { Sessions } from './people/sessions.ts';
import type { Permission } from '../platform/http/endpoint.ts';
import { requireKey } from './require-key.ts';
import { requireOwnPage, sessionToken } from './people/session-cookie.ts';

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
