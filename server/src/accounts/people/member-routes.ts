/**
 * Who belongs to an organization. Not in the service document. We chose that administrators change and invite
 * people up to their own role, and that an organization keeps at least one owner who can sign in.
 */
import { ChangeRoleRequest, type Member, MembersResponse } from '@docent/shared/members';
import { isAtLeast, type Role } from '@docent/shared/people';
import type { Audit } from '../../notify/audit/audit.ts';
import { type Session, callerActor, organizationOf } from '../../platform/auth/caller.ts';
import { DocentError } from '../../platform/errors.ts';
import { adminInPerson, adminReads, endpointsOf, json } from '../../platform/http/endpoint.ts';
import type { Database } from '../../platform/store/database.ts';
import { lockUntilCommit } from '../../platform/store/lease.ts';
import { assertMayGive, type People } from './people.ts';
import { endSessions, type Sessions } from './sessions.ts';

interface MemberDeps {
  database: Database;
  audit: Pick<Audit, 'record'>;
  people: Pick<People, 'join' | 'leave'>;
  sessions: Pick<Sessions, 'countOf'>;
}

/** A request to change a person, as far as it matters here. */
interface ChangeCall {
  session: Pick<Session, 'person' | 'organization'>;
  params: { id: string };
  request: { ip?: string | undefined };
}

const endpoint = endpointsOf<MemberDeps>('People');

/** After the endpoints of `/v1/people/me`. */
export const memberEndpoints = [
  endpoint('GET /v1/people', {
    id: 'listPeople',
    summary: 'The people of the organization',
    who: adminReads,
    reply: json(MembersResponse, 'People, by name.'),
    run: async ({ caller }, deps) => ({ people: await listMembers(deps, organizationOf(caller)) }),
  }),
  endpoint('PATCH /v1/people/{id}', {
    id: 'changeRole',
    summary: 'Change the role of a person',
    description: 'The last owner stays, and nobody gives a role above their own.',
    who: adminInPerson,
    body: ChangeRoleRequest,
    errors: ['conflict'],
    run: (call, deps) => changeRole(call, deps),
  }),
  endpoint('DELETE /v1/people/{id}', {
    id: 'removePerson',
    summary: 'Take a person out of the organization',
    who: adminInPerson,
    errors: ['conflict'],
    run: (call, deps) => removeMember(call, deps),
  }),
  endpoint('DELETE /v1/people/{id}/sessions', {
    id: 'signPersonOut',
    summary: 'Sign a person out everywhere',
    who: adminInPerson,
    // Also in other organizations: a session can change to this one.
    run: (call, deps) =>
      changing(call, deps, async (transaction) => ({
        type: 'person.signed_out',
        ended: await endSessions(transaction, call.params.id),
      })),
  }),
];

export async function listMembers(
  { database, sessions }: Pick<MemberDeps, 'database' | 'sessions'>,
  organization: string,
): Promise<Member[]> {
  const rows = await database
    .selectFrom('memberships')
    .innerJoin('people', 'people.id', 'memberships.person_id')
    .selectAll('people')
    .select(['memberships.role', 'memberships.created_at as joined_at'])
    .where('memberships.organization', '=', organization)
    .orderBy('people.name')
    .orderBy('people.id')
    .execute();
  const counts = await sessions.countOf(rows.map(({ id }) => id));
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    hasSecondFactor: row.second_factor !== null,
    isDisabled: row.disabled_at !== null,
    joinedAt: row.joined_at,
    lastSeenAt: row.last_seen_at,
    sessions: counts.get(row.id) ?? 0,
  }));
}

/** The person signs in again, and then has the new role. */
export const changeRole = (
  call: ChangeCall & { body: { role: Role; was: Role } },
  deps: MemberDeps,
): Promise<void> =>
  changing(call, deps, async (transaction, role, own) => {
    const { body, params, session } = call;
    if (role !== body.was) {
      throw new DocentError('conflict', `The role is now ${role}. Check it again.`);
    }
    assertMayGive(own, body.role);
    await deps.people.join(transaction, params.id, session.organization, body.role);
    return { type: 'person.role_changed', ...body };
  });

export const removeMember = (call: ChangeCall, deps: MemberDeps): Promise<void> =>
  changing(call, deps, async (transaction, role) => {
    const { organization } = call.session;
    await deps.people.leave(transaction, call.params.id, organization, { isRemembered: true });
    return { type: 'person.removed', role };
  });

/** Changes a person of the organization whose role isn't above that of the person who changes it. */
async function changing(
  { session: { person, organization }, params: { id }, request }: ChangeCall,
  { database, audit }: MemberDeps,
  change: (
    transaction: Database,
    role: Role,
    /** The role of whoever changes it, which may be another one since the request began. */
    own: Role,
  ) => Promise<{ type: string } & Record<string, unknown>>,
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await lockUntilCommit(transaction, `people ${organization}`);
    const rows = await transaction
      .selectFrom('memberships')
      .select(['person_id', 'role'])
      .where('organization', '=', organization)
      .where('person_id', 'in', [id, person.id])
      .execute();
    const roleOf = (one: string) => rows.find((row) => row.person_id === one)?.role;
    const [role, own] = [roleOf(id), roleOf(person.id)];
    if (role === undefined) throw new DocentError('not_found', 'There is no such person.');
    if (own === undefined || !isAtLeast(own, 'admin') || !isAtLeast(own, role)) {
      throw new DocentError('forbidden', `Only people with the role ${role} can change this.`);
    }
    const { type, ...more } = await change(transaction, role, own);
    const data = { person: id, ...more, address: request.ip };
    await audit.record(transaction, { organization, actor: callerActor(person.id), type, data });
  });
}
