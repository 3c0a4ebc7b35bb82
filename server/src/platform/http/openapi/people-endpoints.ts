/** Endpoints of the dashboard's accounts and sessions. */
import {
  PasswordRequest,
  SessionReply,
  SessionsReply,
  SetupRequest,
  SignInRequest,
  SwitchRequest,
} from '@docent/shared/people';
import { type Endpoint, json, type Reply } from './endpoint.ts';

const done: Reply = { status: 204, description: 'Done.' };
const session = json(SessionReply, 'The session.');
const asked = ['bad_request', 'unsupported_media_type', 'too_large', 'rate_limited'] as const;

export const peopleEndpoints: Endpoint[] = [
  {
    method: 'get',
    path: '/v1/session',
    id: 'getSession',
    tag: 'People',
    summary: 'Who is signed in, what they may do, and how to sign in',
    replies: [session],
    errors: ['rate_limited'],
  },
  {
    method: 'post',
    path: '/v1/session',
    id: 'signIn',
    tag: 'People',
    summary: 'Sign in with a password',
    body: SignInRequest,
    replies: [session],
    errors: [...asked, 'unauthorized', 'forbidden'],
  },
  {
    method: 'patch',
    path: '/v1/session',
    id: 'switchOrganization',
    tag: 'People',
    summary: 'Go to another organization',
    body: SwitchRequest,
    replies: [session],
    errors: [...asked, 'not_found'],
  },
  {
    method: 'delete',
    path: '/v1/session',
    id: 'signOut',
    tag: 'People',
    summary: 'Sign out',
    replies: [done],
    errors: ['rate_limited', 'forbidden'],
  },
  {
    method: 'post',
    path: '/v1/setup',
    id: 'setUp',
    tag: 'People',
    summary: 'Make the first account, with the token that the server printed',
    body: SetupRequest,
    replies: [json(SessionReply, 'The session of the new owner.', { status: 201 })],
    errors: [...asked, 'unauthorized', 'forbidden'],
  },
  {
    method: 'get',
    path: '/v1/people/me/sessions',
    id: 'listOwnSessions',
    tag: 'People',
    summary: 'Where this person is signed in',
    replies: [json(SessionsReply, 'Sessions, the newest first.')],
    errors: ['rate_limited'],
  },
  {
    method: 'delete',
    path: '/v1/people/me/sessions',
    id: 'endOtherSessions',
    tag: 'People',
    summary: 'Sign out everywhere else',
    replies: [done],
    errors: ['rate_limited'],
  },
  {
    method: 'delete',
    path: '/v1/people/me/sessions/{id}',
    id: 'endOwnSession',
    tag: 'People',
    summary: 'Sign out one browser',
    parameters: { id: 'The session’s identifier.' },
    replies: [done],
    errors: ['not_found', 'rate_limited'],
  },
  {
    method: 'post',
    path: '/v1/people/me/password',
    id: 'changePassword',
    tag: 'People',
    summary: 'Change the password, and sign out everywhere else',
    body: PasswordRequest,
    replies: [done],
    errors: asked,
  },
];
