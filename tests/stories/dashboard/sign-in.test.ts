/** The first account, signing in, and signing out. */
import { expect, test } from 'vitest';
import { addPerson, cookieOf, password, send, sessionWith } from '../../support/person.ts';
import { startDocent } from '../../support/start-docent.ts';

test('setup, sign in, sign out', async () => {
  await using docent = await startDocent();
  const { people } = docent.docent.services;
  expect(await sessionWith(docent)).toMatchObject({ state: 'setup' });
  const { token } = await people.setupToken();
  const account = { token, email: 'Ada@Kestrel.test', name: 'Ada', password };

  const wrong = await send(docent, '/v1/setup', { ...account, token: 'x'.repeat(43) });
  expect(wrong.status).toBe(401);
  const weak = await send(docent, '/v1/setup', { ...account, password: 'aaaaaaaaaaaaaa' });
  expect(weak.status).toBe(400);
  expect(await weak.json()).toMatchObject({ details: [{ path: 'password' }] });

  const made = await send(docent, '/v1/setup', account);
  expect(made.status).toBe(201);
  expect(made.headers.get('set-cookie')).toMatch(/^docent=.*Path=\/.*HttpOnly.*SameSite=Lax/);
  expect(await made.json()).toMatchObject({
    state: 'signed-in',
    role: 'owner',
    organization: 'kestrel',
    organizations: [
      { name: 'kestrel', role: 'owner' },
      { name: 'osprey', role: 'owner' },
    ],
    person: { email: 'ada@kestrel.test', name: 'Ada' },
  });
  expect((await send(docent, '/v1/setup', account)).status).toBe(401);

  const refused = await send(docent, '/v1/session', { email: account.email, password: 'wrong' });
  const unknown = await send(docent, '/v1/session', { email: 'eve@kestrel.test', password });
  expect([refused.status, unknown.status]).toEqual([401, 401]);
  const messages = [refused, unknown].map(async (each) => (await each.json()) as { error: string });
  const [first, second] = await Promise.all(messages);
  expect(first?.error).toBe(second?.error);

  const signedIn = await send(docent, '/v1/session', { email: account.email, password });
  const cookie = cookieOf(signedIn);
  expect(await sessionWith(docent, cookie)).toMatchObject({ state: 'signed-in' });
  const gone = await fetch(`${docent.url}/v1/session`, {
    method: 'DELETE',
    headers: { cookie, origin: docent.url },
  });
  expect(gone.status).toBe(204);
  expect(await sessionWith(docent, cookie)).toMatchObject({ state: 'signed-out' });
});

test('of 100 first administrators at the same time, one succeeds', async () => {
  await using docent = await startDocent();
  const { token } = await docent.docent.services.people.setupToken();
  const statuses = await Promise.all(
    Array.from({ length: 100 }, async (_, number) => {
      const account = { token, email: `${number}@kestrel.test`, name: 'Ada', password };
      return (await send(docent, '/v1/setup', account)).status;
    }),
  );
  expect(statuses.filter((status) => status === 201)).toHaveLength(1);
  expect(statuses.filter((status) => status === 401)).toHaveLength(99);
});

test('a request that another site makes a browser send is refused', async () => {
  await using docent = await startDocent();
  const person = await addPerson(docent, 'owner');
  const { url } = docent;
  const own = { cookie: person.cookie, origin: url, 'content-type': 'application/json' };
  const { origin: _, ...withoutOrigin } = own;
  const { 'content-type': __, ...withoutType } = own;
  const forged: [name: string, headers: Record<string, string>, method?: string][] = [
    ['no origin', withoutOrigin],
    ['another origin', { ...own, origin: 'https://evil.test' }],
    ['another port', { ...own, origin: 'http://127.0.0.1:1' }],
    ['an opaque origin', { ...own, origin: 'null' }],
    ['a name that begins alike', { ...own, origin: `${url}.evil.test` }],
    ['a sibling site', { ...own, 'sec-fetch-site': 'same-site' }],
    ['another site', { ...own, 'sec-fetch-site': 'cross-site' }],
    ['no page, from the address bar', { ...withoutOrigin, 'sec-fetch-site': 'none' }],
    ['a form', { ...own, 'content-type': 'application/x-www-form-urlencoded' }],
    ['a form with files', { ...own, 'content-type': 'multipart/form-data; boundary=x' }],
    ['plain text', { ...own, 'content-type': 'text/plain' }],
    ['no type', withoutType],
    ['a deletion', { ...own, origin: 'https://evil.test' }, 'DELETE'],
  ];
  for (const [name, headers, method = 'PATCH'] of forged) {
    const response = await fetch(`${url}/v1/session`, {
      method,
      headers,
      ...(method === 'PATCH' && {
        body: new TextEncoder().encode(JSON.stringify({ organization: 'kestrel' })),
      }),
    });
    expect(`${name}: ${response.status}`).toMatch(/: (403|415)$/);
  }
  const own200 = await fetch(`${url}/v1/session`, {
    method: 'PATCH',
    headers: own,
    body: JSON.stringify({ organization: 'kestrel' }),
  });
  expect(own200.status).toBe(200);
});
