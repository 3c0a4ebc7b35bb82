/** The dashboard on a port of its own, and switched off. */
import { expect, test } from 'vitest';
import { addPerson, password, send } from '../../support/person.ts';
import { startDocent } from '../../support/start-docent.ts';

const paths = ['/', '/dashboard', '/dashboard/keys', '/DASHBOARD', '/v1/session'];

test('on a port of its own, the public one has no dashboard and takes no session', async () => {
  await using docent = await startDocent({ dashboard: { port: 0 } });
  const { dashboardUrl = '' } = docent.docent;
  const { origin } = new URL(dashboardUrl);
  expect(origin).not.toBe(docent.url);
  expect(docent.docent.setupUrl).toMatch(`${dashboardUrl}/setup?token=`);
  const person = await addPerson(docent, 'owner');
  const { cookie } = person;
  for (const path of paths) {
    const { status } = await fetch(docent.url + path, { headers: { cookie } });
    expect(`${path} ${status}`).toBe(`${path} 404`);
  }
  const signIn = await send(docent, '/v1/session', { email: person.email, password });
  expect(signIn.status).toBe(404);
  expect((await person.fetch('/v1/audit')).status).toBe(401);
  // Keys and readers are as before, and people are at the other port.
  const headers = { authorization: `Bearer ${docent.admin}` };
  expect((await fetch(`${docent.url}/v1/audit`, { headers })).status).toBe(200);
  expect((await docent.ask('How do I install Kestrel?')).status).toBe(200);
  expect((await fetch(`${origin}/v1/audit`, { headers: { cookie } })).status).toBe(200);
});

test('switched off, it is nowhere', async () => {
  await using docent = await startDocent({ dashboard: { enabled: false } });
  const { cookie } = await addPerson(docent, 'owner');
  expect(docent.docent).toMatchObject({ dashboardUrl: undefined, setupUrl: undefined });
  for (const path of paths) {
    const { status } = await fetch(docent.url + path, { headers: { cookie } });
    expect(`${path} ${status}`).toBe(`${path} 404`);
  }
  expect((await fetch(`${docent.url}/v1/audit`, { headers: { cookie } })).status).toBe(401);
});
