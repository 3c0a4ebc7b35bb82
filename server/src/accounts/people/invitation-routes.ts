/** Invitations into an organization: a link that works once, for 7 days, while its sender may give the role. Not in the service document. */
import {
  AcceptRequest,
  type Invitation,
  InvitationPreview,
  InvitationsResponse,
  InviteRequest,
  NewInvitation,
  ReadInvitationRequest,
} from '@docent/shared/members';
import { isAtLeast } from '@docent/shared/people';
import type { Audit } from '../../notify/audit/audit.ts';
import { callerActor, organizationOf } from '../../platform/auth/caller.ts';
import { hashPassword } from '../../platform/auth/passwords.ts';
import { DocentError } from '../../platform/errors.ts';
import { adminInPerson, adminReads, endpointsOf, json } from '../../platform/http/endpoint.ts';
import type { Database, Tables } from '../../platform/store/database.ts';
import { lockUntilCommit } from '../../platform/store/lease.ts';
import { requireGoodPassword } from './password-strength.ts';
import { assertMayGive, namesOf, type People, roleOf } from './people.ts';
import { findPersonToken, makePersonToken, usePersonToken } from './person-tokens.ts';
import { browserOf, ownPage, sessionToken, setSessionCookie, type SignInDeps } from './sign-in.ts';

interface InvitationDeps extends Pick<SignInDeps, 'config' | 'database' | 'sessions'> {
  now: () => Date;
  audit: Pick<Audit, 'record'>;
  people: Pick<People, 'add' | 'join'>;
  baseUrl: () => string;
}

const endpoint = endpointsOf<InvitationDeps>('People');

export const invitationEndpoints = [
  endpoint('GET /v1/invitations', {
    id: 'listInvitations',
    summary: 'Invitations that can still be accepted',
    who: adminReads,
    reply: json(InvitationsResponse, 'Invitations, newest first.'),
    run: async ({ caller }, deps) => ({
      invitations: await show(
        deps.database,
        await openOnes(deps.database, deps.now())
          .where('organization', '=', organizationOf(caller))
          .orderBy('id', 'desc')
          .execute(),
      ),
    }),
  }),

  endpoint('POST /v1/invitations', {
    id: 'invite',
    summary: 'Make a link that invites one person, for 7 days',
    who: adminInPerson,
    body: InviteRequest,
    reply: json(NewInvitation, 'The link, which is shown once.', { status: 201 }),
    async run({ session, body, request }, { database, now, audit, baseUrl }) {
      const { organization, person } = session;
      const { role, email = null } = body;
      return database.transaction().execute(async (transaction) => {
        await lockUntilCommit(transaction, `people ${organization}`);
        // The role may have changed since the request began.
        const own = await roleOf(transaction, person.id, organization);
        if (!own || !isAtLeast(own, 'admin')) {
          throw new DocentError('forbidden', 'Only administrators can invite people.');
        }
        assertMayGive(own, role);
        const given = { email, organization, role, created_by: person.id };
        const { token, row } = await makePersonToken(transaction, now(), {
          purpose: 'invitation',
          ...given,
        });
        const data = { invitation: row.id, role, address: request.ip };
        const type = 'person.invited';
        const actor = callerActor(person.id);
        await audit.record(transaction, { organization, actor, type, data });
        const [invitation] = await show(transaction, [row]);
        const url = `${baseUrl()}/dashboard/invitation?token=${token}`;
        return { invitation: invitation as Invitation, url };
      });
    },
  }),

  endpoint('DELETE /v1/invitations/{id}', {
    id: 'revokeInvitation',
    summary: 'Revoke an invitation',
    who: adminInPerson,
    async run({ session, params: { id }, request }, { database, now, audit }) {
      const { organization, person } = session;
      await database.transaction().execute(async (transaction) => {
        const row = await openOnes(transaction, now())
          .where('organization', '=', organization)
          .where('id', '=', id)
          .executeTakeFirst();
        if (!row || !(await usePersonToken(transaction, now(), id))) {
          throw new DocentError('not_found', 'There is no such invitation.');
        }
        const data = { invitation: id, address: request.ip };
        const type = 'person.invitation_revoked';
        const actor = callerActor(person.id);
        await audit.record(transaction, { organization, actor, type, data });
      });
    },
  }),

  endpoint('POST /v1/invitation', {
    id: 'readInvitation',
    summary: 'What a link invites to',
    who: 'public',
    before: ownPage,
    body: ReadInvitationRequest,
    reply: InvitationPreview,
    errors: ['not_found', 'forbidden'],
    async run({ body: { token } }, { database, now }) {
      const { organization, role, email, created_by } = await find(database, now(), token);
      const names = await namesOf(database, [created_by]);
      return { organization, role, email, invitedBy: names.get(created_by) ?? null };
    },
  }),

  // Of several that accept at the same time, one succeeds.
  endpoint('POST /v1/invitation/accept', {
    id: 'acceptInvitation',
    summary: 'Join an organization, with the account that is signed in or a new one',
    who: 'public',
    before: ownPage,
    body: AcceptRequest,
    errors: ['unauthorized', 'forbidden', 'not_found', 'conflict'],
    async run({ body: { token, account }, request, response }, deps) {
      const { config, database, now, audit, people, sessions } = deps;
      const { passwords, publicUrl, sessionHours: hours } = config.dashboard;
      if (account && !passwords) {
        throw new DocentError('forbidden', 'Sign in first, and open the invitation again.');
      }
      const cookie = sessionToken(request);
      const before = cookie === undefined ? undefined : await sessions.find(cookie);
      const who = account ?? (before?.needsCode ? undefined : before?.person);
      if (!who) throw new DocentError('unauthorized', 'Sign in, or make an account.');
      const invited = await find(database, now(), token);
      if (invited.email !== null && invited.email !== who.email) {
        throw new DocentError('forbidden', `This invitation is for ${invited.email}.`);
      }
      if ('password' in who) requireGoodPassword(who.password, who);
      const passwordHash = 'password' in who ? await hashPassword(who.password) : null;
      const started = await database.transaction().execute(async (transaction) => {
        const { id, organization, role } = await find(transaction, now(), token);
        await lockUntilCommit(transaction, `account ${who.email}`);
        await lockUntilCommit(transaction, `people ${organization}`);
        if (!('id' in who)) await assertNew(transaction, who.email);
        const person = 'id' in who ? who : await people.add(transaction, { ...who, passwordHash });
        if (await roleOf(transaction, person.id, organization)) {
          throw new DocentError('conflict', `You are already a member of ${organization}.`);
        }
        if (!(await usePersonToken(transaction, now(), id))) throw wrongInvitation();
        await people.join(transaction, person.id, organization, role);
        const session = await sessions.start(transaction, {
          personId: person.id,
          organization,
          needsCode: false,
          ...browserOf(request),
        });
        if (before) await transaction.deleteFrom('sessions').where('id', '=', before.id).execute();
        const data = { person: person.id, role, invitation: id, address: request.ip };
        const type = 'person.joined';
        const actor = callerActor(person.id);
        await audit.record(transaction, { organization, actor, type, data });
        return session.token;
      });
      setSessionCookie(request, response, { token: started, publicUrl, hours });
    },
  }),
];

/** Those that can still be accepted. */
const openOnes = (from: Database, now: Date) =>
  from
    .selectFrom('person_tokens')
    .selectAll()
    .where('purpose', '=', 'invitation')
    .where('used_at', 'is', null)
    .where('expires_at', '>', now.toISOString());

async function show(
  database: Database,
  rows: readonly Tables['person_tokens'][],
): Promise<Invitation[]> {
  const names = await namesOf(
    database,
    rows.map((row) => row.created_by),
  );
  return rows.map(({ id, email, role, created_at, created_by, expires_at }) => ({
    id,
    email,
    role: role ?? 'viewer',
    createdAt: created_at,
    createdBy: { kind: 'person', id: created_by, name: names.get(created_by ?? '') ?? null },
    expiresAt: expires_at,
  }));
}

/** A valid invitation whose sender may still give the role. */
async function find(from: Database, now: Date, token: string) {
  const row = await findPersonToken(from, now, 'invitation', token);
  const { organization = null, role = null, created_by = null } = row ?? {};
  if (!row || organization === null || role === null || created_by === null) {
    throw wrongInvitation();
  }
  const own = await roleOf(from, created_by, organization);
  if (!own || !isAtLeast(own, 'admin') || !isAtLeast(own, role)) throw wrongInvitation();
  return { id: row.id, email: row.email, organization, role, created_by };
}

async function assertNew(transaction: Database, email: string): Promise<void> {
  const people = transaction.selectFrom('people').select('id').where('email', '=', email);
  if (!(await people.executeTakeFirst())) return;
  throw new DocentError(
    'conflict',
    'There is an account with this email address. Sign in to it, and open the invitation again.',
    { details: [{ path: 'email', message: 'has an account already: sign in first' }] },
  );
}

/** The same for a wrong, used, revoked, and expired token, and where the sender may not invite any more. */
const wrongInvitation = () =>
  new DocentError('not_found', 'This invitation is not valid, or has ended. Ask for a new one.');
