/** Endpoints of the dashboard’s accounts and sessions. */
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
import {
  CodeRequest,
  LinkRequest,
  NewSecondFactor,
  PasswordAndCodeRequest,
  PasswordRequest,
  RecoveryCodesReply,
  SessionReply,
  SessionsReply,
  SetupRequest,
  SignInRequest,
  SwitchRequest,
} from '@docent/shared/people';
import { json, tagged } from './endpoint.ts';

export const peopleEndpoints = [
  ...tagged('People', {
    'GET /v1/session': {
      id: 'getSession',
      summary: 'Who is signed in, what they may do, and how to sign in',
      reply: SessionReply,
    },
    'POST /v1/session': {
      id: 'signIn',
      summary: 'Sign in with a password',
      body: SignInRequest,
      reply: SessionReply,
      errors: ['unauthorized', 'forbidden', 'unavailable'],
    },
    'PATCH /v1/session': {
      id: 'switchOrganization',
      summary: 'Go to another organization',
      body: SwitchRequest,
      reply: SessionReply,
      errors: ['not_found'],
    },
    'DELETE /v1/session': {
      id: 'signOut',
      summary: 'Sign out',
      errors: ['forbidden'],
    },
    'POST /v1/session/second-factor': {
      id: 'signInWithCode',
      summary: 'Send the code of the second factor that a sign-in lacks',
      body: CodeRequest,
      reply: SessionReply,
      errors: ['unauthorized', 'forbidden'],
    },
    'POST /v1/session/link': {
      id: 'signInWithLink',
      summary: 'Sign in with a link that works once, and set a password',
      body: LinkRequest,
      reply: SessionReply,
      errors: ['unauthorized', 'forbidden'],
    },
    'POST /v1/setup': {
      id: 'setUp',
      summary: 'Make the first account, with the token that the server printed',
      body: SetupRequest,
      reply: json(SessionReply, 'The session of the new owner.', { status: 201 }),
      errors: ['unauthorized', 'forbidden'],
    },
    'GET /v1/people/me/sessions': {
      id: 'listOwnSessions',
      summary: 'Where this person is signed in',
      reply: json(SessionsReply, 'Sessions, the newest first.'),
    },
    'DELETE /v1/people/me/sessions': {
      id: 'endOtherSessions',
      summary: 'Sign out everywhere else',
    },
    'DELETE /v1/people/me/sessions/{id}': {
      id: 'endOwnSession',
      summary: 'Sign out one browser',
    },
    'POST /v1/people/me/password': {
      id: 'changePassword',
      summary: 'Change the password, and sign out everywhere else',
      body: PasswordRequest,
    },
    'POST /v1/people/me/second-factor': {
      id: 'newSecondFactor',
      summary: 'Get a secret for an authenticator app',
      reply: json(NewSecondFactor, 'The secret, which waits for its first code.'),
      errors: ['conflict', 'unsupported_media_type'],
    },
    'DELETE /v1/people/me/second-factor': {
      id: 'removeSecondFactor',
      summary: 'Remove the second factor',
      body: PasswordAndCodeRequest,
    },
    'POST /v1/people/me/second-factor/confirm': {
      id: 'confirmSecondFactor',
      summary: 'Switch the second factor on with its first code',
      body: PasswordAndCodeRequest,
      reply: json(RecoveryCodesReply, 'Recovery codes, shown once.'),
      errors: ['conflict'],
    },
    'POST /v1/people/me/second-factor/recovery-codes': {
      id: 'renewRecoveryCodes',
      summary: 'Replace the recovery codes',
      body: PasswordAndCodeRequest,
      reply: json(RecoveryCodesReply, 'Recovery codes, shown once. The old ones no longer work.'),
      errors: ['conflict'],
    },
    'GET /v1/people': {
      id: 'listPeople',
      summary: 'The people of the organization',
      reply: json(MembersResponse, 'People, by name.'),
    },
    'PATCH /v1/people/{id}': {
      id: 'changeRole',
      summary: 'Change the role of a person',
      description: 'The last owner stays, and nobody gives a role above their own.',
      body: ChangeRoleRequest,
      errors: ['conflict'],
    },
    'DELETE /v1/people/{id}': {
      id: 'removePerson',
      summary: 'Take a person out of the organization',
      errors: ['conflict'],
    },
    'DELETE /v1/people/{id}/sessions': {
      id: 'signPersonOut',
      summary: 'Sign a person out everywhere',
    },
    'GET /v1/invitations': {
      id: 'listInvitations',
      summary: 'Invitations that can still be accepted',
      reply: json(InvitationsResponse, 'Invitations, newest first.'),
    },
    'POST /v1/invitations': {
      id: 'invite',
      summary: 'Make a link that invites one person, for 7 days',
      body: InviteRequest,
      reply: json(NewInvitation, 'The link, which is shown once.', { status: 201 }),
    },
    'DELETE /v1/invitations/{id}': {
      id: 'revokeInvitation',
      summary: 'Revoke an invitation',
    },
    'POST /v1/invitation': {
      id: 'readInvitation',
      summary: 'What a link invites to',
      body: ReadInvitationRequest,
      reply: InvitationPreview,
      errors: ['not_found', 'forbidden'],
    },
    'POST /v1/invitation/accept': {
      id: 'acceptInvitation',
      summary: 'Join an organization, with the account that is signed in or a new one',
      body: AcceptRequest,
      errors: ['unauthorized', 'forbidden', 'not_found', 'conflict'],
    },
  }),
];
