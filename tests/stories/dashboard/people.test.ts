/** The people of an organization over HTTP: invited, joined, changed, and removed. */
import type { Invitation, Member, NewInvitation } from '@docent/shared/members';
import type { SessionReply } from '@docent/shared/people';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addPerson } from '../../support/person.ts';
import { startDocent, type TestDocent } from '../../support/start-docent.ts';

type Person = Awaited<ReturnType<typeof addPerson>>;

let docent: TestDocent;
let owner: Person;
let admin: Person;
let now: Date;

beforeAll(async () => {
  now = new Date();
  docent = await startDocent({ now: () => now });
  owner = await addPerson(docent, 'owner');
  admin = await addPerson(docent, 'admin');
});
afterAll(() => docent[Symbol.asyncDispose]());

const account = { name: 'Ada', password: 'a long walk by the sea' };
let accounts = 0;
const newEmail = () => `ada-${++accounts}@kestrel.test`;

const members = async () =>
  ((await (await owner.fetch('/v1/people')).json()) as { people: Member[] }).people;
const member = async (id: string) => (await members()).find((each) => each.id === id);

async function invite(by: Person, body: object) {
  const response = await by.fetch('/v1/invitations', { method: 'POST', body });
  expect(response.status).toBe(201);
  const { invitation, url } = (await response.json()) as NewInvitation;
  return { id: invitation.id, url, token: new URL(url).searchParams.get('token') ?? '' };
}

const accept = (body: object, cookie = '') =>
  fetch(`${docent.url}/v1/invitation/accept`, {
    method: 'POST',
    headers: { origin: docent.url, 'content-type': 'application/json', cookie },
    body: JSON.stringify(body),
  });

const preview = (token: string) =>
  fetch(`${docent.url}/v1/invitation`, {
    method: 'POST',
    headers: { origin: docent.url, 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });

const changeRole = async (by: Person, { id }: { id: string }, was: string, role: string) =>
  (await by.fetch(`/v1/people/${id}`, { method: 'PATCH', body: { was, role } })).status;

const remove = async (by: Person, { id }: { id: string }) =>
  (await by.fetch(`/v1/people/${id}`, { method: 'DELETE' })).status;

test('a link invites one new person, who is signed in then', async () => {
  const { token, url } = await invite(admin, { role: 'editor' });
  expect(url.startsWith(`${docent.url}/dashboard/invitation?token=`)).toBe(true);
  expect(await (await preview(token)).json()).toEqual({
    organization: 'kestrel',
    role: 'editor',
    email: null,
    invitedBy: 'A admin',
  });
  const email = newEmail();
  const weak = { email, name: 'Ada', password: 'aaaaaaaaaaaaaa' };
  expect((await accept({ token, account: weak })).status).toBe(400);
  const joined = await accept({ token, account: { ...account, email } });
  expect(joined.status).toBe(204);
  const cookie = joined.headers.get('set-cookie')?.split(';')[0] ?? '';
  const reply = await fetch(`${docent.url}/v1/session`, { headers: { cookie } });
  const session = (await reply.json()) as SessionReply;
  expect(session).toMatchObject({
    state: 'signed-in',
    role: 'editor',
    organization: 'kestrel',
    person: { email },
  });
  expect(await member(session.person?.id ?? '')).toMatchObject({
    role: 'editor',
    email,
    sessions: 1,
    hasSecondFactor: false,
  });
  expect((await accept({ token, account: { ...account, email: newEmail() } })).status).toBe(404);
  expect((await preview(token)).status).toBe(404);
});

test('of 20 people with the same link, one joins', async () => {
  const { token } = await invite(admin, { role: 'viewer' });
  const before = (await members()).length;
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const response = await accept({ token, account: { ...account, email: newEmail() } });
      return response.status;
    }),
  );
  expect(statuses.filter((status) => status === 204)).toHaveLength(1);
  expect(statuses.filter((status) => status === 404)).toHaveLength(19);
  expect(await members()).toHaveLength(before + 1);
});

test('an account joins by signing in, and keeps its other organization', async () => {
  const osprey = await addPerson(docent, 'viewer', 'osprey');
  const { token } = await invite(owner, { role: 'admin', email: osprey.email });
  const stolen = { ...account, email: osprey.email };
  const refused = await accept({ token, account: stolen });
  expect(refused.status).toBe(409);
  const stranger = await accept({ token, account: { ...account, email: newEmail() } });
  expect(stranger.status).toBe(403);
  expect((await accept({ token })).status).toBe(401);
  const joined = await accept({ token }, osprey.cookie);
  expect(joined.status).toBe(204);
  const cookie = joined.headers.get('set-cookie')?.split(';')[0] ?? '';
  const reply = await fetch(`${docent.url}/v1/session`, { headers: { cookie } });
  expect(await reply.json()).toMatchObject({
    organization: 'kestrel',
    role: 'admin',
    organizations: [
      { name: 'kestrel', role: 'admin' },
      { name: 'osprey', role: 'viewer' },
    ],
  });
});

test('an invitation changes nobody who is a member', async () => {
  const { token } = await invite(admin, { role: 'viewer' });
  expect((await accept({ token }, owner.cookie)).status).toBe(409);
  expect(await member(owner.id)).toMatchObject({ role: 'owner' });
});

test('an invitation ends when it is revoked, after 7 days, and with the rights of its sender', async () => {
  const sender = await addPerson(docent, 'admin');
  const open = async () =>
    (
      (await (await owner.fetch('/v1/invitations')).json()) as { invitations: Invitation[] }
    ).invitations.map(({ id }) => id);

  const revoked = await invite(admin, { role: 'viewer', email: 'eve@kestrel.test' });
  expect(await open()).toContain(revoked.id);
  const foreign = await addPerson(docent, 'owner', 'osprey');
  const path = `/v1/invitations/${revoked.id}`;
  expect((await foreign.fetch(path, { method: 'DELETE' })).status).toBe(404);
  expect((await admin.fetch(path, { method: 'DELETE' })).status).toBe(204);
  expect(await open()).not.toContain(revoked.id);

  const orphan = await invite(sender, { role: 'viewer' });
  expect(await changeRole(owner, sender, 'admin', 'editor')).toBe(204);
  const old = await invite(admin, { role: 'viewer' });
  const isOpen = async ({ token }: { token: string }) => (await preview(token)).status === 200;
  expect([await isOpen(revoked), await isOpen(orphan), await isOpen(old)]).toEqual([
    false,
    false,
    true,
  ]);
  const before = now;
  now = new Date(before.getTime() + 7 * 24 * 3_600_000);
  expect(await isOpen(old)).toBe(false);
  now = before;
});

test('administrators make no owners and touch none', async () => {
  const viewer = await addPerson(docent, 'viewer');
  const body = { role: 'owner' };
  const response = await admin.fetch('/v1/invitations', { method: 'POST', body });
  expect(response.status).toBe(403);
  expect(await changeRole(admin, viewer, 'viewer', 'owner')).toBe(403);
  expect(await changeRole(admin, owner, 'owner', 'viewer')).toBe(403);
  expect(await remove(admin, owner)).toBe(403);
  const end = `/v1/people/${owner.id}/sessions`;
  expect((await admin.fetch(end, { method: 'DELETE' })).status).toBe(403);
  expect((await owner.fetch('/v1/people')).status).toBe(200);
});

test('another role ends the sessions of the one before, and two changes at once do not hide each other', async () => {
  const person = await addPerson(docent, 'viewer');
  expect((await person.fetch('/v1/audit')).status).toBe(403);
  expect(await changeRole(admin, person, 'viewer', 'admin')).toBe(204);
  expect((await person.fetch('/v1/audit')).status).toBe(401);
  expect(await changeRole(owner, person, 'viewer', 'editor')).toBe(409);
  expect(await member(person.id)).toMatchObject({ role: 'admin' });
});

test('who is removed or signed out is out with the next request', async () => {
  const removed = await addPerson(docent, 'editor');
  expect(await remove(admin, removed)).toBe(204);
  expect((await removed.fetch('/v1/people/me/sessions')).status).toBe(401);
  expect(await remove(admin, removed)).toBe(404);
  const out = await addPerson(docent, 'editor');
  const end = `/v1/people/${out.id}/sessions`;
  expect((await admin.fetch(end, { method: 'DELETE' })).status).toBe(204);
  expect((await out.fetch('/v1/people/me/sessions')).status).toBe(401);
  expect(await member(out.id)).toMatchObject({ sessions: 0 });
});

test('somebody of another organization is not there', async () => {
  const foreign = await addPerson(docent, 'owner', 'osprey');
  expect(await changeRole(foreign, admin, 'admin', 'viewer')).toBe(404);
  expect(await remove(foreign, admin)).toBe(404);
  const list = await foreign.fetch('/v1/people');
  expect(JSON.stringify(await list.json())).not.toContain(admin.id);
});

test('the log says what happened, and names people who are gone', async () => {
  const person = await addPerson(docent, 'admin');
  const { id } = await invite(person, { role: 'viewer' });
  expect(await remove(owner, person)).toBe(204);
  const log = async (query: string) => (await owner.fetch(`/v1/audit?${query}`)).json();
  expect(await log(`actor=${person.id}`)).toMatchObject({
    entries: [
      {
        type: 'person.invited',
        actor: { kind: 'person', id: person.id, name: 'A admin' },
        data: { invitation: id, role: 'viewer', address: '127.0.0.1' },
      },
    ],
  });
  expect(await log('type=person.removed&limit=1')).toMatchObject({
    entries: [
      { actor: { id: owner.id }, subject: 'A admin', data: { person: person.id, role: 'admin' } },
    ],
  });
});
