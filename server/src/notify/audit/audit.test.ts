import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eachDatabase } from '../../../testing/each-database.ts';
import type { Store } from '../../platform/store/database.ts';
import { createAudit, type NewAuditEntry } from './audit.ts';

const time = new Date('2026-11-21T12:00:00.000Z');
const organization = 'acme';

const entry = (number: number): NewAuditEntry => ({
  organization,
  project: 'acme-docs',
  job: `job-${number}`,
  actor: { kind: 'key', id: 'key-1' },
  type: 'job.tool_call',
  data: { name: 'read', path: `page-${number}.md` },
});

const auditOf = (store: Store) => createAudit({ store, now: () => time });

async function write(store: Store, count: number): Promise<void> {
  const audit = auditOf(store);
  for (let number = 1; number <= count; number++) {
    await store.database.transaction().execute((tx) => audit.record(tx, entry(number)));
  }
}

eachDatabase((openNew, engine) => {
  test('entries are numbered and read newest first', async () => {
    const store = await openNew();
    const { database } = store;
    const audit = auditOf(store);
    await database.transaction().execute(async (tx) => {
      await audit.record(tx, entry(1), entry(2), { ...entry(1), organization: 'other' });
      await audit.record(tx, { organization, actor: { kind: 'system' }, type: 'job.archived' });
    });
    const entries = await audit.list(organization, { limit: 10 });
    expect(entries.map(({ seq }) => seq)).toEqual([3, 2, 1]);
    expect(entries[0]).toEqual({
      organization,
      seq: 3,
      time: time.toISOString(),
      project: null,
      job: null,
      actor: { kind: 'system', id: null },
      type: 'job.archived',
      data: {},
    });
    const of = (query: object) => audit.list(organization, { limit: 10, ...query });
    expect(await of({ job: 'job-2' })).toHaveLength(1);
    expect(await of({ project: 'acme-docs', cursor: 2 })).toHaveLength(1);
    expect(await of({ type: 'job.archived' })).toHaveLength(1);
    expect(await audit.list('nobody', { limit: 10 })).toEqual([]);
  });

  test('a transaction that is rolled back leaves no entry and no gap', async () => {
    const store = await openNew();
    const { database } = store;
    const audit = auditOf(store);
    await write(store, 1);
    const failing = database.transaction().execute(async (tx) => {
      await audit.record(tx, entry(2));
      throw new Error('not after all');
    });
    await expect(failing).rejects.toThrow('not after all');
    await write(store, 1);
    expect((await audit.list(organization, { limit: 9 })).map(({ seq }) => seq)).toEqual([2, 1]);
  });

  test('parallel writers number entries without gaps', async () => {
    const store = await openNew();
    const { database } = store;
    const audit = auditOf(store);
    await Promise.all(
      Array.from({ length: 60 }, (_, number) =>
        database.transaction().execute(async (tx) => {
          await audit.record(tx, entry(number), { ...entry(number), organization: 'other' });
          if (number % 7 === 0) throw new Error('rolled back');
        }),
      ).map((each) => each.catch(() => {})),
    );
    for (const each of [organization, 'other']) {
      const seqs = (await audit.list(each, { limit: 100 })).map(({ seq }) => seq);
      expect(seqs).toEqual(Array.from({ length: 51 }, (_, index) => 51 - index));
    }
  });

  test('an entry has a limited size and no secret', async () => {
    const store = await openNew();
    const { database } = store;
    const audit = auditOf(store);
    const token = `ghp_${'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9v'}xyZ1`;
    const long = 'x'.repeat(5_000);
    const data = {
      token: `use ${token} for it`,
      mail: 'jane.doe@acme.com',
      nul: 'a\0b',
      long,
      list: Array.from({ length: 80 }, (_, index) => index),
      deep: { a: { b: { c: { d: 'too deep' } } } },
      missing: undefined,
    };
    const huge = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`field-${index}`, 'y'.repeat(400)]),
    );
    await database.transaction().execute(async (tx) => {
      await audit.record(tx, { ...entry(1), data }, { ...entry(2), data: huge });
    });
    const [second, first] = await audit.list(organization, { limit: 2 });
    const text = JSON.stringify(first);
    expect(text).not.toContain(token);
    expect(text).not.toContain('jane.doe');
    const sha256 = createHash('sha256').update(long).digest('hex');
    expect(first?.data).toMatchObject({
      nul: 'a\uFFFDb',
      long: { beginning: 'x'.repeat(200), characters: 5_000, sha256 },
    });
    expect(first?.data).toHaveProperty('list.length', 51);
    expect(JSON.stringify(second?.data).length).toBeLessThan(200);
  });

  test('the database refuses to change or delete an entry', async () => {
    const store = await openNew();
    const { database } = store;
    await write(store, 3);
    const audit = database.updateTable('audit').set({ type: 'job.nothing' });
    await expect(audit.execute()).rejects.toThrow(/never changed or deleted/);
    await expect(database.deleteFrom('audit').execute()).rejects.toThrow(
      /never changed or deleted/,
    );
    if (engine === 'postgres') {
      await expect(sql`truncate audit`.execute(database)).rejects.toThrow(/never changed/);
    }
  });

  test('an export holds every entry of the organization, newest first', async () => {
    const store = await openNew();
    const audit = auditOf(store);
    await store.database.transaction().execute((tx) =>
      audit.record(tx, ...Array.from({ length: 1_001 }, (_, number) => entry(number)), {
        ...entry(1),
        organization: 'other',
      }),
    );
    const seqs: number[] = [];
    for await (const page of audit.pages(organization)) seqs.push(...page.map(({ seq }) => seq));
    expect(seqs).toEqual(Array.from({ length: 1_001 }, (_, number) => 1_001 - number));
  });
});
