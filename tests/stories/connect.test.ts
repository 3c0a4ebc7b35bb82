/** Hosts of repositories that people connect in the dashboard, over HTTP: tokens, GitHub Apps, and their projects. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  AddProjectReply,
  BeginAppReply,
  Connection,
  ConnectReply,
  ConnectionReply,
  ConnectionsReply,
  HostHealthReply,
  RepositoriesReply,
} from '@docent/shared/connections';
import type { ErrorBody } from '@docent/shared/errors';
import type { ProjectsReply } from '@docent/shared/jobs-list';
import type { SiteReply } from '@docent/shared/sites';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { agentOf } from '../support/agent.ts';
import { temporaryFolder } from '../support/fixture.ts';
import { startGiteaServer } from '../support/forges/gitea-server.ts';
import { startGitLabServer } from '../support/forges/gitlab-server.ts';
import { deliver } from '../support/github/conversation.ts';
import { type GitHubServer, startGitHubServer } from '../support/github-server.ts';
import { addPerson } from '../support/person.ts';
import { type StartOptions, startDocent, type TestDocent } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const token = 'github_pat_11CONNECT00000000_canary';
const files = {
  'docs/install.md': '# Install\n\nSee [usage](usag.md).\n',
  'docs/usage.md': '# Usage\n',
};

type Person = Awaited<ReturnType<typeof addPerson>>;

let github: GitHubServer;

beforeAll(async () => {
  github = await startGitHubServer();
  await github.addRepository('kestrel/docs', files);
  await github.addRepository('kestrel/handbook', files);
  github.addToken(token);
});
afterAll(() => github[Symbol.asyncDispose]());

async function start(options: StartOptions = {}) {
  const docent = await startDocent({
    // One organization has the service for itself.
    sites: { 'osprey-docs': { organization: 'kestrel' } },
    ...options,
  });
  onTestFinished(() => docent[Symbol.asyncDispose]());
  return { docent, owner: await addPerson(docent, 'owner') };
}

async function call<Reply>(person: Person, name: string, body?: unknown): Promise<Reply> {
  const [method = '', path = ''] = name.split(' ');
  const response = await person.fetch(path, { method, body });
  const text = await response.text();
  const read = (text === '' ? {} : JSON.parse(text)) as object;
  return { status: response.status, ...read } as Reply;
}

const connect = (person: Person, more: object = {}) =>
  call<ConnectReply & ErrorBody & { status: number }>(person, 'POST /v1/connections', {
    forge: 'github',
    url: github.url,
    token,
    ...more,
  });

const add = (person: Person, connection: Connection, more: object = {}) =>
  call<AddProjectReply & ErrorBody & { status: number }>(person, 'POST /v1/projects', {
    connection: connection.id,
    repository: 'kestrel/docs',
    id: 'docs',
    docsRoot: 'docs',
    ...more,
  });

/** What a person does in the browser, up to GitHub's redirect. */
async function makeApp(person: Person, { hookUrl = null as string | null } = {}) {
  const { page } = await call<BeginAppReply>(person, 'POST /v1/connections/github', {
    url: github.url,
    owner: 'kestrel',
    hookUrl,
  });
  const html = await (await person.fetch(page)).text();
  const field = (name: string) =>
    (new RegExp(`${name}="([^"]*)"`).exec(html)?.[1] ?? '')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&');
  const post = (address: string, form: Record<string, string>) =>
    fetch(address, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
  const action = new URL(field('action'));
  const manifest = field('name="manifest" value');
  expect(await (await post(action.href, { manifest })).text()).toContain(
    'Create GitHub App for kestrel',
  );
  const state = action.searchParams.get('state') ?? '';
  const { name } = JSON.parse(manifest) as { name: string };
  const made = await post(`${github.url}/settings/apps`, {
    manifest,
    state,
    owner: 'kestrel',
    name,
  });
  const back = new URL(made.headers.get('location') ?? '');
  return { page, state, back, code: back.searchParams.get('code') ?? '', manifest };
}

const finish = (person: Person, { code, state }: { code: string; state: string }) =>
  call<ConnectionReply & ErrorBody & { status: number }>(
    person,
    'POST /v1/connections/github/finish',
    {
      code,
      state,
    },
  );

/** Chooses repositories on GitHub's page; returns the installation's number. */
async function install({ installUrl }: Connection, repositories: string[]): Promise<number> {
  const form = new URLSearchParams(repositories.map((name) => ['repository', name]));
  const response = await fetch(installUrl ?? '', {
    method: 'POST',
    body: form,
    redirect: 'manual',
  });
  const to = new URL(response.headers.get('location') ?? '');
  return Number(to.searchParams.get('installation_id'));
}

/** A job without a model, up to its end. */
async function fixLinks(docent: TestDocent, project: string) {
  const agent = agentOf(docent, project);
  const { body } = await agent.create({ command: { type: 'fix-links' } });
  return waitFor('the job to end', async () => {
    const { body: job } = await agent.read(body.id);
    return job.status !== 'active' && job;
  });
}

test('a token becomes a connection, a repository a project, and a job a pull request', async () => {
  const { docent, owner } = await start();
  const { connection, hookSecret } = await connect(owner);
  expect(connection).toMatchObject({ forge: 'github', account: 'docs-bot', installUrl: null });
  const repositories = `GET /v1/connections/${connection.id}/repositories`;
  const before = await call<RepositoriesReply>(owner, repositories);
  expect(before.repositories).toEqual([
    { path: 'kestrel/docs', url: github.repositoryUrl('kestrel/docs'), project: null },
    { path: 'kestrel/handbook', url: github.repositoryUrl('kestrel/handbook'), project: null },
  ]);
  const wrong = await add(owner, connection, { docsRoot: 'dosc' });
  expect(wrong).toMatchObject({ status: 400 });
  expect(wrong.error).toContain('there is no Markdown in dosc/');
  const added = await add(owner, connection, { site: 'kestrel-docs' });
  expect(added).toMatchObject({ status: 201, id: 'docs' });
  expect(added.checks).toContain('commits and pull requests can be written');
  expect(await add(owner, connection)).toMatchObject({ status: 400, details: [{ path: 'id' }] });
  const twice = await add(owner, connection, { id: 'two', site: 'kestrel-docs' });
  expect(twice).toMatchObject({ status: 400, details: [{ path: 'site' }] });
  const after = await call<RepositoriesReply>(owner, repositories);
  expect(after.repositories[0]?.project).toBe('docs');

  expect(await fixLinks(docent, 'docs')).toMatchObject({
    status: 'completed',
    prLink: `${github.url}/kestrel/docs/pull/1`,
  });

  const hosted = github.repository('kestrel/docs');
  hosted.conversation.addPerson('dana', 'write');
  hosted.conversation.fail(hosted.pulls[0]?.headCommit ?? '', 'spelling', {});
  hosted.conversation.review(1, 'dana', 'Not yet', [], 'CHANGES_REQUESTED');
  const ping = { event: 'ping', payload: { zen: 'Keep it logically awesome.', hook_id: 1 } };
  expect((await deliver(connection.hook ?? '', hookSecret, ping)).status).toBe(202);
  expect((await deliver(connection.hook ?? '', 'another secret', ping)).status).toBe(401);
  const comment = hosted.conversation.comment(1, 'dana', '@docent fix the other one.');
  expect((await deliver(connection.hook ?? '', hookSecret, comment)).status).toBe(202);
  const health = await call<HostHealthReply>(owner, 'GET /v1/projects/docs/host');
  expect(health).toMatchObject({
    forge: 'github',
    connection: { account: 'docs-bot' },
    lastEvent: { name: 'issue_comment created' },
    rateLimit: { limit: 5000, left: 4990 },
    pulls: [{ number: 1, checks: 'failing', review: 'changes_requested' }],
  });
  expect(health.checks.map(({ passed }) => passed)).toEqual([true, true, true, true]);

  expect(await call(owner, `DELETE /v1/connections/${connection.id}`)).toMatchObject({
    status: 409,
  });
  expect(await call(owner, 'DELETE /v1/projects/docs')).toMatchObject({ status: 204 });
  expect(await call(owner, `DELETE /v1/connections/${connection.id}`)).toMatchObject({
    status: 204,
  });
  expect(await call(owner, 'GET /v1/projects/docs/host')).toMatchObject({ status: 404 });
  expect((await deliver(connection.hook ?? '', hookSecret, comment)).status).toBe(404);
});

test('an App: its state works once and for its person, its installation is asked for, a second one replaces nothing', async () => {
  const { docent, owner } = await start();
  const others = await Promise.all([
    addPerson(docent, 'admin'),
    addPerson(docent, 'owner', 'osprey'),
  ]);
  const begun = await makeApp(owner, { hookUrl: docent.url });
  expect(begun.back.searchParams.get('state')).toBe(begun.state);
  for (const other of others) {
    expect(await finish(other, begun)).toMatchObject({ status: 403 });
    expect((await other.fetch(begun.page)).status).toBe(403);
  }
  const { connection, status } = await finish(owner, begun);
  expect(status).toBe(201);
  expect(await finish(owner, begun)).toMatchObject({ status: 403 });

  // A code of somebody else's App goes nowhere without a state of this person.
  const second = await makeApp(owner);
  expect(await finish(owner, { ...second, state: begun.state })).toMatchObject({ status: 403 });
  const other = (await finish(owner, second)).connection;
  const { connections } = await call<ConnectionsReply>(owner, 'GET /v1/connections');
  expect(connections.map(({ id }) => id)).toEqual([connection.id, other.id]);
  expect(other.hook).toBeNull();

  const installation = await install(connection, ['kestrel/docs']);
  const seen = (installationId: number, person: Person = owner) =>
    call<ConnectionReply & { status: number }>(person, 'POST /v1/connections/installed', {
      installationId,
    });
  const foreign = github.addApp({ repositories: ['kestrel/handbook'] }).installation.id;
  expect((await seen(installation)).connection.id).toBe(connection.id);
  expect(await seen(foreign)).toMatchObject({ status: 404 });
  expect(await seen(installation, others[1])).toMatchObject({ status: 404 });

  const { repositories } = await call<RepositoriesReply>(
    owner,
    `GET /v1/connections/${connection.id}/repositories`,
  );
  expect(repositories.map(({ path }) => path)).toEqual(['kestrel/docs']);
  const none = await call<RepositoriesReply>(owner, `GET /v1/connections/${other.id}/repositories`);
  expect(none.repositories).toEqual([]);
  expect(await add(owner, connection, { repository: 'kestrel/handbook' })).toMatchObject({
    status: 400,
  });
  expect(await add(owner, connection)).toMatchObject({ status: 201 });
  const site = { name: 'Docs', domain: 'docs', folder: 'docs', baseUrl: null, model: null };
  const ofRepository = { ...site, connection: connection.id, allowedOrigins: [] };
  expect(
    await call(owner, 'POST /v1/sites', { ...ofRepository, repository: 'kestrel/docs' }),
  ).toMatchObject({ status: 201 });
  await waitFor('the site to be indexed with a token of the App', async () => {
    const { pages } = await call<SiteReply>(owner, 'GET /v1/sites/docs');
    return pages === 2;
  });
  const job = await fixLinks(docent, 'docs');
  expect(job).toMatchObject({ status: 'completed' });
  const [app] = github.appPages.registered.slice(-2);
  const minted = github.minted.filter(({ permissions }) => permissions.contents === 'write');
  expect(minted.at(-1)?.repositories).toEqual(['kestrel/docs']);
  const health = await call<HostHealthReply>(owner, 'GET /v1/projects/docs/host');
  expect(health.pulls).toMatchObject([{ checks: 'none', review: 'none' }]);

  // The App's webhook has the secret that GitHub made for it.
  const ping = { event: 'installation', payload: { action: 'created' } };
  const arrived = await deliver(connection.hook ?? '', app?.webhookSecret ?? '', ping);
  expect(arrived.status).toBe(202);

  const said = JSON.stringify([connections, health, await call(owner, 'GET /v1/settings')]);
  const lines = (app?.app.privateKey ?? '').split('\n').filter((line) => line.length > 40);
  const entries = await readdir(docent.dataFolder, { recursive: true, withFileTypes: true });
  const kept = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')),
  );
  const audit = JSON.stringify(await call(owner, 'GET /v1/audit'));
  expect(audit).toContain('host.connected');
  expect(audit).toContain('project.added');
  for (const text of [said, audit, ...kept]) {
    expect(lines.some((line) => text.includes(line))).toBe(false);
    expect(text.includes(app?.webhookSecret ?? '?')).toBe(false);
  }
  expect(lines.length).toBeGreaterThan(10);
  const { mode } = await stat(join(docent.dataFolder, 'credentials.key'));
  expect(mode & 0o777).toBe(0o600);
});

test('what a token lacks is said at once, and nothing is kept', async () => {
  const { owner } = await start();
  await using gitea = await startGiteaServer();
  await using gitlab = await startGitLabServer();
  await gitea.addRepository('acme/docs', files);
  await gitlab.addRepository('acme/team/docs', files);
  const full = { gitea: ['write:repository', 'read:user'], gitlab: ['api'] };
  gitea.addToken('gitea-full', { scopes: full.gitea, may: 'write' });
  gitea.addToken('gitea-read', { scopes: ['read:repository', 'read:user'], may: 'write' });
  gitea.addToken('gitea-reader', { scopes: full.gitea, may: 'read' });
  gitlab.addToken('gitlab-full', { scopes: full.gitlab, may: 'write' });
  gitlab.addToken('gitlab-read', { scopes: ['read_api'], may: 'write' });
  github.addToken('github-read', { permissions: { contents: 'read', pull_requests: 'write' } });
  const at = { gitea: gitea.url, gitlab: gitlab.url, github: github.url };
  const said = async (forge: keyof typeof at, secret: string) => {
    const { status, error } = await connect(owner, { forge, url: at[forge], token: secret });
    return `${status} ${error}`;
  };
  expect([
    await said('gitea', 'gitea-read'),
    await said('gitea', 'gitea-reader'),
    await said('gitea', 'nonsense'),
    await said('gitlab', 'gitlab-read'),
    await said('github', 'github-read'),
  ]).toEqual([
    expect.stringContaining(
      '400 The connected token lacks a scope; it needs “repository” to read and write',
    ),
    expect.stringContaining('400 docs-bot can write to no repository'),
    expect.stringContaining('rejects the token: it is wrong, expired, or was revoked'),
    expect.stringContaining('400 The connected token lacks the scope “api”'),
    expect.stringContaining('400 GitHub'),
  ]);
  expect(await call(owner, 'GET /v1/connections')).toMatchObject({ connections: [] });
  expect(await connect(owner, { url: 'http://git.example.com' })).toMatchObject({
    status: 400,
    details: [{ path: 'url' }],
  });

  const jobs = { gitea: 'acme/docs', gitlab: 'acme/team/docs' };
  for (const forge of ['gitea', 'gitlab'] as const) {
    const { connection } = await connect(owner, { forge, url: at[forge], token: `${forge}-full` });
    const { repositories } = await call<RepositoriesReply>(
      owner,
      `GET /v1/connections/${connection.id}/repositories`,
    );
    expect(repositories).toMatchObject([{ path: jobs[forge], url: `${at[forge]}/${jobs[forge]}` }]);
    const project = { repository: jobs[forge], id: forge };
    expect(await add(owner, connection, project)).toMatchObject({ status: 201 });
    const health = await call<HostHealthReply>(owner, `GET /v1/projects/${forge}/host`);
    expect(health).toMatchObject({ forge, rateLimit: null, lastEvent: null, pulls: [] });
  }
});

test('the file wins, roles count, and organizations that share a service reach no host of its network', async () => {
  const { docent, owner } = await start({
    sites: {},
    projects: [
      {
        id: 'docs',
        organization: 'kestrel',
        repository: github.repositoryUrl('kestrel/handbook'),
        github: { tokenEnv: 'DOCS_TOKEN' },
      },
    ],
    variables: { DOCS_TOKEN: token },
  });
  const { connection } = await connect(owner);
  expect(connection.account).toBe('docs-bot');
  expect(await add(owner, connection)).toMatchObject({ status: 400, details: [{ path: 'id' }] });
  // As if the file had it later than the dashboard.
  const { database, projects } = docent.docent.services;
  const row = {
    id: 'docs',
    organization: 'kestrel',
    connection: connection.id,
    settings: '{}',
    created_at: '',
    created_by: '',
  };
  await database
    .insertInto('connected_projects')
    .values({ ...row, repository: github.repositoryUrl('kestrel/docs') })
    .execute();
  await projects.connected.changed();
  const { projects: shown } = await call<ProjectsReply>(owner, 'GET /v1/projects');
  expect(shown).toMatchObject([
    { id: 'docs', from: 'file', repository: github.repositoryUrl('kestrel/handbook') },
  ]);

  const editor = await addPerson(docent, 'editor');
  expect(await connect(editor)).toMatchObject({ status: 403 });
  expect(await call(editor, 'GET /v1/connections')).toMatchObject({ status: 403 });
  const stranger = await addPerson(docent, 'owner', 'osprey');
  expect(await add(stranger, connection, { id: 'mine' })).toMatchObject({ status: 404 });
  const inside = { url: 'http://127.0.0.1:1', forge: 'gitea' };
  expect(await connect(stranger, inside)).toMatchObject({
    status: 403,
    details: [{ path: 'url' }],
  });
});

test('with another key, credentials are unreadable, and everything says what to restore', async () => {
  await using folder = await temporaryFolder();
  const sites = { 'osprey-docs': { organization: 'kestrel' } };
  const first = await startDocent({ dataFolder: folder.path, sites });
  const owner = await addPerson(first, 'owner');
  const { connection } = await connect(owner);
  expect(await add(owner, connection)).toMatchObject({ status: 201 });
  await first[Symbol.asyncDispose]();
  const { docent, owner: again } = await start({
    dataFolder: folder.path,
    variables: { DOCENT_CREDENTIALS_KEY: 'another random text of more than 32 characters' },
  });
  const words = 'were encrypted with another key. Restore DOCENT_CREDENTIALS_KEY';
  const repositories = await call<ErrorBody & { status: number }>(
    again,
    `GET /v1/connections/${connection.id}/repositories`,
  );
  expect(repositories).toMatchObject({ status: 409, error: expect.stringContaining(words) });
  const health = await call<HostHealthReply>(again, 'GET /v1/projects/docs/host');
  expect(health.checks).toMatchObject([{ passed: false, says: expect.stringContaining(words) }]);
  const job = await fixLinks(docent, 'docs');
  expect(job).toMatchObject({ status: 'failed', failure: { code: 'forge_not_configured' } });
});

test('a token is replaced in place once the new one was checked, and a project is changed', async () => {
  const { docent, owner } = await start();
  const old = 'github_pat_11OLD0000000000000000000000';
  const fresh = 'github_pat_11FRESH00000000000000000000';
  github.addToken(old);
  github.addToken(fresh);
  github.addToken('github-reader', { permissions: { contents: 'read', pull_requests: 'write' } });
  const { connection } = await connect(owner, { token: old });
  // Of its own: the tests before have used up what may be written to the other in a minute.
  const repository = 'kestrel/handbook';
  expect(await add(owner, connection, { repository })).toMatchObject({ status: 201 });
  const said = async () => {
    const health = await call<HostHealthReply>(owner, 'GET /v1/projects/docs/host');
    return health.checks.every(({ passed }) => passed);
  };
  expect(await said()).toBe(true);
  const replace = (secret: string) =>
    call(owner, `PATCH /v1/connections/${connection.id}`, { token: secret });
  expect(await replace('github-reader')).toMatchObject({
    status: 400,
    details: [{ path: 'token' }],
  });
  expect(await replace('nonsense')).toMatchObject({ status: 400, details: [{ path: 'token' }] });
  github.revokeToken(old);
  const failed = await fixLinks(docent, 'docs');
  expect([failed.status, JSON.stringify(failed)]).toEqual([
    'failed',
    expect.stringContaining('rejects the connected token'),
  ]);
  expect(await replace(fresh)).toMatchObject({ status: 200 });
  const change = (more: object) =>
    call<ErrorBody & { status: number }>(owner, 'PATCH /v1/projects/docs', more);
  const wrong = await change({ docsRoot: 'docs', baseBranch: 'nowhere' });
  expect([wrong.status, wrong.error]).toEqual([
    400,
    expect.stringContaining('no branch “nowhere”'),
  ]);
  expect(await change({ reviewers: ['not a name'] })).toMatchObject({
    status: 400,
    details: [{ path: 'reviewers' }],
  });
  const set = { docsRoot: 'docs', draft: 'always', labels: ['docs'], reviewers: [] };
  expect(await change(set)).toMatchObject({ status: 200 });
  const { projects } = await call<ProjectsReply>(owner, 'GET /v1/projects');
  expect(projects).toMatchObject([{ ...set, baseBranch: null }]);
  expect(await fixLinks(docent, 'docs')).toMatchObject({ status: 'completed' });
  expect(github.repository(repository).pulls.at(-1)?.isDraft).toBe(true);
  expect(github.repository(repository).conversation.labels).toEqual([[expect.any(Number), 'docs']]);
  const audit = JSON.stringify(await call(owner, 'GET /v1/audit'));
  expect(audit).toContain('host.token_replaced');
  expect(audit).not.toContain(fresh);
});
