import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { eachDatabase } from '../../testing/each-database.ts';
import type { Database } from '../store/database.ts';
import { createAudit, type NewAuditEntry } from './audit.ts';
import { canonical } from './canonical.ts';
import { beginning, hashOf } from './entry.ts';
import { readEntries, toHead, verifyAudit, verifyChain } from './verify.ts';

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

const partsOf = (database: Database) => createAudit({ database, now: () => time });

async function write(database: Database, count: number): Promise<void> {
  const audit = partsOf(database);
  for (let number = 1; number <= count; number++) {
    await database.transaction().execute((tx) => audit.record(tx, [entry(number)]));
  }
}

/** As somebody does who has the rights of the database's owner. */
async function withoutTriggers(database: Database, engine: 'sqlite' | 'postgres'): Promise<void> {
  if (engine === 'postgres') {
    await sql`alter table audit disable trigger user`.execute(database);
    await sql`alter table audit_heads disable trigger user`.execute(database);
    return;
  }
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_master where type = 'trigger' and name like 'audit%'`.execute(database);
  for (const { name } of rows) await sql`drop trigger ${sql.ref(name)}`.execute(database);
}

const at = (seq: number) => ({ organization, seq });

eachDatabase((openNew, engine) => {
  test('entries are numbered, chained, and read newest first', async () => {
    const { database } = await openNew();
    const audit = partsOf(database);
    await database.transaction().execute(async (tx) => {
      await audit.record(tx, [entry(1), entry(2), { ...entry(1), organization: 'other' }]);
      await audit.record(tx, [{ organization, actor: { kind: 'system' }, type: 'job.archived' }]);
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
      previous: entries[1]?.hash,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(entries[2]?.previous).toBe(beginning);
    const of = (query: object) => audit.list(organization, { limit: 10, ...query });
    expect(await of({ job: 'job-2' })).toHaveLength(1);
    expect(await of({ project: 'acme-docs', before: 2 })).toHaveLength(1);
    expect(await of({ type: 'job.archived' })).toHaveLength(1);
    expect(await audit.list('nobody', { limit: 10 })).toEqual([]);
    expect(await audit.heads()).toEqual([
      { organization, seq: 3, hash: entries[0]?.hash },
      { organization: 'other', seq: 1, hash: expect.any(String) },
    ]);
    expect((await verifyAudit(database)).faults).toEqual([]);
  });

  test('what is rolled back leaves no entry and no gap', async () => {
    const { database } = await openNew();
    const audit = partsOf(database);
    await write(database, 1);
    const failing = database.transaction().execute(async (tx) => {
      await audit.record(tx, [entry(2)]);
      throw new Error('not after all');
    });
    await expect(failing).rejects.toThrow('not after all');
    await write(database, 1);
    expect((await audit.list(organization, { limit: 9 })).map(({ seq }) => seq)).toEqual([2, 1]);
    expect((await verifyAudit(database)).faults).toEqual([]);
  });

  test('parallel writers make one chain without gaps', async () => {
    const { database } = await openNew();
    const audit = partsOf(database);
    await Promise.all(
      Array.from({ length: 60 }, (_, number) =>
        database.transaction().execute(async (tx) => {
          await audit.record(tx, [entry(number), { ...entry(number), organization: 'other' }]);
          if (number % 7 === 0) throw new Error('rolled back');
        }),
      ).map((each) => each.catch(() => {})),
    );
    const { faults, heads } = await verifyAudit(database);
    expect(faults).toEqual([]);
    expect(heads.map(({ seq }) => seq)).toEqual([51, 51]);
  });

  test('what an entry keeps is bounded, and holds no secret', async () => {
    const { database } = await openNew();
    const audit = partsOf(database);
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
      await audit.record(tx, [
        { ...entry(1), data },
        { ...entry(2), data: huge },
      ]);
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
    expect((await verifyAudit(database)).faults).toEqual([]);
  });

  test('the database refuses to change or delete an entry, or to move the end back', async () => {
    const { database } = await openNew();
    await write(database, 3);
    const audit = database.updateTable('audit').set({ type: 'job.nothing' });
    await expect(audit.execute()).rejects.toThrow(/never changed or deleted/);
    await expect(database.deleteFrom('audit').execute()).rejects.toThrow(
      /never changed or deleted/,
    );
    const heads = database.updateTable('audit_heads').set({ seq: 2 });
    await expect(heads.execute()).rejects.toThrow(/only moves forward/);
    await expect(database.deleteFrom('audit_heads').execute()).rejects.toThrow(
      /only moves forward/,
    );
    if (engine === 'postgres') {
      await expect(sql`truncate audit`.execute(database)).rejects.toThrow(/never changed/);
      await expect(sql`truncate audit_heads`.execute(database)).rejects.toThrow(/only moves/);
    }
    expect((await verifyAudit(database)).faults).toEqual([]);
  });

  describe('verify names the entry that was tampered with', () => {
    const change = (values: object) => async (database: Database) => {
      await database.updateTable('audit').set(values).where('seq', '=', 3).execute();
    };
    const otherHash = 'f'.repeat(64);

    test.each<[what: string, tamper: (database: Database) => Promise<unknown>, seqs: number[]]>([
      ['its time', change({ time: '2026-11-21T12:00:00.001Z' }), [3]],
      ['its project', change({ project: 'other' }), [3]],
      ['no project', change({ project: null }), [3]],
      ['its job', change({ job_id: 'job-9' }), [3]],
      ['the kind of its actor', change({ actor_kind: 'system' }), [3]],
      ['its actor', change({ actor_id: 'key-2' }), [3]],
      ['its type', change({ type: 'job.created' }), [3]],
      ['its data', change({ data: '{"name":"read","path":"page-4.md"}' }), [3]],
      ['a space in its data', change({ data: '{"name":"read", "path":"page-3.md"}' }), [3]],
      ['data that is no JSON', change({ data: '{' }), [3]],
      ['its hash', change({ hash: otherHash }), [3, 4]],
      ['the hash that it follows', change({ previous: otherHash }), [3, 3]],
      ['its number', change({ seq: 33 }), [4, 33, 33, 33]],
      ['its organization', change({ organization: 'zeta' }), [4, 3, 3, 3]],
      [
        'deleted in the middle',
        (database) => database.deleteFrom('audit').where('seq', '=', 3).execute(),
        [4],
      ],
      [
        'deleted at the beginning',
        (database) => database.deleteFrom('audit').where('seq', '<=', 2).execute(),
        [3],
      ],
      [
        'cut off at the end',
        (database) => database.deleteFrom('audit').where('seq', '>=', 4).execute(),
        [6],
      ],
      ['all of it', (database) => database.deleteFrom('audit').execute(), [6]],
      ['the end not noted', (database) => database.deleteFrom('audit_heads').execute(), [6]],
      [
        'added at the end',
        async (database) => {
          const last = await database
            .selectFrom('audit')
            .selectAll()
            .where('seq', '=', 6)
            .executeTakeFirstOrThrow();
          const forged = {
            organization,
            seq: 7,
            time: last.time,
            project: null,
            job: null,
            actor: { kind: 'system', id: null },
            type: 'job.archived',
            data: {},
            previous: last.hash,
          };
          const row = { ...last, seq: 7, previous: last.hash, hash: hashOf(forged) };
          await database
            .insertInto('audit')
            .values({
              ...row,
              project: null,
              job_id: null,
              actor_kind: 'system',
              actor_id: null,
              type: 'job.archived',
              data: '{}',
            })
            .execute();
        },
        [7],
      ],
      [
        'inserted in the middle, the later ones numbered anew',
        async (database) => {
          for (const seq of [6, 5, 4]) {
            await database
              .updateTable('audit')
              .set({ seq: seq + 1 })
              .where('seq', '=', seq)
              .execute();
          }
          const third = await database
            .selectFrom('audit')
            .selectAll()
            .where('seq', '=', 3)
            .executeTakeFirstOrThrow();
          await database
            .insertInto('audit')
            .values({ ...third, seq: 4 })
            .execute();
        },
        [4, 4, 5, 6, 7, 7],
      ],
      [
        'two exchanged',
        async (database) => {
          for (const [from, to] of [
            [3, 100],
            [4, 3],
            [100, 4],
          ] as const) {
            await database.updateTable('audit').set({ seq: to }).where('seq', '=', from).execute();
          }
        },
        [3, 3, 4, 4, 5],
      ],
    ])('%s', async (_what, tamper, seqs) => {
      const { database } = await openNew();
      await write(database, 6);
      await withoutTriggers(database, engine);
      await tamper(database);
      const { faults } = await verifyAudit(database);
      expect(faults.map(({ seq }) => seq)).toEqual(seqs);
    });

    test('written anew from the middle on: only a head that was kept elsewhere shows it', async () => {
      const { database } = await openNew();
      await write(database, 6);
      const [head] = await partsOf(database).heads();
      if (!head) throw new Error('There is no head');
      await withoutTriggers(database, engine);
      await database.deleteFrom('audit').where('seq', '>=', 3).execute();
      const second = await database
        .selectFrom('audit')
        .select('hash')
        .where('seq', '=', 2)
        .executeTakeFirstOrThrow();
      await database.updateTable('audit_heads').set({ seq: 2, hash: second.hash }).execute();
      expect((await verifyAudit(database)).faults).toEqual([]);
      expect((await verifyAudit(database, { kept: [head] })).faults).toEqual([
        { ...at(6), message: 'entries 3 to 6 are missing at the end' },
      ]);
      const audit = partsOf(database);
      const forged = [3, 4, 5, 6, 7].map((number) => ({ ...entry(number), type: 'job.forged' }));
      await database.transaction().execute((tx) => audit.record(tx, forged));
      expect((await verifyAudit(database)).faults).toEqual([]);
      expect((await verifyAudit(database, { kept: [head] })).faults).toEqual([
        { ...at(6), message: 'it is not the one that was kept: the trail was written anew' },
      ]);
      expect((await verifyAudit(database, { organization: 'other', kept: [head] })).heads).toEqual(
        [],
      );
    });
  });

  test('an export can be verified without the database', async () => {
    const { database } = await openNew();
    await write(database, 3);
    const lines: string[] = [];
    for await (const each of readEntries(database, { organization })) {
      lines.push(JSON.stringify(each));
    }
    async function* parsed(from = lines) {
      for (const line of from) yield JSON.parse(line) as never;
    }
    const good = await verifyChain(organization, parsed());
    expect(good.faults).toEqual([]);
    expect(good.end).toEqual((await partsOf(database).heads())[0]);
    const changed = lines.map((line) => line.replace('page-2.md', 'page-5.md'));
    const { faults } = await verifyChain(organization, parsed(changed));
    expect(faults).toEqual([{ ...at(2), message: 'it is not what was written' }]);
  });
});

test('JSON as RFC 8785 has it', () => {
  expect(canonical({ b: [1.5, 1e21, -0, 'é\u2028"\n'], a: { z: null, y: undefined } })).toBe(
    '{"a":{"z":null},"b":[1.5,1e+21,0,"é\u2028\\"\\n"]}',
  );
  // Names are sorted by UTF-16 units, as the RFC's own example has them.
  const names = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
  const text = canonical(Object.fromEntries(names.map((name) => [name, 0])));
  expect(Object.keys(JSON.parse(text) as object).slice(1)).toEqual([
    '\r',
    '\u0080',
    '\u00f6',
    '\u20ac',
    '\ud83d\ude00',
    '\ufb33',
  ]);
});

test('a head as the command line writes it', () => {
  const hash = 'a'.repeat(64);
  expect(toHead(`acme:12:${hash}`)).toEqual({ organization: 'acme', seq: 12, hash });
  expect(toHead(`acme:x:${hash}`)).toBeUndefined();
  expect(toHead('acme')).toBeUndefined();
});
