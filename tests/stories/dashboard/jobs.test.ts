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

test('a shared link reads one page until it is revoked or expires', async () => {
  const editor = await addPerson(docent, 'editor');
  const made = await editor.fetch('/v1/shares', {
    method: 'POST',
    body: { project: kestrelProject.id, page: 'job', id: job, days: 2 },
  });
  expect(made.status).toBe(201);
  const { share, url } = (await made.json()) as NewShareReply;
  const open = async () => {
    const headers = { 'x-share': new URL(url).searchParams.get('k') ?? '' };
    return (await fetch(`${docent.url}/v1/shared`, { headers })).status;
  };
  expect(await open()).toBe(200);

  const list = async () =>
    ((await (await editor.fetch('/v1/shares')).json()) as SharesReply).shares;
  expect(await list()).toEqual([share]);
  const foreign = await addPerson(docent, 'owner', 'osprey');
  expect((await foreign.fetch(`/v1/shares/${share.id}`, { method: 'DELETE' })).status).toBe(404);
  expect((await editor.fetch(`/v1/shares/${share.id}`, { method: 'DELETE' })).status).toBe(204);
  expect(await open()).toBe(401);
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
