/** Single sign-on against a real provider, with answers that are right, wrong, and forged. */
import type { DocentConfig } from '@docent/server/docent';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts';
import { addPerson, cookieOf, password, send, sessionWith } from '../../support/person.ts';
import { startDocent, type TestDocent } from '../../support/start-docent.ts';

const client = { id: 'docent', secret: 'a secret of the tests' };
const ada = { sub: 'ada', email: 'Ada@kestrel.test', email_verified: true, name: 'Ada' };

let provider: IdentityProvider;
beforeAll(async () => {
  provider = await startIdentityProvider(client);
});
afterAll(() => provider[Symbol.asyncDispose]());
beforeEach(() => {
  provider.behavior.person = ada;
  delete provider.behavior.tamper;
  delete provider.behavior.isForged;
});

type OpenId = NonNullable<NonNullable<DocentConfig['dashboard']>['openId']>;

/** A service with an owner. */
async function start(openId: Partial<OpenId> = {}, dashboard: DocentConfig['dashboard'] = {}) {
  const docent = await startDocent({
    dashboard: {
      ...dashboard,
      openId: {
        issuer: provider.issuer,
        clientId: client.id,
        clientSecretEnv: 'OPENID_SECRET',
        name: 'Kestrel',
        organization: 'kestrel',
        allowedDomains: ['kestrel.test'],
        defaultRole: 'viewer',
        ...openId,
      },
    },
    variables: { OPENID_SECRET: client.secret },
  });
  provider.provide(`${docent.url}/dashboard/sign-in/openid/callback`);
  await addPerson(docent, 'owner');
  return docent;
}

/** Sends the browser to the provider, and stops before it comes back. */
async function toProvider(
  { url }: TestDocent,
  change: (authorization: URL) => void = () => undefined,
  query = '',
) {
  const begun = await fetch(`${url}/dashboard/sign-in/openid${query}`, { redirect: 'manual' });
  const flow = cookieOf(begun);
  let at = new URL(begun.headers.get('location') ?? '');
  change(at);
  const cookies = new Map<string, string>();
  while (at.origin === provider.issuer) {
    const response = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map((each) => each.join('=')).join('; ') },
    });
    for (const each of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (each.split(';')[0] ?? '').split('=');
      cookies.set(name, value);
    }
    at = new URL(response.headers.get('location') ?? '', at);
  }
  return { callback: at, flow };
}

async function comeBack(callback: URL, cookie: string) {
  const response = await fetch(callback, { redirect: 'manual', headers: { cookie } });
  const { pathname, search } = new URL(response.headers.get('location') ?? '', callback);
  const session = response.headers.getSetCookie().find((each) => /^docent=./.test(each));
  return { page: pathname + search, cookie: session?.split(';')[0] ?? '' };
}

async function signIn(docent: TestDocent, query?: string) {
  const { callback, flow } = await toProvider(docent, undefined, query);
  return comeBack(callback, flow);
}

test('a person of an allowed domain gets an account, and comes back to the page', async () => {
  await using docent = await start();
  expect(await sessionWith(docent)).toMatchObject({
    signIn: { password: true, openId: { name: 'Kestrel', url: '/dashboard/sign-in/openid' } },
  });
  const { page, cookie } = await signIn(docent, '?next=/dashboard/jobs/job_1?tab=log');
  expect(page).toBe('/dashboard/jobs/job_1?tab=log');
  expect(await sessionWith(docent, cookie)).toMatchObject({
    state: 'signed-in',
    role: 'viewer',
    organization: 'kestrel',
    person: { email: 'ada@kestrel.test', name: 'Ada', hasPassword: false },
  });
  // From now on, the subject counts and the address doesn't.
  provider.behavior.person = { sub: 'ada', email: 'ada@elsewhere.test', email_verified: false };
  const project = await signIn(docent, '?next=/dashboard/projects/docs.v2/jobs/01K9');
  expect(project.page).toBe('/dashboard/projects/docs.v2/jobs/01K9');
  const again = await signIn(docent, '?next=https://evil.test');
  expect(again.page).toBe('/dashboard');
  expect(await sessionWith(docent, again.cookie)).toMatchObject({
    person: { email: 'ada@kestrel.test' },
  });
});

test('an account with the address is linked once, and not to somebody who has the address later', async () => {
  await using docent = await start();
  const person = await addPerson(docent, 'editor');
  provider.behavior.person = { ...ada, email: person.email };
  const { cookie } = await signIn(docent);
  expect(await sessionWith(docent, cookie)).toMatchObject({
    role: 'editor',
    person: { id: person.id },
  });
  provider.behavior.person = { ...ada, sub: 'eve', email: person.email };
  expect(await signIn(docent)).toEqual({ page: '/dashboard?failure=no-account', cookie: '' });
});

test.each([
  ['an address that is not verified', { ...ada, email_verified: false }],
  ['an address without a word about it', { sub: 'ada', email: ada.email }],
  ['no address', { sub: 'ada' }],
  ['another domain', { ...ada, email: 'ada@evil.test' }],
  ['a domain that ends alike', { ...ada, email: 'ada@evilkestrel.test' }],
  ['a domain below', { ...ada, email: 'ada@evil.kestrel.test' }],
])('%s makes no account', async (_name, person) => {
  await using docent = await start();
  provider.behavior.person = person;
  expect(await signIn(docent)).toEqual({ page: '/dashboard?failure=no-account', cookie: '' });
  expect(await docent.docent.services.people.list()).toHaveLength(1);
});

test('an answer that is not for this sign-in, or not from the provider, signs nobody in', async () => {
  await using docent = await start();
  const rejected = { page: '/dashboard?failure=rejected', cookie: '' };
  const returning = async (
    change: (url: URL) => void,
    cookie?: string,
  ): Promise<Awaited<ReturnType<typeof comeBack>>> => {
    const { callback, flow } = await toProvider(docent);
    change(callback);
    return comeBack(callback, cookie ?? flow);
  };
  const set = (name: string, value: string) => (url: URL) => url.searchParams.set(name, value);
  expect(await returning(set('state', 'x'))).toEqual(rejected);
  expect(await returning((url) => url.searchParams.delete('state'))).toEqual(rejected);
  expect(await returning(set('iss', 'https://evil.test'))).toEqual(rejected);
  expect(await returning((url) => url.searchParams.delete('iss'))).toEqual(rejected);
  expect(await returning(set('code', 'x'))).toEqual(rejected);
  expect(await returning(() => undefined, '')).toEqual(rejected);
  // Of another browser: the link that an attacker sends.
  expect(await returning(() => undefined, (await toProvider(docent)).flow)).toEqual(rejected);

  const otherNonce = await toProvider(docent, set('nonce', 'x'));
  expect(await comeBack(otherNonce.callback, otherNonce.flow)).toEqual(rejected);

  const { behavior } = provider;
  for (const tamper of [
    { nonce: 'x' },
    { nonce: undefined },
    { iss: 'https://evil.test' },
    { aud: 'another-client' },
    { aud: ['docent', 'another-client'], azp: 'another-client' },
    { exp: 1_700_000_000 },
    { sub: undefined },
  ]) {
    behavior.tamper = (claims) => ({ ...claims, ...tamper });
    expect([tamper, await signIn(docent)]).toEqual([tamper, rejected]);
  }
  behavior.tamper = (claims) => claims;
  behavior.isForged = true;
  expect(await signIn(docent)).toEqual(rejected);
  expect(await docent.docent.services.people.list()).toHaveLength(1);

  // A code works once.
  delete behavior.isForged;
  const once = await toProvider(docent);
  expect((await comeBack(once.callback, once.flow)).page).toBe('/dashboard');
  expect(await comeBack(once.callback, once.flow)).toEqual(rejected);
});

test('groups decide the role at each sign-in', async () => {
  const rolesByGroup = { writers: 'editor', leads: 'admin' } as const;
  await using docent = await start({ rolesByGroup, defaultRole: undefined });
  const withGroups = async (groups: unknown) => {
    provider.behavior.person = { ...ada, groups };
    const { cookie, page } = await signIn(docent);
    return { page, cookie, role: (await sessionWith(docent, cookie)).role };
  };
  const admin = await withGroups(['writers', 'leads', 'others']);
  expect(admin.role).toBe('admin');
  const editor = await withGroups('writers');
  expect(editor.role).toBe('editor');
  // The role of the first session is gone, and so is the session.
  expect(await sessionWith(docent, admin.cookie)).toMatchObject({ state: 'signed-out' });
  expect(await withGroups(['constructor'])).toMatchObject({
    page: '/dashboard?failure=no-account',
    role: undefined,
  });
  expect(await sessionWith(docent, editor.cookie)).toMatchObject({ state: 'signed-out' });
});

test('the last owner stays one, and who was taken out stays out until they are invited', async () => {
  await using docent = await start({ rolesByGroup: { owners: 'owner', staff: 'viewer' } });
  const { database } = docent.docent.services;
  await database.deleteFrom('memberships').execute();
  const roles = async () =>
    (await database.selectFrom('memberships').select('role').execute()).map(({ role }) => role);
  provider.behavior.person = { ...ada, groups: ['owners'] };
  await signIn(docent);
  expect(await roles()).toEqual(['owner']);
  provider.behavior.person = { ...ada, groups: [] };
  await signIn(docent);
  provider.behavior.person = { ...ada, groups: ['staff'] };
  await signIn(docent);
  expect(await roles()).toEqual(['owner']);

  const owner = await addPerson(docent, 'owner');
  const { id } = await database
    .selectFrom('people')
    .select('id')
    .where('email', '=', 'ada@kestrel.test')
    .executeTakeFirstOrThrow();
  const removed = await owner.fetch(`/v1/people/${id}`, { method: 'DELETE' });
  expect(removed.status).toBe(204);
  await signIn(docent);
  expect(await roles()).toEqual(['owner']);

  await docent.docent.services.people.join(database, id, 'kestrel', 'viewer');
  await signIn(docent);
  expect(await roles()).toEqual(['owner', 'viewer']);
});

test('where passwords are switched off, only a link from the host is another way in', async () => {
  await using docent = await start({}, { passwords: false });
  const owner = await addPerson(docent, 'owner');
  const off = await send(docent, '/v1/session', { email: owner.email, password });
  expect(off.status).toBe(403);
  expect(await sessionWith(docent)).toMatchObject({ signIn: { password: false } });
  const { signInAddress } = await import('@docent/server/addresses');
  const link = await signInAddress(docent.docent.services, owner.id, docent.url);
  const token = new URL(link).searchParams.get('token');
  const recovered = await send(docent, '/v1/session/link', { token });
  expect(await recovered.json()).toMatchObject({ state: 'signed-in', role: 'owner' });
  expect((await send(docent, '/v1/session/link', { token })).status).toBe(401);
});

test('a provider that is away leaves the password', async () => {
  await using docent = await start({ issuer: 'http://127.0.0.1:1' });
  const away = await fetch(`${docent.url}/dashboard/sign-in/openid`, { redirect: 'manual' });
  expect(away.headers.get('location')).toBe('../../dashboard?failure=unreachable');
  expect(await sessionWith(docent)).toMatchObject({ signIn: { password: true } });
});

test('before the first account, nobody comes in through the provider', async () => {
  await using docent = await startDocent({
    dashboard: { openId: { issuer: provider.issuer, clientId: 'docent', organization: 'kestrel' } },
  });
  const setup = await fetch(`${docent.url}/dashboard/sign-in/openid`, { redirect: 'manual' });
  expect(setup.headers.get('location')).toBe('../setup');
});

test.each([
  [{ openId: { issuer: 'http://login.kestrel.test', clientId: 'docent' } }, /issuer needs https/],
  [
    { openId: { issuer: 'https://login.kestrel.test', clientId: 'docent' } },
    /organization is missing/,
  ],
  [{ passwords: false }, /nobody could sign in/],
])('%j is a mistake', async (dashboard, message) => {
  await expect(startDocent({ dashboard })).rejects.toThrow(message);
});
