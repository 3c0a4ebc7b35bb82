/** Invitations into an organization: a link that works once, for 7 days, while its sender may give the role. */
import type { Tables } from '../../platform/store/tables.ts';
import type { Invitation, InvitationPreview } from '@docent/shared/members';
import { isAtLeast, type Role } from '@docent/shared/people';
import { type Audit } from '../../notify/audit/audit.ts';
import { DocentError } from '../../platform/errors.ts';
import type { Database } from '../../platform/store/database.ts';
import { lockUntilCommit } from '../../platform/store/lock.ts';
import { assertMayGive, type Editor, roleOf } from './members.ts';
import { namesOf } from './names.ts';
import { requireGoodPassword } from './password-strength.ts';
import { hashPassword } from '../../platform/auth/passwords.ts';
import type { People } from './people.ts';
import { findPersonToken, makePersonToken, usePersonToken } from './person-tokens.ts';
import { callerActor } from '../../platform/auth/caller.ts';

export type Invitations = ReturnType<typeof createInvitations>;

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
        await record(transaction, by, 'person.invited', { invitation: made.id, role });
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
        await record(transaction, by, 'person.invitation_revoked', { invitation: id });
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
        await record(transaction, { person, organization, address }, 'person.joined', data);
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

  async function record(
    transaction: Database,
    { person, organization, address }: Omit<Editor, 'role'>,
    type: string,
    data: Record<string, unknown>,
  ): Promise<void> {
    const actor = callerActor(person.id);
    await audit.record(transaction, { organization, actor, type, data: { ...data, address } });
  }
}

/** The same for a wrong, used, revoked, and expired token, and where the sender may not invite any more. */
const wrongInvitation = () =>
  new DocentError('not_found', 'This invitation is not valid, or has ended. Ask for a new one.');
