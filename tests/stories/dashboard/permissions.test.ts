/** The permission table, cell by cell: every admin endpoint with every role, and with keys. */
import { isAtLeast, roles } from '@docent/shared/people';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addPerson } from '../../support/person.ts';
import { startDocent, type TestDocent } from '../../support/start-docent.ts';

interface Operation {
  security: Record<string, string[]>[];
  'x-role'?: (typeof roles)[number];
}

let docent: TestDocent;
let operations: [method: string, path: string, operation: Operation][];

beforeAll(async () => {
  docent = await startDocent({
    projects: [
      { id: 'kestrel', organization: 'kestrel', repository: 'https://github.com/kestrel/docs' },
      { id: 'osprey', organization: 'osprey', repository: 'https://github.com/osprey/docs' },
    ],
  });
  const described = (await (await fetch(`${docent.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  operations = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security.some((each) => 'session' in each))
      .map(([method, operation]): [string, string, Operation] => [
        method.toUpperCase(),
        path,
        operation,
      ]),
  );
});
afterAll(() => docent[Symbol.asyncDispose]());

const pathOf = (path: string, site = 'kestrel-docs', project = 'kestrel') =>
  path
    .replace('{domain}', site)
    .replace('{projectId}', project)
    .replaceAll(/\{\w+\}/g, 'none');

/** Not a body of anything, so that what is permitted is refused later, and changes nothing. */
const nothing = (method: string) => ({
  method,
  ...(method !== 'GET' && { body: { no: 'thing' } }),
});

test('every endpoint with a session is in the table, and everything in the table is described', async () => {
  const { permissions } = await import('@docent/server/permissions');
  expect(operations.map(([method, path]) => `${method} ${path}`).toSorted()).toEqual(
    Object.keys(permissions).toSorted(),
  );
});

test('what only owners may do is for no key, as administrators create keys', async () => {
  const { permissions } = await import('@docent/server/permissions');
  const create = permissions['POST /v1/keys'];
  expect(create).toMatchObject({ role: 'admin', scope: 'write' });
  for (const [endpoint, { role, scope }] of Object.entries(permissions)) {
    if (role === 'owner') expect(`${endpoint} ${scope}`).toBe(`${endpoint} undefined`);
  }
});

test.each(roles)('%s: allowed where the role suffices, and nowhere else', async (role) => {
  for (const [method, path, { 'x-role': least = 'owner' }] of operations) {
    // It would end the session of this test.
    if (method === 'DELETE' && path === '/v1/people/me/sessions/{id}') continue;
    const person = await addPerson(docent, role);
    const response = await person.fetch(pathOf(path), nothing(method));
    const { error = '' } = (await response.json().catch(() => ({}))) as { error?: string };
    // What is let in may be refused for what it says, and never fails.
    expect(`${method} ${path} ${response.status}`).toMatch(/ [1-4]\d\d$/);
    const isRefused = response.status === 401 || /needs the role/.test(error);
    expect(`${method} ${path} ${isRefused ? 'refused' : 'allowed'}`).toBe(
      `${method} ${path} ${isAtLeast(role, least) ? 'allowed' : 'refused'}`,
    );
  }
});

test('sessions that ended, were revoked, were forged, or lack the code open nothing', async () => {
  const { database } = docent.docent.services;
  const ended = await addPerson(docent, 'owner');
  expect((await ended.fetch('/v1/session', { method: 'DELETE' })).status).toBe(204);
  const revoked = await addPerson(docent, 'owner');
  await database.deleteFrom('sessions').where('person_id', '=', revoked.id).execute();
  const disabled = await addPerson(docent, 'owner');
  const now = new Date().toISOString();
  await database
    .updateTable('people')
    .set({ disabled_at: now })
    .where('id', '=', disabled.id)
    .execute();
  const left = await addPerson(docent, 'owner');
  await database.deleteFrom('memberships').where('person_id', '=', left.id).execute();
  const idle = await addPerson(docent, 'owner');
  await database
    .updateTable('sessions')
    .set({ last_used_at: new Date(Date.now() - 25 * 3_600_000).toISOString() })
    .where('person_id', '=', idle.id)
    .execute();
  const old = await addPerson(docent, 'owner');
  await database
    .updateTable('sessions')
    .set({ expires_at: now })
    .where('person_id', '=', old.id)
    .execute();
  const halfway = await addPerson(docent, 'owner');
  await database
    .updateTable('sessions')
    .set({ needs_code: 1 })
    .where('person_id', '=', halfway.id)
    .execute();
  for (const person of [ended, revoked, disabled, left, idle, old, halfway]) {
    for (const [method, path] of operations) {
      const { status } = await person.fetch(pathOf(path), nothing(method));
      expect(`${method} ${path} ${status}`).toBe(`${method} ${path} 401`);
    }
  }
});

test("an owner finds nothing of another organization's", async () => {
  const foreign = await addPerson(docent, 'owner', 'osprey');
  const own = operations.filter(([, path]) => /\{(domain|projectId)\}/.test(path));
  expect(own.length).toBeGreaterThan(15);
  for (const [method, path] of own) {
    const { status } = await foreign.fetch(pathOf(path), nothing(method));
    expect(`${method} ${path} ${status}`).toBe(`${method} ${path} 404`);
  }
});

test('a key of the other scope, and a key for what is about a person, are refused', async () => {
  const scoped = (scope: 'read' | 'write') =>
    docent.keys.create({ kind: 'admin', organization: 'kestrel', name: scope, scopes: [scope] });
  const [{ token: reading }, { token: writing }] = await Promise.all([
    scoped('read'),
    scoped('write'),
  ]);
  const { permissions } = await import('@docent/server/permissions');
  for (const [method, path] of operations) {
    const scope = permissions[`${method} ${path}`]?.scope;
    for (const [has, token] of [
      ['read', reading],
      ['write', writing],
    ] as const) {
      if (scope === has) continue;
      const response = await fetch(docent.url + pathOf(path), {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(method !== 'GET' && { body: '{}' }),
      });
      expect(`${method} ${path} ${response.status}`).toBe(
        `${method} ${path} ${scope === undefined ? 401 : 403}`,
      );
    }
  }
});
