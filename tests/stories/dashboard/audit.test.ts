/** The audit log over HTTP: filtered, with names, and as a file. */
import type { AuditEntry } from '@docent/shared/audit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addPerson } from '../../support/person.ts';
import { startDocent, type TestDocent } from '../../support/start-docent.ts';

let docent: TestDocent;
let person: Awaited<ReturnType<typeof addPerson>>;
let now: Date;
const hourMs = 3_600_000;

beforeAll(async () => {
  now = new Date('2026-11-01T12:00:00Z');
  docent = await startDocent({ now: () => now });
  person = await addPerson(docent, 'admin');
  await docent.keys.create({ kind: 'assistant', organization: 'osprey', name: 'of others' });
  for (const name of ['one', '=two, "quoted"']) {
    now = new Date(now.getTime() + hourMs);
    await person.fetch('/v1/keys', { method: 'POST', body: { kind: 'assistant', name } });
  }
});
afterAll(() => docent[Symbol.asyncDispose]());

const log = async (query = '') => {
  const response = await person.fetch(`/v1/audit?${query}`);
  expect(response.status).toBe(200);
  const { entries } = (await response.json()) as { entries: AuditEntry[] };
  return entries.map(({ data, actor }) => [(data as { name: string }).name, actor.name]);
};

test('by who did it, what, and when', async () => {
  const ours = [
    ['=two, "quoted"', 'A admin'],
    ['one', 'A admin'],
  ];
  expect(await log()).toHaveLength(4);
  expect(await log(`actor=${person.id}`)).toEqual(ours);
  expect(await log('actor=command-line')).toHaveLength(2);
  expect(await log('actor=person')).toEqual(ours);
  expect(await log('type=key.created')).toHaveLength(4);
  expect(await log('type=key')).toHaveLength(4);
  expect(await log('type=ke')).toEqual([]);
  expect(await log('from=2026-11-01T13:00:00Z')).toEqual(ours);
  expect(await log('from=2026-11-01T15:00:00%2B01:00')).toEqual(ours.slice(0, 1));
  expect(await log('from=2026-11-01T12:30:00Z&to=2026-11-01T14:00:00Z')).toEqual(ours.slice(1));
});

test('as JSON lines and as a table, with the same filters', async () => {
  const file = async (format: string) => {
    const response = await person.fetch(`/v1/audit?actor=person&format=${format}&limit=1`);
    const named = `attachment; filename=kestrel-audit.${format}`;
    expect(response.headers.get('content-disposition')).toBe(named);
    return response.text();
  };
  const lines = (await file('jsonl')).trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as AuditEntry).seq)).toEqual([4, 3]);
  const [head, first, second] = (await file('csv')).split('\r\n');
  expect(head).toBe('seq,time,type,actorKind,actorId,actorName,subject,project,job,data');
  expect(first).toContain(`4,2026-11-01T14:00:00.000Z,key.created,person,${person.id},A admin,,,,`);
  // A cell with quotation marks, doubled.
  expect(first).toContain('"{""key"":');
  expect(second).toMatch(/^3,/);
});
