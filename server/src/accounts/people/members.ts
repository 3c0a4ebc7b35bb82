/**
 * The people of an organization. We chose that administrators change and invite people up to their own role,
 * and that an organization keeps at least one owner who can sign in.
 */
import type { Member, Invitation, InvitationPreview } from '@docent/shared/members';
import { isAtLeast, type Role } from '@docent/shared/people';
import type { Audit } from '../../notify/audit/audit.ts';
import { DocentError } from '../../platform/errors.ts';
import type { Database, Tables } from '../../platform/store/database.ts';
import { lockUntilCommit } from '../../platform/store/lease.ts';
import { type People, namesOf } from './people.ts';
import { endSessions, type Sessions } from './sessions.ts';
import { type Session, callerActor } from '../../platform/auth/caller.ts';
import { requireGoodPassword } from './password-strength.ts';
import { hashPassword } from '../../platform/auth/passwords.ts';
import { findPersonToken, makePersonToken, usePersonToken } from './person-tokens.ts';

/** The person who changes something, and from where. */
export type Editor = Pick<Session, 'person' | 'organization' | 'role'> & {
  address: string | undefined;
};

export type Members = ReturnType<typeof createMembers>;

export function createMembers(deps: {
  database: Database;
  audit: Pick<Audit, 'record'>;
  people: Pick<People, 'join' | 'leave'>;
  sessions: Pick<Sessions, 'countOf'>;
}) {
  const { database, audit, people, sessions } = deps;

  return {
    async list(organization: string): Promise<Member[]> {
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
    },

    /** The person signs in again, and then has the new role. */
    async changeRole(by: Editor, id: string, change: { role: Role; was: Role }): Promise<void> {
      await changing(by, id, async (transaction, role, own) => {
        if (role !== change.was) {
          throw new DocentError('conflict', `The role is now ${role}. Check it again.`);
        }
        assertMayGive({ role: own }, change.role);
        await people.join(transaction, id, by.organization, change.role);
        return { type: 'person.role_changed', ...change };
      });
    },

    async remove(by: Editor, id: string): Promise<void> {
      await changing(by, id, async (transaction, role) => {
        await people.leave(transaction, id, by.organization, { isRemembered: true });
        return { type: 'person.removed', role };
      });
    },

    /** Signs a person out everywhere, also in other organizations: a session can change to this one. */
    async endSessions(by: Editor, id: string): Promise<void> {
      await changing(by, id, async (transaction) => ({
        type: 'person.signed_out',
        ended: await endSessions(transaction, id),
      }));
    },
  };

  /** Changes a person of the organization whose role isn't above the editor's. */
  async function changing(
    by: Editor,
    id: string,
    change: (
      transaction: Database,
      role: Role,
      /** The editor's, which may have changed since the request began. */
      own: Role,
    ) => Promise<{ type: string } & Record<string, unknown>>,
  ): Promise<void> {
    await database.transaction().execute(async (transaction) => {
      await lockUntilCommit(transaction, `people ${by.organization}`);
      const roleOf = await rolesOf(transaction, by.organization);
      const [role, own] = [roleOf.get(id), roleOf.get(by.person.id)];
      if (role === undefined) throw new DocentError('not_found', 'There is no such person.');
      if (own === undefined || !isAtLeast(own, 'admin') || !isAtLeast(own, role)) {
        throw new DocentError('forbidden', `Only people with the role ${role} can change this.`);
      }
      const { type, ...data } = await change(transaction, role, own);
      await record(audit, transaction, by, type, { person: id, ...data });
    });
  }
}

/** Nobody gives more than they have. */
export function assertMayGive(by: Pick<Editor, 'role'>, role: Role): void {
  if (isAtLeast(by.role, role)) return;
  throw new DocentError('forbidden', `Only people with the role ${role} can give it.`, {
    details: [{ path: 'role', message: `can be given only by people with the role ${role}` }],
  });
}

async function rolesOf(transaction: Database, organization: string): Promise<Map<string, Role>> {
  const rows = await transaction
    .selectFrom('memberships')
    .select(['person_id', 'role'])
    .where('organization', '=', organization)
    .execute();
  return new Map(rows.map(({ person_id, role }) => [person_id, role]));
}

/** Undefined: no member, or the account is disabled. */
export async function roleOf(
  from: Database,
  personId: string,
  organization: string,
): Promise<Role | undefined> {
  const row = await from
    .selectFrom('memberships')
    .innerJoin('people', 'people.id', 'memberships.person_id')
    .select('memberships.role')
    .where('person_id', '=', personId)
    .where('organization', '=', organization)
    .where('people.disabled_at', 'is', null)
    .executeTakeFirst();
  return row?.role;
}

export type Invitations = ReturnType<typeof createInvitations>;

/** Invitations into an organization: a link that works once, for 7 days, while its sender may give the role. */
export function createInvitations(deps: {
  database: Database;
  now: () => Date;
  audit: Pick<Audit, 'record'>;
  people: Pick<People, 'add' | 'join'>;
}) {
  const { database, now, audit, people } = deps;

  return {
    /** The token is in the result and nowhere else. */
    async create(
      by: Editor,
      { role, email = null }: { role: Role; email?: string | null | undefined },
    ): Promise<{ invitation: Invitation; token: string }> {
      const { organization, person } = by;
      const made = await database.transaction().execute(async (transaction) => {
        await lockUntilCommit(transaction, `people ${organization}`);
        // The role may have changed since the request began.
        const own = await roleOf(transaction, person.id, organization);
        if (!own || !isAtLeast(own, 'admin')) {
          throw new DocentError('forbidden', 'Only administrators can invite people.');
        }
        assertMayGive({ role: own }, role);
        const given = { email, organization, role, created_by: person.id };
        const made = await makePersonToken(transaction, now(), { purpose: 'invitation', ...given });
        await record(audit, transaction, by, 'person.invited', { invitation: made.id, role });
        return made;
      });
      const invitation = (await this.list(organization)).find(({ id }) => id === made.id);
      if (!invitation) throw new Error('The new invitation is gone');
      return { invitation, token: made.token };
    },

    /** Those that can still be accepted, newest first. */
    async list(organization: string): Promise<Invitation[]> {
      const rows = await open(database)
        .where('organization', '=', organization)
        .orderBy('id', 'desc')
        .execute();
      const names = await namesOf(
        database,
        rows.map((row) => row.created_by),
      );
      return rows.map((row) => ({
        id: row.id,
        email: row.email,
        role: row.role ?? 'viewer',
        createdAt: row.created_at,
        createdBy: {
          kind: 'person',
          id: row.created_by,
          name: names.get(row.created_by ?? '') ?? null,
        },
        expiresAt: row.expires_at,
      }));
    },

    async revoke(by: Editor, id: string): Promise<void> {
      await database.transaction().execute(async (transaction) => {
        const row = await open(transaction)
          .where('organization', '=', by.organization)
          .where('id', '=', id)
          .executeTakeFirst();
        if (!row || !(await usePersonToken(transaction, now(), id))) {
          throw new DocentError('not_found', 'There is no such invitation.');
        }
        await record(audit, transaction, by, 'person.invitation_revoked', { invitation: id });
      });
    },

    async preview(token: string): Promise<InvitationPreview> {
      const { organization, role, email, created_by } = await find(database, token);
      const names = await namesOf(database, [created_by]);
      return { organization, role, email, invitedBy: names.get(created_by) ?? null };
    },

    /**
     * Adds a person to the organization: the one who is signed in, or a new account. Of several that accept at
     * the same time, one succeeds.
     */
    async accept(
      token: string,
      who: Tables['people'] | { email: string; name: string; password: string },
      address: string | undefined,
      /** Part of the same transaction. */
      andThen: (
        transaction: Database,
        person: Tables['people'],
        organization: string,
      ) => Promise<void>,
    ): Promise<void> {
      const invited = await find(database, token);
      if (invited.email !== null && invited.email !== who.email) {
        throw new DocentError('forbidden', `This invitation is for ${invited.email}.`);
      }
      if ('password' in who) requireGoodPassword(who.password, who);
      const passwordHash = 'password' in who ? await hashPassword(who.password) : null;
      await database.transaction().execute(async (transaction) => {
        const { id, organization, role } = await find(transaction, token);
        await lockUntilCommit(transaction, `account ${who.email}`);
        await lockUntilCommit(transaction, `people ${organization}`);
        const person = 'id' in who ? who : await newAccount(transaction, { ...who, passwordHash });
        if (await roleOf(transaction, person.id, organization)) {
          throw new DocentError('conflict', `You are already a member of ${organization}.`);
        }
        if (!(await usePersonToken(transaction, now(), id))) throw wrongInvitation();
        await people.join(transaction, person.id, organization, role);
        await andThen(transaction, person, organization);
        const data = { person: person.id, role, invitation: id };
        await record(audit, transaction, { person, organization, address }, 'person.joined', data);
      });
    },
  };

  function open(from: Database) {
    return from
      .selectFrom('person_tokens')
      .selectAll()
      .where('purpose', '=', 'invitation')
      .where('used_at', 'is', null)
      .where('expires_at', '>', now().toISOString());
  }

  /** A valid invitation whose sender may still give the role. */
  async function find(from: Database, token: string) {
    const row = await findPersonToken(from, now(), 'invitation', token);
    const { organization = null, role = null, created_by = null } = row ?? {};
    if (!row || organization === null || role === null || created_by === null) {
      throw wrongInvitation();
    }
    const own = await roleOf(from, created_by, organization);
    if (!own || !isAtLeast(own, 'admin') || !isAtLeast(own, role)) throw wrongInvitation();
    return { id: row.id, email: row.email, organization, role, created_by };
  }

  async function newAccount(
    transaction: Database,
    account: { email: string; name: string; passwordHash: string | null },
  ): Promise<Tables['people']> {
    const existing = await transaction
      .selectFrom('people')
      .select('id')
      .where('email', '=', account.email)
      .executeTakeFirst();
    if (!existing) return people.add(transaction, account);
    throw new DocentError(
      'conflict',
      'There is an account with this email address. Sign in to it, and open the invitation again.',
      { details: [{ path: 'email', message: 'has an account already: sign in first' }] },
    );
  }
}

/** The same for a wrong, used, revoked, and expired token, and where the sender may not invite any more. */
const wrongInvitation = () =>
  new DocentError('not_found', 'This invitation is not valid, or has ended. Ask for a new one.');

async function record(
  audit: Pick<Audit, 'record'>,
  transaction: Database,
  { person, organization, address }: Omit<Editor, 'role'>,
  type: string,
  data: Record<string, unknown>,
): Promise<void> {
  const actor = callerActor(person.id);
  await audit.record(transaction, { organization, actor, type, data: { ...data, address } });
}
