/** Accounts of the people who use the dashboard, and their roles in organizations. */
import { isAtLeast, type Role } from '@docent/shared/people';
import { type Audit, system } from '../../notify/audit/audit.ts';
import type { Config } from '../../platform/config/schema.ts';
import { DocentError } from '../../platform/errors.ts';
import { newPersonId } from '../../platform/ids.ts';
import type { Database, Tables } from '../../platform/store/database.ts';
import { lockUntilCommit } from '../../platform/store/lease.ts';
import { organizationsOf } from '../../platform/tenants/sites.ts';
import { requireGoodPassword } from './password-strength.ts';
import { hashPassword } from '../../platform/auth/passwords.ts';
import { findPersonToken, makePersonToken, usePersonToken } from './person-tokens.ts';
import { endSessions } from './sessions.ts';
import { callerActor, type Actor } from '../../platform/auth/caller.ts';

export interface Membership {
  name: string;
  role: Role;
}

export type People = ReturnType<typeof createPeople>;

export function createPeople(deps: {
  database: Database;
  now: () => Date;
  audit: Pick<Audit, 'record'>;
  config: Pick<Config, 'sites' | 'projects'>;
}) {
  const { database, now, audit } = deps;
  const organizations = organizationsOf(deps.config);

  return {
    organizations,

    async exist(): Promise<boolean> {
      return (
        (await database.selectFrom('people').select('id').limit(1).executeTakeFirst()) !== undefined
      );
    },

    async byEmail(email: string): Promise<Tables['people'] | undefined> {
      return database
        .selectFrom('people')
        .selectAll()
        .where('email', '=', email.trim().toLowerCase())
        .executeTakeFirst();
    },

    async byId(id: string): Promise<Tables['people'] | undefined> {
      return database.selectFrom('people').selectAll().where('id', '=', id).executeTakeFirst();
    },

    /** The organizations of a person that the configuration has, with the person's role. */
    async membershipsOf(personId: string): Promise<Membership[]> {
      const rows = await database
        .selectFrom('memberships')
        .select(['organization as name', 'role'])
        .where('person_id', '=', personId)
        .where('organization', 'in', organizations)
        .orderBy('organization')
        .execute();
      return rows;
    },

    /** A token for the first account, while there is none. */
    setupToken: () => makePersonToken(database, now(), { purpose: 'setup' }),

    /**
     * Makes the first account, which owns every organization of the configuration. Of several that try at
     * the same time, one succeeds.
     */
    async setUp(
      request: { token: string; email: string; name: string; password: string },
      /** Part of the same transaction. */
      andThen: (transaction: Database, person: Tables['people']) => Promise<void>,
    ): Promise<void> {
      const token = await findPersonToken(database, now(), 'setup', request.token);
      if (!token) throw wrongToken();
      requireGoodPassword(request.password, request);
      const passwordHash = await hashPassword(request.password);
      await database.transaction().execute(async (transaction) => {
        const person = await addFirst(transaction, { ...request, passwordHash });
        if (!person || !(await usePersonToken(transaction, now(), token.id))) throw wrongToken();
        await andThen(transaction, person);
        const entry = { actor: callerActor(person.id), type: 'person.added' };
        await note(transaction, person, entry, { role: 'owner', by: 'setup' });
      });
    },

    /** Makes the account that the environment names, with a hash of its password, unless there is one. */
    async seed({ email, passwordHash }: { email: string; passwordHash: string }): Promise<void> {
      await database.transaction().execute(async (transaction) => {
        const [name = email] = email.split('@');
        const person = await addFirst(transaction, { email, name, passwordHash });
        if (!person) return;
        await note(transaction, person, { actor: system, type: 'person.added' }, { role: 'owner' });
      });
    },

    async list(): Promise<{ person: Tables['people']; roles: Membership[] }[]> {
      const people = await database.selectFrom('people').selectAll().orderBy('email').execute();
      const memberships = await database
        .selectFrom('memberships')
        .select(['person_id', 'organization as name', 'role'])
        .orderBy('organization')
        .execute();
      const byPerson = Map.groupBy(memberships, ({ person_id }) => person_id);
      return people.map((person) => ({ person, roles: byPerson.get(person.id) ?? [] }));
    },

    add,
    join,
    leave,
    wasRemoved,
    change,
    note,
  };

  /**
   * Changes an account. What protects it ends its sessions, so the next request of whoever holds one has
   * to sign in again.
   */
  async function change(
    transaction: Database,
    person: Tables['people'],
    values: Partial<Tables['people']>,
    entry: { actor: Actor; type: string },
    /** The session that makes the change goes on. */
    exceptSessionId?: string,
  ): Promise<void> {
    if (typeof values.disabled_at === 'string') {
      for (const { organization } of await membershipsIn(transaction, person)) {
        // Nobody signs in to an organization that the configuration no longer has.
        if (!organizations.includes(organization)) continue;
        // oxlint-disable-next-line no-await-in-loop -- locks are taken in one order
        await assertOwnerStays(transaction, person.id, organization);
      }
    }
    if (Object.keys(values).length > 0) {
      await transaction.updateTable('people').set(values).where('id', '=', person.id).execute();
    }
    await endSessions(transaction, person.id, { exceptId: exceptSessionId });
    await note(transaction, person, entry);
  }

  async function note(
    transaction: Database,
    person: Pick<Tables['people'], 'id'>,
    entry: { actor: Actor; type: string },
    data: Record<string, unknown> = {},
  ): Promise<void> {
    await audit.record(
      transaction,
      ...(await membershipsIn(transaction, person)).map(({ organization }) => ({
        organization,
        ...entry,
        data: { person: person.id, ...data },
      })),
    );
  }

  function membershipsIn(transaction: Database, person: Pick<Tables['people'], 'id'>) {
    return transaction
      .selectFrom('memberships')
      .select('organization')
      .where('person_id', '=', person.id)
      .orderBy('organization')
      .execute();
  }

  /** Adds an account that owns every organization; undefined: there is an account already. */
  async function addFirst(
    transaction: Database,
    account: Parameters<typeof add>[1],
  ): Promise<Tables['people'] | undefined> {
    await lockUntilCommit(transaction, 'first account');
    if (await transaction.selectFrom('people').select('id').executeTakeFirst()) return undefined;
    const person = await add(transaction, account);
    for (const organization of organizations) {
      await join(transaction, person.id, organization, 'owner');
    }
    return person;
  }

  /** Whether somebody took the person out, and nobody invited them again. */
  async function wasRemoved(
    transaction: Database,
    personId: string,
    organization: string,
  ): Promise<boolean> {
    const row = await transaction
      .selectFrom('removals')
      .select('removed_at')
      .where('person_id', '=', personId)
      .where('organization', '=', organization)
      .executeTakeFirst();
    return row !== undefined;
  }

  async function add(
    transaction: Database,
    { email, name, passwordHash }: { email: string; name: string; passwordHash: string | null },
  ): Promise<Tables['people']> {
    const person: Tables['people'] = {
      id: newPersonId(),
      email,
      name,
      password_hash: passwordHash,
      second_factor: null,
      new_second_factor: null,
      second_factor_step: null,
      recovery_codes: null,
      created_at: now().toISOString(),
      disabled_at: null,
      last_seen_at: null,
    };
    await transaction.insertInto('people').values(person).execute();
    return person;
  }

  /**
   * Takes a person out of an organization, and ends their sessions there. If somebody decided so, it's
   * remembered until they are invited again.
   */
  async function leave(
    transaction: Database,
    personId: string,
    organization: string,
    { isRemembered = false } = {},
  ): Promise<void> {
    await assertOwnerStays(transaction, personId, organization);
    await transaction
      .deleteFrom('memberships')
      .where('person_id', '=', personId)
      .where('organization', '=', organization)
      .execute();
    if (isRemembered) {
      await transaction
        .insertInto('removals')
        .values({ person_id: personId, organization, removed_at: now().toISOString() })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    await endSessions(transaction, personId, { organization });
  }

  /** Gives a person a role in an organization, in place of the one before, and ends their sessions there. */
  async function join(
    transaction: Database,
    personId: string,
    organization: string,
    role: Role,
  ): Promise<void> {
    if (role !== 'owner') await assertOwnerStays(transaction, personId, organization);
    await transaction
      .insertInto('memberships')
      .values({ person_id: personId, organization, role, created_at: now().toISOString() })
      .onConflict((conflict) =>
        conflict.columns(['person_id', 'organization']).doUpdateSet({ role }),
      )
      .execute();
    await transaction
      .deleteFrom('removals')
      .where('person_id', '=', personId)
      .where('organization', '=', organization)
      .execute();
    await endSessions(transaction, personId, { organization });
  }

  /**
   * If the person is an owner, somebody else must own the organization too, who can sign in. Every way to
   * change a role comes through here, one after the other.
   */
  async function assertOwnerStays(
    transaction: Database,
    personId: string,
    organization: string,
  ): Promise<void> {
    await lockUntilCommit(transaction, `people ${organization}`);
    const owners = await transaction
      .selectFrom('memberships')
      .innerJoin('people', 'people.id', 'memberships.person_id')
      .select('people.id')
      .where('memberships.organization', '=', organization)
      .where('memberships.role', '=', 'owner')
      .where('people.disabled_at', 'is', null)
      .execute();
    if (owners.length !== 1 || owners[0]?.id !== personId) return;
    throw new DocentError('conflict', 'This is the last owner. Make somebody else an owner first.');
  }
}

/** The same for a wrong, used, and expired token, and where an account exists. */
const wrongToken = () =>
  new DocentError(
    'unauthorized',
    'This setup token is not valid, or no longer. "docent users setup-token" prints a new one while there is no account.',
    { details: [{ path: 'token', message: 'is not valid, or no longer' }] },
  );

/** The role of a member who can sign in; undefined: no member, or the account is disabled. */
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

/** Nobody gives more than they have. */
export function assertMayGive(own: Role, role: Role): void {
  if (isAtLeast(own, role)) return;
  throw new DocentError('forbidden', `Only people with the role ${role} can give it.`, {
    details: [{ path: 'role', message: `can be given only by people with the role ${role}` }],
  });
}

/** The names of people and keys, by their IDs. People who left and keys that were revoked keep theirs. */
export async function namesOf(
  database: Database,
  ids: Iterable<string | null | undefined>,
): Promise<Map<string, string>> {
  const wanted = [...new Set(ids)].filter((id) => typeof id === 'string');
  if (wanted.length === 0) return new Map();
  const people = await database
    .selectFrom('people')
    .select(['id', 'name'])
    .where('id', 'in', wanted)
    .execute();
  const keys = await database
    .selectFrom('keys')
    .select(['id', 'name', 'hint'])
    .where('id', 'in', wanted)
    .execute();
  return new Map([
    ...people.map(({ id, name }): [string, string] => [id, name]),
    ...keys.map(({ id, name, hint }): [string, string] => [id, name || `…${hint}`]),
  ]);
}
