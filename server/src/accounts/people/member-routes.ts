/** Who belongs to an organization. Not in the service document. */
import {
  AcceptRequest,
  ChangeRoleRequest,
  InvitationPreview,
  InvitationsResponse,
  InviteRequest,
  MembersResponse,
  NewInvitation,
  ReadInvitationRequest,
} from '@docent/shared/members';
import type { Request } from 'express';
import { type Session, organizationOf } from '../../platform/auth/caller.ts';
import type { Config } from '../../platform/config/schema.ts';
import { DocentError } from '../../platform/errors.ts';
import { adminInPerson, adminReads, endpointsOf, json } from '../../platform/http/endpoint.ts';
import type { Invitations, Editor, Members } from './members.ts';
import { ownPage, sessionToken, setSessionCookie, browserOf } from './sign-in.ts';
import type { Sessions } from './sessions.ts';

interface MemberDeps {
  config: Pick<Config, 'dashboard'>;
  members: Members;
  invitations: Invitations;
  sessions: Sessions;
  baseUrl: () => string;
}

const endpoint = endpointsOf<MemberDeps>('People');

const editorOf = ({ session, request }: { session: Session; request: Request }): Editor => ({
  ...session,
  address: request.ip,
});

/** After the endpoints of `/v1/people/me`. */
export const memberEndpoints = [
  endpoint('GET /v1/people', {
    id: 'listPeople',
    summary: 'The people of the organization',
    who: adminReads,
    reply: json(MembersResponse, 'People, by name.'),
    run: async ({ caller }, { members }) => ({
      people: await members.list(organizationOf(caller)),
    }),
  }),
  endpoint('PATCH /v1/people/{id}', {
    id: 'changeRole',
    summary: 'Change the role of a person',
    description: 'The last owner stays, and nobody gives a role above their own.',
    who: adminInPerson,
    body: ChangeRoleRequest,
    errors: ['conflict'],
    run: (call, { members }) => members.changeRole(editorOf(call), call.params.id, call.body),
  }),
  endpoint('DELETE /v1/people/{id}', {
    id: 'removePerson',
    summary: 'Take a person out of the organization',
    who: adminInPerson,
    errors: ['conflict'],
    run: (call, { members }) => members.remove(editorOf(call), call.params.id),
  }),
  endpoint('DELETE /v1/people/{id}/sessions', {
    id: 'signPersonOut',
    summary: 'Sign a person out everywhere',
    who: adminInPerson,
    run: (call, { members }) => members.endSessions(editorOf(call), call.params.id),
  }),
  endpoint('GET /v1/invitations', {
    id: 'listInvitations',
    summary: 'Invitations that can still be accepted',
    who: adminReads,
    reply: json(InvitationsResponse, 'Invitations, newest first.'),
    run: async ({ caller }, { invitations }) => ({
      invitations: await invitations.list(organizationOf(caller)),
    }),
  }),
  endpoint('POST /v1/invitations', {
    id: 'invite',
    summary: 'Make a link that invites one person, for 7 days',
    who: adminInPerson,
    body: InviteRequest,
    reply: json(NewInvitation, 'The link, which is shown once.', { status: 201 }),
    async run(call, { invitations, baseUrl }) {
      const { invitation, token } = await invitations.create(editorOf(call), call.body);
      return { invitation, url: `${baseUrl()}/dashboard/invitation?token=${token}` };
    },
  }),
  endpoint('DELETE /v1/invitations/{id}', {
    id: 'revokeInvitation',
    summary: 'Revoke an invitation',
    who: adminInPerson,
    run: (call, { invitations }) => invitations.revoke(editorOf(call), call.params.id),
  }),
  endpoint('POST /v1/invitation', {
    id: 'readInvitation',
    summary: 'What a link invites to',
    who: 'public',
    before: ownPage,
    body: ReadInvitationRequest,
    reply: InvitationPreview,
    errors: ['not_found', 'forbidden'],
    run: ({ body }, { invitations }) => invitations.preview(body.token),
  }),
  endpoint('POST /v1/invitation/accept', {
    id: 'acceptInvitation',
    summary: 'Join an organization, with the account that is signed in or a new one',
    who: 'public',
    before: ownPage,
    body: AcceptRequest,
    errors: ['unauthorized', 'forbidden', 'not_found', 'conflict'],
    async run({ body, request, response }, { config, invitations, sessions }) {
      const { token, account } = body;
      const { passwords, publicUrl, sessionHours: hours } = config.dashboard;
      if (account && !passwords) {
        throw new DocentError('forbidden', 'Sign in first, and open the invitation again.');
      }
      const cookie = sessionToken(request);
      const before = cookie === undefined ? undefined : await sessions.find(cookie);
      const who = account ?? (before?.needsCode ? undefined : before?.person);
      if (!who) throw new DocentError('unauthorized', 'Sign in, or make an account.');
      let started: string | undefined;
      await invitations.accept(
        token,
        who,
        request.ip,
        async (transaction, person, organization) => {
          const session = await sessions.start(transaction, {
            personId: person.id,
            organization,
            needsCode: false,
            ...browserOf(request),
          });
          if (before) {
            await transaction.deleteFrom('sessions').where('id', '=', before.id).execute();
          }
          started = session.token;
        },
      );
      if (started === undefined) throw new Error('The new member has no session');
      setSessionCookie(request, response, { token: started, publicUrl, hours });
    },
  }),
];
