/** Passwords of the dashboard: which ones are taken, who may guess how often, and links that restore them. */
import { expect, test } from 'vitest';
import { cookieOf, password, send, sessionWith } from '../../support/person.ts';
import { startDocent, type TestDocent } from '../../support/start-docent.ts';

const email = 'ada@kestrel.test';

/** Of the password, with the parameters of the command `argon2`. */
const foreignHash =
  '$argon2id$v=19$m=4096,t=3,p=1$c2FsdHNhbHRzYWx0c2FsdA$q6VVcrZS9y3WIX/e6H7U1tl/eTDVle1QJ1Ht7S5YwXs';

async function setUp(docent: TestDocent): Promise<string> {
  const { token } = await docent.docent.services.people.setupToken();
  const made = await send(docent, '/v1/setup', { token, email, name: 'Ada', password });
  expect(made.status).toBe(201);
  return cookieOf(made);
}

/** As a proxy passes it on. */
const from = (address: string) => ({ 'x-forwarded-for': address });

/** In the middle of an hour, in which guesses are counted. */
const noon = { now: () => new Date('2027-01-15T12:30:00Z') };
const behindProxy = { ...noon, server: { trustProxy: 1 } };

test('a stranger’s guesses are refused, and don’t lock the owner out', async () => {
  await using docent = await startDocent(behindProxy);
  const { url } = docent;
  await setUp(docent);
  const signIn = (address: string, given: string, to = email) =>
    send({ url }, '/v1/session', { email: to, password: given }, from(address));
  expect((await signIn('198.51.100.1', password)).status).toBe(200);

  const guesses = Array.from({ length: 14 }, () => signIn('203.0.113.9', 'not the password'));
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(10);
  expect(statuses.filter((status) => status === 429)).toHaveLength(4);
  const right = await signIn('203.0.113.9', password);
  expect([right.status, Number(right.headers.get('retry-after')) > 0]).toEqual([429, true]);
  // The same for an account that there isn't.
  const unknown = Array.from({ length: 14 }, () => signIn('203.0.113.8', 'x', 'eve@kestrel.test'));
  const same = (await Promise.all(unknown)).map(({ status }) => status);
  const sorted = (list: number[]) => list.toSorted((a, b) => a - b);
  expect(sorted(same)).toEqual(sorted(statuses));

  expect((await signIn('198.51.100.1', password)).status).toBe(200);
  expect((await signIn('198.51.100.2', password)).status).toBe(200);
});

test('one network can’t try many accounts', async () => {
  await using docent = await startDocent(behindProxy);
  const answers = Array.from({ length: 65 }, (_, number) =>
    send(docent, '/v1/session', { email: `${number}@kestrel.test`, password }, from('203.0.113.9')),
  );
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(60);
});

test('right passwords don’t use up attempts', async () => {
  await using docent = await startDocent(noon);
  await setUp(docent);
  for (let count = 0; count < 15; count++) {
    expect((await send(docent, '/v1/session', { email, password })).status).toBe(200);
  }
});

test('another password ends all other sessions, and renews this one', async () => {
  await using docent = await startDocent();
  const cookie = await setUp(docent);
  const other = cookieOf(await send(docent, '/v1/session', { email, password }));
  const change = (body: object) => send(docent, '/v1/people/me/password', body, { cookie });
  const next = 'three goats on a raft';
  expect((await change({ current: 'wrong', password: next })).status).toBe(403);
  const common = await change({ current: password, password: 'Password12345!' });
  expect(await common.json()).toMatchObject({ details: [{ path: 'password' }] });
  const changed = await change({ current: password, password: next });
  expect(changed.status).toBe(204);
  expect(await sessionWith(docent, cookieOf(changed))).toMatchObject({ state: 'signed-in' });
  for (const ended of [other, cookie]) {
    expect(await sessionWith(docent, ended)).toMatchObject({ state: 'signed-out' });
  }
  expect((await send(docent, '/v1/session', { email, password })).status).toBe(401);
});

test('the environment names the first account, whose hash another program made', async () => {
  const variables = {
    DOCENT_OWNER_EMAIL: 'Ada@kestrel.test',
    DOCENT_OWNER_PASSWORD_HASH: foreignHash,
  };
  await using docent = await startDocent({ variables });
  expect(docent.docent.setupUrl).toBeUndefined();
  expect((await send(docent, '/v1/session', { email, password })).status).toBe(200);
  const { people } = docent.docent.services;
  const hash = async () => (await people.byEmail(email))?.password_hash;
  expect(await hash()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  // It makes the first account and no other.
  await people.seed({ email: 'eve@kestrel.test', passwordHash: foreignHash });
  expect(await people.list()).toHaveLength(1);
  expect((await send(docent, '/v1/session', { email, password })).status).toBe(200);
});
