/** Jobs of an organization, their pages behind a session, and links that share one. */
import type { AllJobsReply, NewShareReply, SharesReply } from '@docent/shared/jobs-list';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentOf, kestrelProject } from '../../support/agent.ts';
import { makeRepository } from '../../support/docs-repository.ts';
import { addPerson } from '../../support/person.ts';
import { startDocent, type TestDocent } from '../../support/start-docent.ts';

let docent: TestDocent;
let job: string;

beforeAll(async () => {
  docent = await startDocent({ runJobs: false, projects: [kestrelProject] });
  job = (await agentOf(docent).create({ prompt: 'Fix the install page' })).body.id;
});
afterAll(() => docent[Symbol.asyncDispose]());

const pagePath = () => `/projects/${kestrelProject.id}/jobs/${job}`;

test('jobs of all projects, page by page', async () => {
  const viewer = await addPerson(docent, 'viewer');
  await agentOf(docent).create({ prompt: 'Another one' });
  const read = async (query: string) =>
    (await (await viewer.fetch(`/v1/jobs${query}`)).json()) as AllJobsReply;
  const first = await read('?limit=1');
  expect(first).toMatchObject({ hasMore: true, jobs: [{ project: kestrelProject.id }] });
  const second = await read(`?limit=1&cursor=${first.nextCursor}`);
  expect(second).toMatchObject({ hasMore: false, nextCursor: null, jobs: [{ id: job }] });
  expect((await read('?status=failed')).jobs).toEqual([]);
  expect(second.jobs[0]?.pageUrl).not.toContain('?');
  const foreign = await addPerson(docent, 'owner', 'osprey');
  const theirs = (await (await foreign.fetch('/v1/jobs')).json()) as AllJobsReply;
  expect(theirs.jobs).toEqual([]);
});

test('a session opens the page of a job; only editors act on it, from our own page', async () => {
  const act = (cookie: string, headers: Record<string, string> = {}) =>
    fetch(`${docent.url}${pagePath()}/message`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        cookie,
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
      body: new URLSearchParams({
        prompt: 'Also the home page',
        once: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      }),
    });
  const [viewer, editor, foreign] = await Promise.all([
    addPerson(docent, 'viewer'),
    addPerson(docent, 'editor'),
    addPerson(docent, 'owner', 'osprey'),
  ]);
  const open = async (cookie: string) =>
    (await fetch(docent.url + pagePath(), { headers: { cookie } })).status;
  expect([await open(viewer.cookie), await open(foreign.cookie), await open('')]).toEqual([
    200, 401, 401,
  ]);
  const text = await (
    await fetch(docent.url + pagePath(), { headers: { cookie: editor.cookie } })
  ).text();
  expect(text).toContain('Fix the install page');
  // No address on the page contains a permission.
  expect(text).not.toMatch(/[?&]k=/);
  expect((await act(viewer.cookie)).status).toBe(403);
  expect((await act(editor.cookie, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  const acted = await act(editor.cookie);
  expect(acted.status).toBe(303);
  const { entries } = (await (
    await fetch(`${docent.url}/v1/audit?job=${job}`, {
      headers: { authorization: `Bearer ${docent.admin}` },
    })
  ).json()) as { entries: { actor: { kind: string; id: string } }[] };
  expect(entries.some(({ actor }) => actor.kind === 'person' && actor.id === editor.id)).toBe(true);
});

test('a shared link reads one page until it is revoked or expires', async () => {
  const editor = await addPerson(docent, 'editor');
  const made = await editor.fetch('/v1/shares', {
    method: 'POST',
    body: { project: kestrelProject.id, page: 'job', id: job, days: 2 },
  });
  expect(made.status).toBe(201);
  const { share, url } = (await made.json()) as NewShareReply;
  expect((await fetch(url)).status).toBe(200);
  expect((await fetch(url.replace('?', '/log?'))).status).toBe(200);
  const other = (await agentOf(docent).create({ prompt: 'Other' })).body.id;
  expect((await fetch(url.replace(job, other))).status).toBe(401);
  const acted = await fetch(url.replace('?', '/cancel?'), {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  expect(acted.status).toBe(401);

  const list = async () =>
    ((await (await editor.fetch('/v1/shares')).json()) as SharesReply).shares;
  expect(await list()).toEqual([share]);
  const foreign = await addPerson(docent, 'owner', 'osprey');
  expect((await foreign.fetch(`/v1/shares/${share.id}`, { method: 'DELETE' })).status).toBe(404);
  expect((await editor.fetch(`/v1/shares/${share.id}`, { method: 'DELETE' })).status).toBe(204);
  expect((await fetch(url)).status).toBe(401);
  expect(await list()).toEqual([]);
  const unknown = await editor.fetch('/v1/shares', {
    method: 'POST',
    body: { project: kestrelProject.id, page: 'job', id: 'none', days: 2 },
  });
  expect(unknown.status).toBe(404);
});

test('a pull request is shared by its number, if it exists', async () => {
  await using docs = await makeRepository({ 'docs/install.md': '# Install\n' });
  const project = { ...kestrelProject, repository: docs.path };
  await using local = await startDocent({ runJobs: false, projects: [project] });
  const { forges, projects } = local.docent.services;
  const known = projects.byId(project.id);
  const request = { branch: 'docent/one', base: 'main', title: 'One', body: '', isDraft: false };
  const baseCommit = (await docs.tip()) ?? '';
  await (known && forges.localForge(known))?.pulls.create({ ...request, baseCommit });
  const editor = await addPerson(local, 'editor');
  const share = (id: string, page = 'pull') =>
    editor.fetch('/v1/shares', { method: 'POST', body: { project: project.id, page, id } });

  const made = await share('01');
  expect(made.status).toBe(201);
  const { share: kept, url } = (await made.json()) as NewShareReply;
  expect(kept).toMatchObject({ page: 'pull', pageId: '1' });
  expect(new URL(url).pathname).toBe('/projects/kestrel/pulls/1');
  expect((await fetch(url)).status).toBe(200);
  for (const id of ['2', '1e0', '0x1', ' 1', '1.0', '-1', '', '99999999999999999999']) {
    expect([id, (await share(id)).status]).toEqual([id, id === '' ? 400 : 404]);
  }
});
