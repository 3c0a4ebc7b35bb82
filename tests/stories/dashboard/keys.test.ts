/** API keys over HTTP: created, listed, rotated, and revoked by people and by keys. */
import type { AuditEntry } from '@docent/shared/audit';
import type { KeyWithToken, ManagedKey } from '@docent/shared/managed-keys';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addPerson } from '../../support/person.ts';
import { startDocent, type TestDocent } from '../../support/start-docent.ts';

let docent: TestDocent;
let person: Awaited<ReturnType<typeof addPerson>>;
let now: Date;
const hourMs = 3_600_000;

beforeAll(async () => {
  now = new Date();
  docent = await startDocent({ now: () => now });
  person = await addPerson(docent, 'admin');
});
afterAll(() => docent[Symbol.asyncDispose]());

const create = async (body: object, by: Pick<typeof person, 'fetch'> = person) => {
  const response = await by.fetch('/v1/keys', { method: 'POST', body });
  return { status: response.status, body: (await response.json()) as KeyWithToken };
};

const listed = async (query = '') =>
  (await (await person.fetch(`/v1/keys?limit=1000${query}`)).json()) as { keys: ManagedKey[] };

const found = async (id: string) => (await listed()).keys.find((key) => key.id === id);

/** Sends with a key in the place of a session. */
const withKey = (token: string) => ({
  fetch: (path: string, { method = 'GET', body }: { method?: string; body?: unknown } = {}) =>
    fetch(docent.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
});

test('an assistant key from the page asks questions, and the list shows its use', async () => {
  const made = await create({ kind: 'assistant', name: 'Docs', domain: 'kestrel-docs' });
  expect(made.status).toBe(201);
  const { key, token } = made.body;
  expect(token).toMatch(/^svc_dsc_/);
  expect(key).toMatchObject({
    name: 'Docs',
    domain: 'kestrel-docs',
    scopes: ['assistant', 'search', 'mcp'],
    networks: null,
    hint: token.slice(-4),
    status: 'active',
    expiresAt: null,
    lastUsedAt: null,
    createdBy: { kind: 'person', id: person.id, name: 'A admin' },
    usage: { questions: 0, requests: 0, limit: 10_000, costUsd: 0 },
  });
  const asked = await docent.ask('How do I install Kestrel?', { key: token });
  expect(asked.status).toBe(200);
  expect(await found(key.id)).toMatchObject({
    lastUsedAt: now.toISOString(),
    usage: { questions: 1, requests: 0 },
  });
  expect(JSON.stringify(await listed())).not.toContain(token.slice(8, -4));
});

test('an admin key expires after 90 days, unless its creator says otherwise', async () => {
  const days = async (more: object) => {
    const { expiresAt } = (await create({ kind: 'admin', name: 'ci', ...more })).body.key;
    return expiresAt && (Date.parse(expiresAt) - now.getTime()) / (24 * hourMs);
  };
  expect(await days({})).toBe(90);
  expect(await days({ expiresInDays: 7 })).toBe(7);
  expect(await days({ expiresInDays: null })).toBeNull();
});

test.each([
  ['scopes', { kind: 'admin', name: 'a', scopes: ['search'] }],
  ['groups', { kind: 'admin', name: 'a', groups: ['staff'] }],
  ['domain', { kind: 'admin', name: 'a', domain: 'kestrel-docs' }],
  ['networks', { kind: 'assistant', name: 'a', networks: ['example.com'] }],
  ['name', { kind: 'assistant', name: ' ' }],
  ['expiresInDays', { kind: 'assistant', name: 'a', expiresInDays: 0 }],
])('a wrong value of `%s` is refused with its name', async (path, body) => {
  const refused = await create(body);
  expect(refused).toMatchObject({ status: 400, body: { details: [{ path }] } });
});

test('a rotated key has two tokens until the overlap ends', async () => {
  const { key, token } = (await create({ kind: 'assistant', name: 'r' })).body;
  const response = await person.fetch(`/v1/keys/${key.id}/rotate`, {
    method: 'POST',
    body: { overlapHours: 1 },
  });
  const rotated = (await response.json()) as KeyWithToken;
  const until = new Date(now.getTime() + hourMs).toISOString();
  expect(rotated.key).toMatchObject({ id: key.id, previous: { hint: token.slice(-4), until } });
  const isValid = async (each: string) => (await docent.keys.find(each)) !== undefined;
  expect([await isValid(token), await isValid(rotated.token)]).toEqual([true, true]);
  now = new Date(now.getTime() + hourMs);
  expect([await isValid(token), await isValid(rotated.token)]).toEqual([false, true]);
  expect(await found(key.id)).toMatchObject({ previous: null });
});

test('a revoked key stops with the next request, and can be told from active ones', async () => {
  const { key, token } = (await create({ kind: 'assistant', name: 'gone' })).body;
  const revoke = () => person.fetch(`/v1/keys/${key.id}/revoke`, { method: 'POST', body: {} });
  expect(await (await revoke()).json()).toMatchObject({ id: key.id, status: 'revoked' });
  expect((await revoke()).status).toBe(200);
  expect((await docent.ask('Hello?', { key: token })).status).toBe(401);
  const ids = async (status: string) =>
    (await listed(`&status=${status}`)).keys.map(({ id }) => id);
  expect(await ids('active')).not.toContain(key.id);
  expect(await ids('ended')).toContain(key.id);
  const rotate = await person.fetch(`/v1/keys/${key.id}/rotate`, { method: 'POST', body: {} });
  expect(rotate.status).toBe(409);
});

test('the list comes in pages', async () => {
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const response = await person.fetch(`/v1/keys?limit=3${cursor && `&cursor=${cursor}`}`);
    const page = (await response.json()) as { keys: ManagedKey[]; nextCursor: string | null };
    seen.push(...page.keys.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  expect(seen).toEqual((await listed()).keys.map(({ id }) => id));
  expect(seen.length).toBeGreaterThan(6);
});

test('the audit log says who did it and from where', async () => {
  const { key } = (await create({ kind: 'assistant', name: 'noted' })).body;
  const response = await person.fetch('/v1/audit?type=key.created&limit=1');
  const { entries } = (await response.json()) as { entries: AuditEntry[] };
  expect(entries[0]).toMatchObject({
    actor: { kind: 'person', id: person.id, name: 'A admin' },
    data: { key: key.id, name: 'noted', address: '127.0.0.1' },
  });
});

describe('nobody gets more with a key than they have', () => {
  test.each(['viewer', 'editor'] as const)('a %s gets no key', async (role) => {
    const other = await addPerson(docent, role);
    expect((await create({ kind: 'assistant', name: 'x' }, other)).status).toBe(403);
    expect((await other.fetch('/v1/keys')).status).toBe(403);
  });

  test('a key creates assistant keys without groups, and nothing else', async () => {
    const own = withKey(docent.admin);
    const made = await create({ kind: 'assistant', name: 'by a key' }, own);
    expect(made).toMatchObject({
      status: 201,
      body: { key: { createdBy: { kind: 'key', name: 'admin of the tests' } } },
    });
    expect((await create({ kind: 'admin', name: 'x' }, own)).status).toBe(403);
    const grouped = { kind: 'assistant', name: 'x', groups: ['staff'] };
    expect((await create(grouped, own)).status).toBe(403);
  });

  test('a key rotates itself, and no other admin key', async () => {
    const first = (await create({ kind: 'admin', name: 'first' })).body;
    const second = (await create({ kind: 'admin', name: 'second' })).body;
    const own = withKey(first.token);
    const rotate = async (id: string) =>
      (await own.fetch(`/v1/keys/${id}/rotate`, { method: 'POST', body: {} })).status;
    expect(await rotate(second.key.id)).toBe(403);
    expect(await rotate(first.key.id)).toBe(200);
  });

  test('a key for reading changes none', async () => {
    const { token } = (await create({ kind: 'admin', name: 'r', scopes: ['read'] })).body;
    expect((await withKey(token).fetch('/v1/keys')).status).toBe(200);
    expect((await create({ kind: 'assistant', name: 'x' }, withKey(token))).status).toBe(403);
  });
});

test('a key of another organization is not there', async () => {
  const foreign = await addPerson(docent, 'owner', 'osprey');
  const { key } = (await create({ kind: 'assistant', name: 'ours' })).body;
  for (const action of ['rotate', 'revoke']) {
    const path = `/v1/keys/${key.id}/${action}`;
    expect((await foreign.fetch(path, { method: 'POST', body: {} })).status).toBe(404);
  }
  const list = await foreign.fetch('/v1/keys?limit=1000');
  expect(JSON.stringify(await list.json())).not.toContain(key.id);
  const theirs = { kind: 'assistant', name: 'x', domain: 'kestrel-docs' };
  expect((await create(theirs, foreign)).status).toBe(404);
  expect(await found(key.id)).toMatchObject({ status: 'active' });
});
