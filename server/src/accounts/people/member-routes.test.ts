import type { Role } from '@docent/shared/people';
import { expect, test } from 'vitest';
import { eachDatabase } from '../../../testing/each-database.ts';
import { createAudit } from '../../notify/audit/audit.ts';
import { DashboardConfig } from '../../platform/config/dashboard-config.ts';
import { changeRole, listMembers, removeMember } from './member-routes.ts';
import { createPeople } from './people.ts';
import { createSessions } from './sessions.ts';

eachDatabase((openNew) => {
  async function open() {
    const store = await openNew();
    const now = () => new Date();
    const audit = createAudit({ store, now });
    const people = createPeople({ ...store, now, audit, config: { sites: [], projects: [] } });
    const config = { dashboard: DashboardConfig.parse({}) };
    const sessions = createSessions({ database: store.database, now, config });
    const deps = { ...store, audit, people, sessions };
    const add = (name: string) =>
      store.database.transaction().execute(async (transaction) => {
        const email = `${name}@acme.test`;
        const person = await people.add(transaction, { email, name, passwordHash: null });
        await people.join(transaction, person.id, 'acme', 'owner');
        return { person, organization: 'acme' };
      });
    const owners = async () =>
      (await listMembers(deps, 'acme')).filter(({ role }) => role === 'owner').length;
    type By = Awaited<ReturnType<typeof add>>;
    const members = {
      changeRole: (session: By, id: string, body: { role: Role; was: Role }) =>
        changeRole({ session, params: { id }, request: {}, body }, deps),
      remove: (session: By, id: string) =>
        removeMember({ session, params: { id }, request: {} }, deps),
    };
    return { store, members, add, owners };
  }

  test.each(['demote', 'remove'] as const)(
    'of owners who %s each other at the same time, one stays',
    async (how) => {
      const { members, add, owners } = await open();
      const all = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(add));
      const results = await Promise.allSettled(
        all.map((by, index) => {
          const { id } = all[(index + 1) % all.length]?.person ?? { id: '' };
          return how === 'remove'
            ? members.remove(by, id)
            : members.changeRole(by, id, { role: 'viewer', was: 'owner' });
        }),
      );
      expect(await owners()).toBeGreaterThan(0);
      expect(results.some(({ status }) => status === 'rejected')).toBe(true);
    },
  );

  test('of two owners who leave at the same time, one stays', async () => {
    const { members, add, owners } = await open();
    const both = await Promise.all(['a', 'b'].map(add));
    const results = await Promise.allSettled(both.map((by) => members.remove(by, by.person.id)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await owners()).toBe(1);
  });

  test('an owner who cannot sign in does not count', async () => {
    const { store, members, add } = await open();
    const [owner, disabled] = [await add('a'), await add('b')];
    await store.database
      .updateTable('people')
      .set({ disabled_at: new Date().toISOString() })
      .where('id', '=', disabled.person.id)
      .execute();
    await expect(members.remove(owner, owner.person.id)).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});
