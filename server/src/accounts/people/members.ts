/**
 * The people of an organization. We chose that administrators change and invite people up to their own role,
 * and that an organization keeps at least one owner who can sign in.
 */
import type { Member } from '@docent/shared/members';
import { isAtLeast, type Role } from '@docent/shared/people';
import { type Audit } from '../../notify/audit/audit.ts';
import { DocentError } from '../../platform/errors.ts';
import type { Database } from '../../platform/store/database.ts';
import { lockUntilCommit } from '../../platform/store/lock.ts';
import type { People } from './people.ts';
import { endSessions, type Sessions } from './sessions.ts';
import { type Session, callerActor } from '../../platform/auth/caller.ts';

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

    /** Takes a person out of the organization. The account stays. */
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
      await audit.record(transaction, {
        organization: by.organization,
        actor: callerActor(by.person.id),
        type,
        data: { person: id, ...data, address: by.address },
      });
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
