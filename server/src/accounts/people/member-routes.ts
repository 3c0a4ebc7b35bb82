/**
 * The people of the caller's organization, and invitations. Not in the service document. Keys can read,
 * because a key that could change people could make an owner of its bearer.
 *   GET    /v1/people                   who is a member, and their roles
 *   PATCH  /v1/people/{id}              changes a role: 204
 *   DELETE /v1/people/{id}              takes somebody out of the organization: 204
 *   DELETE /v1/people/{id}/sessions     signs somebody out everywhere: 204
 *   GET    /v1/invitations              those that can still be accepted
 *   POST   /v1/invitations              makes a link, which is shown once: 201
 *   DELETE /v1/invitations/{id}         revokes one: 204
 *   POST   /v1/invitation               what a link invites to (public, with its token)
 *   POST   /v1/invitation/accept        joins, with the session's account or a new one: 204 (public, with its token)
 */
import {
  AcceptRequest,
  ChangeRoleRequest,
  InviteRequest,
  ReadInvitationRequest,
} from '@docent/shared/members';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Config } from '../../platform/config/schema.ts';
import { DocentError } from '../../platform/errors.ts';
import { jsonBody, parse } from '../../platform/http/request.ts';
import { requireOwnPage, sessionToken, setSessionCookie } from './session-cookie.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import type { Invitations } from './invitations.ts';
import type { Editor, Members } from './members.ts';
import type { Sessions } from './sessions.ts';
import { callerOf, organizationOf, sessionOf } from '../../platform/auth/caller.ts';

export interface MemberRouteDeps {
  config: Pick<Config, 'dashboard'>;
  limits: Pick<Limits, 'lookups'>;
  members: Members;
  invitations: Invitations;
  sessions: Sessions;
  mayAccess: RequestHandler[];
  baseUrl: () => string;
}

type OfOne = Request<{ id: string }>;

export function createMemberRoutes(deps: MemberRouteDeps): Router {
  const { config, limits, members, invitations, sessions, mayAccess } = deps;
  const { publicUrl } = config.dashboard;
  const router = Router({ strict: true, caseSensitive: true });
  const { perAddress } = limits.lookups;
  const ownPage: RequestHandler = (request, _response, next) => {
    requireOwnPage(request, publicUrl);
    next();
  };

  router.get('/v1/people', ...mayAccess, async (_request: Request, response: Response) => {
    response.json({ people: await members.list(organizationOf(callerOf(response))) });
  });

  router
    .route('/v1/people/:id')
    .patch(...mayAccess, jsonBody, async (request: OfOne, response: Response) => {
      const change = parse(ChangeRoleRequest, request.body);
      await members.changeRole(editorOf(request, response), request.params.id, change);
      response.status(204).end();
    })
    .delete(...mayAccess, async (request: OfOne, response: Response) => {
      await members.remove(editorOf(request, response), request.params.id);
      response.status(204).end();
    });

  router.delete(
    '/v1/people/:id/sessions',
    ...mayAccess,
    async (request: OfOne, response: Response) => {
      await members.endSessions(editorOf(request, response), request.params.id);
      response.status(204).end();
    },
  );

  router
    .route('/v1/invitations')
    .get(...mayAccess, async (_request: Request, response: Response) => {
      response.json({ invitations: await invitations.list(organizationOf(callerOf(response))) });
    })
    .post(...mayAccess, jsonBody, async (request: Request, response: Response) => {
      const asked = parse(InviteRequest, request.body);
      const { invitation, token } = await invitations.create(editorOf(request, response), asked);
      const url = `${deps.baseUrl()}/dashboard/invitation?token=${token}`;
      response.status(201).json({ invitation, url });
    });

  router.delete('/v1/invitations/:id', ...mayAccess, async (request: OfOne, response: Response) => {
    await invitations.revoke(editorOf(request, response), request.params.id);
    response.status(204).end();
  });

  router.post('/v1/invitation', perAddress, ownPage, jsonBody, async (request, response) => {
    const { token } = parse(ReadInvitationRequest, request.body);
    response.json(await invitations.preview(token));
  });

  router.post('/v1/invitation/accept', perAddress, ownPage, jsonBody, async (request, response) => {
    const { token, account } = parse(AcceptRequest, request.body);
    if (account && !config.dashboard.passwords) {
      throw new DocentError('forbidden', 'Sign in first, and open the invitation again.');
    }
    const cookie = sessionToken(request);
    const before = cookie === undefined ? undefined : await sessions.find(cookie);
    const who = account ?? (before?.needsCode ? undefined : before?.person);
    if (!who) throw new DocentError('unauthorized', 'Sign in, or make an account.');
    let started: string | undefined;
    await invitations.accept(token, who, request.ip, async (transaction, person, organization) => {
      const session = await sessions.start(transaction, {
        personId: person.id,
        organization,
        needsCode: false,
        address: request.ip ?? '',
        userAgent: request.get('user-agent') ?? '',
      });
      if (before) await transaction.deleteFrom('sessions').where('id', '=', before.id).execute();
      started = session.token;
    });
    if (started === undefined) throw new Error('The new member has no session');
    const hours = config.dashboard.sessionHours;
    setSessionCookie(request, response, { token: started, publicUrl, hours });
    response.status(204).end();
  });

  return router;
}

function editorOf(request: Pick<Request, 'ip'>, response: Response): Editor {
  const session = sessionOf(response);
  if (!session) throw new Error('requireAccess let a key pass');
  return { ...session, address: request.ip };
}
