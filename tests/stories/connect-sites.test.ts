/** Sites from repositories that people connect in the dashboard, over HTTP: added, indexed, asked, changed, removed. */
import {
  postgresPrograms,
  startPostgres,
  type TestPostgres,
  whyNoPostgres,
} from '@docent/server/testing';
import type { ConnectReply, Connection, ConnectionsReply } from '@docent/shared/connections';
import type { ErrorBody } from '@docent/shared/errors';
import type { HostEventsReply } from '@docent/shared/host-events';
import type { ProjectsReply } from '@docent/shared/jobs-list';
import type {
  RecognizedSite,
  SettingsReply,
  SiteReply,
  SitesReply,
  TagReply,
} from '@docent/shared/sites';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createAsker, toBody } from '../support/ask.ts';
import { getJson, postJson } from '../support/call.ts';
import { serve, writeConfig } from '../support/cli.ts';
import { kestrel, putIndex, temporaryFolder } from '../support/fixture.ts';
import {
  deliverFromGitea,
  deliverFromGitHub,
  deliverFromGitLab,
} from '../support/forges/deliveries.ts';
import { startGiteaServer } from '../support/forges/gitea-server.ts';
import { startGitLabServer } from '../support/forges/gitlab-server.ts';
import { type GitHubServer, startGitHubServer } from '../support/github-server.ts';
import { addPerson } from '../support/person.ts';
import { makeKey, startDocent, type StartOptions } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const token = 'github_pat_11SITES0000000000000_canary';
const files = {
  'package.json': '{"name": "falcon-monorepo"}',
  'website/.vitepress/config.ts':
    "export default { title: 'Falcon', base: '/guide/', srcDir: 'pages', cleanUrls: true, sitemap: { hostname: 'https://falcon.test' } };\n",
  'website/pages/index.md': '# Falcon\n\nFalcon is a bird.\n',
  'website/pages/install.md':
    '# Install\n\nTo install Falcon, run `falcon-setup --quick` on the perch.\n',
  'code/notes.md': '# Notes\n\nNobody reads them.\n',
};
const site = {
  repository: 'falcon/docs',
  domain: 'falcon',
  name: 'Falcon',
  baseUrl: 'https://falcon.test/guide',
  folder: 'website/pages',
  allowedOrigins: ['https://falcon.test'],
  model: null,
};

type Person = Awaited<ReturnType<typeof addPerson>>;

let github: GitHubServer;
beforeAll(async () => {
  github = await startGitHubServer();
  await github.addRepository('falcon/docs', files);
  await github.addRepository('falcon/empty', { 'readme.txt': 'Nothing' });
  github.addToken(token);
});
afterAll(() => github[Symbol.asyncDispose]());

async function call<Reply>(person: Person, name: string, body?: unknown) {
  const [method = '', path = ''] = name.split(' ');
  const response = await person.fetch(path, { method, body });
  const text = await response.text();
  const read = (text === '' ? {} : JSON.parse(text)) as object;
  return { status: response.status, ...read } as Reply & Partial<ErrorBody> & { status: number };
}

async function start(options: StartOptions = {}) {
  const sites = { 'osprey-docs': { organization: 'kestrel' }, ...options.sites };
  const docent = await startDocent({ ...options, sites });
  onTestFinished(() => docent[Symbol.asyncDispose]());
  const owner = await addPerson(docent, 'owner');
  return { docent, owner };
}

async function connect(owner: Person, more: object = {}): Promise<Connection> {
  const body = { forge: 'github', url: github.url, token, ...more };
  return (await call<ConnectReply>(owner, 'POST /v1/connections', body)).connection;
}

const indexed = (owner: Person, domain = 'falcon') =>
  waitFor('the site to be indexed', async () => {
    const { run, pages, sources } = await call<SiteReply>(owner, `GET /v1/sites/${domain}`);
    if (run.error !== null) throw new Error(run.error);
    return run.status === 'complete' && { pages, sources };
  });

test('a site is recognized, added, indexed, asked without a restart, changed, and removed with everything', async () => {
  const { docent, owner } = await start();
  const { id: connection } = await connect(owner);
  const asked = { connection, repository: 'falcon/docs' };
  const found = await call<RecognizedSite>(owner, 'POST /v1/sites/recognize', asked);
  expect(found).toMatchObject({
    status: 200,
    generator: 'VitePress',
    domain: 'falcon',
    name: 'Falcon',
    folder: 'website/pages',
    baseUrl: 'https://falcon.test',
    allowedOrigins: ['https://falcon.test', 'http://localhost:5173', 'http://127.0.0.1:5173'],
  });
  const empty = { connection, repository: 'falcon/empty' };
  expect(await call(owner, 'POST /v1/sites/recognize', empty)).toMatchObject({
    status: 400,
    details: [{ path: 'repository' }],
  });
  const project = { connection, repository: 'falcon/docs', id: 'docs', docsRoot: 'website' };
  expect(await call(owner, 'POST /v1/projects', project)).toMatchObject({ status: 201 });

  const refused = async (more: object) => {
    const reply = await call(owner, 'POST /v1/sites', { ...site, connection, ...more });
    return [reply.status, reply.details?.[0]?.path];
  };
  expect(await refused({ domain: 'kestrel-docs' })).toEqual([400, 'domain']);
  expect(await refused({ domain: 'No Domain' })).toEqual([400, 'domain']);
  expect(await refused({ folder: 'dosc' })).toEqual([400, 'folder']);
  expect(await refused({ baseUrl: 'falcon.test' })).toEqual([400, 'baseUrl']);
  expect(await refused({ allowedOrigins: ['https://falcon.test/x'] })).toEqual([
    400,
    'allowedOrigins',
  ]);
  expect(await refused({ model: 'main' })).toEqual([400, 'model']);
  expect(await refused({ connection: 'x' })).toEqual([404, undefined]);
  const added = await call<SiteReply>(owner, 'POST /v1/sites', { ...site, connection });
  expect(added).toMatchObject({
    status: 201,
    from: 'dashboard',
    folder: 'website/pages',
    every: '1h',
  });
  expect(await refused({})).toEqual([400, 'domain']);
  expect(await indexed(owner)).toMatchObject({ pages: 2 });

  const { projects } = await call<ProjectsReply>(owner, 'GET /v1/projects');
  expect(projects).toMatchObject([{ id: 'docs', site: 'falcon' }]);
  const { settings } = await call<SettingsReply>(owner, 'GET /v1/settings');
  expect(settings).toContainEqual({
    path: 'sites.falcon.name',
    value: 'Falcon',
    from: 'dashboard',
  });
  const said = JSON.stringify([settings, await call(owner, 'GET /v1/audit')]);
  expect(said).toContain('site.added');
  expect(said).not.toContain(token);

  const { key } = await call<TagReply>(owner, 'POST /v1/sites/falcon/tag');
  const reader = createAsker(docent.url, { key, domain: 'falcon' });
  const statusFrom = async (origin: string) =>
    (await reader.post(toBody('How do I install Falcon?'), { headers: { origin } })).status;
  const answer = await reader.ask('How do I install Falcon?');
  expect(answer.text).toContain('falcon-setup --quick');
  expect(JSON.stringify(answer)).toContain('https://falcon.test/guide/install');
  expect(await statusFrom('https://falcon.test')).toBe(200);
  expect(await statusFrom('https://other.test')).toBe(403);

  const change = {
    ...site,
    name: 'Falcon 2',
    folder: 'website',
    allowedOrigins: ['https://other.test'],
  };
  const { repository: _, domain: __, ...changed } = change;
  expect(await call(owner, 'PATCH /v1/sites/falcon', changed)).toMatchObject({
    status: 200,
    name: 'Falcon 2',
  });
  expect(await statusFrom('https://other.test')).toBe(200);
  expect(await call(owner, 'PATCH /v1/sites/kestrel-docs', changed)).toMatchObject({ status: 409 });
  expect(await call(owner, 'DELETE /v1/sites/kestrel-docs')).toMatchObject({ status: 409 });
  await indexed(owner);

  expect(await call(owner, `DELETE /v1/connections/${connection}`)).toMatchObject({ status: 409 });
  await waitFor('the end of the run', async () => {
    const { status } = await call(owner, 'DELETE /v1/sites/falcon');
    return status === 204;
  });
  expect(await call(owner, 'GET /v1/sites/falcon')).toMatchObject({ status: 404 });
  expect(await statusFrom('https://falcon.test')).toBe(403);
  const { database, retriever } = docent.docent.services;
  for (const table of [
    'threads',
    'turns',
    'index_runs',
    'index_sources',
    'connected_sites',
  ] as const) {
    const rows = await database
      .selectFrom(table)
      .select('domain')
      .where('domain', '=', 'falcon')
      .execute();
    expect([table, rows]).toEqual([table, []]);
  }
  expect((await retriever.hashes('falcon')).size).toBe(0);
  const { projects: after } = await call<ProjectsReply>(owner, 'GET /v1/projects');
  expect(after).toMatchObject([{ id: 'docs', site: null }]);
  const { sites: left } = await call<SitesReply>(owner, 'GET /v1/sites');
  expect(left.map((one) => [one.domain, one.from])).toContainEqual(['kestrel-docs', 'file']);
});

test('repositories at Gitea and GitLab are read with the tokens of their connections', async () => {
  const { owner } = await start();
  await using gitea = await startGiteaServer();
  await using gitlab = await startGitLabServer();
  await gitea.addRepository('falcon/docs', files);
  await gitlab.addRepository('falcon/team/docs', files);
  gitea.addToken('gitea-full', { scopes: ['write:repository', 'read:user'], may: 'write' });
  gitlab.addToken('gitlab-full', { scopes: ['api'], may: 'write' });
  for (const [forge, server, repository] of [
    ['gitea', gitea, 'falcon/docs'],
    ['gitlab', gitlab, 'falcon/team/docs'],
  ] as const) {
    const { id } = await connect(owner, { forge, url: server.url, token: `${forge}-full` });
    const body = { ...site, connection: id, repository, domain: forge };
    expect(await call(owner, 'POST /v1/sites', body)).toMatchObject({ status: 201 });
    expect(await indexed(owner, forge)).toMatchObject({ pages: 2 });
  }
});

describe('a push', () => {
  const pushTo = (repository: string, branch: string, after: string, isGitLab = false) => ({
    ref: `refs/heads/${branch}`,
    before: '1'.repeat(40),
    after,
    ...(isGitLab
      ? {
          object_kind: 'push',
          project: { path_with_namespace: repository, default_branch: 'main' },
        }
      : { repository: { full_name: repository, default_branch: 'main' } }),
  });
  const newPage = { 'website/pages/nest.md': '# Nest\n\nFalcons nest on cliffs.\n' };

  test('to the branch of a site indexes it, whatever the host is; others say why they do not', async () => {
    const { owner, docent } = await start();
    await using gitea = await startGiteaServer();
    await using gitlab = await startGitLabServer();
    gitea.addToken('gitea-full', { scopes: ['write:repository', 'read:user'], may: 'write' });
    gitlab.addToken('gitlab-full', { scopes: ['api'], may: 'write' });
    const hosts = [
      ['github', github, token, 'falcon/pushed', deliverFromGitHub],
      ['gitea', gitea, 'gitea-full', 'falcon/pushed', deliverFromGitea],
      ['gitlab', gitlab, 'gitlab-full', 'falcon/team/pushed', deliverFromGitLab],
    ] as const;
    for (const [forge, server, secret, repository, deliver] of hosts) {
      const { docs } = await server.addRepository(repository, files);
      const body = { forge, url: server.url, token: secret };
      const made = await call<ConnectReply>(owner, 'POST /v1/connections', body);
      const { id, hook } = made.connection;
      const added = { ...site, connection: id, repository, domain: forge };
      expect(await call(owner, 'POST /v1/sites', added)).toMatchObject({ status: 201 });
      expect(await indexed(owner, forge)).toMatchObject({ pages: 2 });
      const isGitLab = forge === 'gitlab';
      const send = async (branch: string, after: string, repositoryNow: string = repository) => {
        const id = `${branch} ${after} ${repositoryNow}`;
        const payload = pushTo(repositoryNow, branch, after, isGitLab);
        const event = isGitLab ? 'Push Hook' : 'push';
        const sent = deliver({ event, payload, secret: made.hookSecret, id });
        const reply = await fetch(hook ?? '', { method: 'POST', ...sent });
        return [reply.status, ((await reply.json()) as { status: string }).status];
      };
      const commit = await docs.commit(newPage, 'Nest');
      const tip = (letter: string) => letter.repeat(40);
      expect(await send('fix', tip('a'))).toEqual([202, 'ignored']);
      expect(await send('main', '0'.repeat(40))).toEqual([202, 'ignored']);
      expect(await send('main', tip('b'), 'falcon/others')).toEqual([202, 'ignored']);
      expect(await send('main', tip('c'))).toEqual([202, 'waiting']);
      expect(await send('main', commit)).toEqual([202, 'waiting']);
      // The same delivery again is no other push.
      expect(await send('main', commit)).toEqual([202, 'waiting']);
      // It waits until the pushes are over.
      const { isRequested } = await docent.docent.services.indexer.runs.read(forge);
      expect(isRequested).toBe(false);
      await waitFor(`the pages of ${forge}`, async () => (await indexed(owner, forge)).pages === 3);
      const { events } = await call<HostEventsReply>(
        owner,
        `GET /v1/connections/${id}/host-events`,
      );
      expect(events.map(({ status, reason }) => [status, reason])).toEqual([
        ['done', `Indexing ${forge}.`],
        ['done', 'The push after it counts.'],
        ['ignored', 'No site is built from the branch “main” of this repository.'],
        ['ignored', 'The branch was deleted.'],
        ['ignored', 'No site is built from the branch “fix” of this repository.'],
      ]);
    }
  });
});

test('the file wins: a site of the dashboard is in its shadow, comes back, and can be removed there', async () => {
  await using folder = await temporaryFolder();
  const { owner, docent } = await start({ dataFolder: folder.path });
  const connection = await connect(owner);
  const { id } = connection;
  expect(await call(owner, 'POST /v1/sites', { ...site, connection: id })).toMatchObject({
    status: 201,
  });
  await indexed(owner);
  await docent.docent.close();
  const again = await start({
    dataFolder: folder.path,
    sites: { 'kestrel-blog': { domain: 'falcon' } },
  });
  const seen = await call<SiteReply>(again.owner, 'GET /v1/sites/falcon');
  expect(seen).toMatchObject({ from: 'file' });
  const { connections } = await call<ConnectionsReply>(again.owner, 'GET /v1/connections');
  expect(connections[0]?.sites).toEqual([{ id: 'falcon', isUsed: false }]);
  expect(await call(again.owner, 'DELETE /v1/sites/falcon')).toMatchObject({ status: 204 });
  expect(await call(again.owner, 'DELETE /v1/sites/falcon')).toMatchObject({ status: 409 });
  expect((await again.docent.docent.services.retriever.hashes('falcon')).size).toBeGreaterThan(0);
});

describe('a site that was added at one process', () => {
  if (postgresPrograms === undefined) {
    test('is known at the other', (context) => context.skip(whyNoPostgres));
    return;
  }
  let postgres: TestPostgres;
  beforeAll(async () => void (postgres = await startPostgres()));
  afterAll(() => postgres[Symbol.asyncDispose]());

  test('answers at the other, and is gone there when it’s removed', async () => {
    await using folder = await temporaryFolder();
    await putIndex(folder.path);
    const env = { DATABASE_URL: await postgres.createDatabase() };
    const config = await writeConfig(folder.path, {
      server: { port: 0, dataFolder: '.' },
      sites: [kestrel],
    });
    await using one = await serve(config, { env });
    await using other = await serve(config, { env });
    const admin = await makeKey(config, env, 'admin');
    const at = (server: { url: string }) => ({ url: server.url, key: admin });
    const body = { forge: 'github', url: github.url, token };
    const { connection, hookSecret } = (
      await postJson<ConnectReply>(at(one), '/v1/connections', body)
    ).body;
    const runsOf = ({ output }: { output: { stderr: string } }) =>
      output.stderr.split('"msg":"indexing"').length - 1;
    const added = await postJson(at(one), '/v1/sites', { ...site, connection: connection.id });
    expect(added.status).toBe(201);
    expect((await getJson(at(other), '/v1/sites/falcon')).status).toBe(200);
    await waitFor('the site to be indexed', async () => {
      const { body: shown } = await getJson<SiteReply>(at(other), '/v1/sites/falcon');
      return shown.run.status === 'complete';
    });
    // Both processes hear of the same push, and of one more: one of them indexes, once.
    const before = runsOf(one) + runsOf(other);
    for (const [server, after] of [
      [one, 'a'],
      [other, 'a'],
      [other, 'b'],
    ] as const) {
      const payload = {
        ref: 'refs/heads/main',
        after: after.repeat(40),
        repository: { full_name: site.repository, default_branch: 'main' },
      };
      const sent = deliverFromGitHub({ event: 'push', payload, secret: hookSecret, id: after });
      const address = `${server.url}/v1/hooks/${connection.id}`;
      expect((await fetch(address, { method: 'POST', ...sent })).status).toBe(202);
    }
    const waiting = async () => {
      const path = `/v1/connections/${connection.id}/host-events`;
      const { events } = (await getJson<HostEventsReply>(at(one), path)).body;
      return events.map(({ status }) => status);
    };
    expect(await waiting()).toEqual(['waiting', 'waiting']);
    await waitFor('both pushes', async () => (await waiting()).join() === 'done,done');
    await waitFor('a run', () => runsOf(one) + runsOf(other) === before + 1);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(runsOf(one) + runsOf(other)).toBe(before + 1);
    const { key } = (await postJson<TagReply>(at(other), '/v1/sites/falcon/tag', undefined)).body;
    const reader = createAsker(other.url, { key, domain: 'falcon' });
    // A process looks once a second whether there is a newer index.
    await waitFor('an answer', async () =>
      (await reader.ask('How do I install Falcon?')).text.includes('falcon-setup'),
    );
    const gone = await fetch(`${one.url}/v1/sites/falcon`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${admin}` },
    });
    expect(gone.status).toBe(204);
    await waitFor('the other one to hear of it', async () => {
      const { status } = await getJson(at(other), '/v1/sites/falcon');
      return status === 404;
    });
  });
});
