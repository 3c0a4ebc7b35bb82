/** The dashboard on a port of its own, and switched off. */
import type { NewShareReply } from '@docent/shared/jobs-list';
import { expect, test } from 'vitest';
import { agentOf, kestrelProject } from '../../support/agent.ts';
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

test('on a port of its own, people open the pages of projects there, and the public port takes shared links', async () => {
  await using docent = await startDocent({
    dashboard: { port: 0 },
    projects: [kestrelProject],
    runJobs: false,
  });
  const { origin } = new URL(docent.docent.dashboardUrl ?? '');
  const { body: job } = await agentOf(docent).create({ prompt: 'Fix the install page' });
  const page = `/projects/kestrel/jobs/${job.id}`;
  expect(job.pageUrl).toBe(`${origin}/dashboard${page}`);
  const { cookie } = await addPerson(docent, 'editor');
  const read = (at: string) =>
    fetch(`${at}/v1/projects/kestrel/jobs/${job.id}`, { headers: { cookie } });
  expect([(await read(origin)).status, (await read(docent.url)).status]).toEqual([200, 401]);
  const leads = await fetch(origin + page, { redirect: 'manual' });
  expect(new URL(leads.headers.get('location') ?? '', leads.url).href).toBe(
    `${origin}/dashboard${page}`,
  );
  // The public port doesn't say where the dashboard is.
  const closed = await fetch(docent.url + page, { redirect: 'manual' });
  expect([closed.status, closed.headers.get('location')]).toEqual([200, null]);
  expect((await fetch(`${docent.url}/dashboard${page}`)).status).toBe(404);
  const made = await fetch(`${origin}/v1/shares`, {
    method: 'POST',
    headers: { cookie, origin, 'content-type': 'application/json' },
    body: JSON.stringify({ project: 'kestrel', page: 'job', id: job.id }),
  });
  const { url } = (await made.json()) as NewShareReply;
  expect(url).toMatch(docent.url + page);
  const shown = await fetch(url);
  expect(shown.status).toBe(200);
  const [script = ''] = /[^"]*\/assets\/[^"]+\.js/.exec(await shown.text()) ?? [];
  expect((await fetch(new URL(script, url))).status).toBe(200);
  const headers = { 'x-share': new URL(url).searchParams.get('k') ?? '' };
  expect((await fetch(`${docent.url}/v1/shared`, { headers })).status).toBe(200);
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
