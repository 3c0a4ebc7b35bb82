/** From an instruction over HTTP to a merged pull request at GitHub, with a token that nobody gets to see. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { agentOf } from '../support/agent.ts';
import { follow } from '../support/agent-script.ts';
import { getJson } from '../support/call.ts';
import { serve, writeConfig } from '../support/cli.ts';
import { kestrel, putIndex, temporaryFolder } from '../support/fixture.ts';
import {
  type GitHubServer,
  type HostedRepository,
  startGitHubServer,
} from '../support/github-server.ts';
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { makeKey, startDocent, toModel } from '../support/start-docent.ts';
import { verifies } from '../support/verifies.ts';
import { waitFor } from '../support/wait-for.ts';

const token = 'github_pat_11STORY000000000000000_canary';
const install = '# Install\n\nRun the instaler.\n\nThen read [usage](usage.md).\n';
const files = { 'docs/install.md': install, 'docs/usage.md': '# Usage\n', 'README.md': '# K\n' };

const edit = (path: string, oldText: string, newText: string) => ({
  call: 'edit',
  input: { path, oldText, newText },
});
const finish = (title: string) => ({
  call: 'finish',
  input: { title, message: `${title}: done.`, summary: `${title}.` },
});

let model: ScriptedModel;
let github: GitHubServer;
let hosted: HostedRepository;

beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());
beforeEach(async () => {
  github = await startGitHubServer();
  hosted = await github.addRepository('kestrel/docs', files);
  github.addToken(token);
  return () => github[Symbol.asyncDispose]();
});

const project = (access: object) => ({
  id: 'kestrel',
  organization: 'kestrel',
  repository: github.repositoryUrl('kestrel/docs'),
  github: access,
  docsRoot: 'docs',
  model: 'main',
});

const endOf = (agent: ReturnType<typeof agentOf>, id: string) =>
  waitFor('the job to end', async () => {
    const { body } = await agent.read(id);
    return body.status !== 'active' && body;
  });

async function start(access: object = { tokenEnv: 'DOCS_TOKEN' }, variables = {}) {
  const docent = await startDocent({
    models: { main: toModel(model.url) },
    projects: [project(access)],
    variables: { DOCS_TOKEN: token, ...variables },
  });
  onTestFinished(() => docent[Symbol.asyncDispose]());
  const agent = agentOf(docent);
  return { docent, agent, ended: (id: string) => endOf(agent, id) };
}

const fixIt = () =>
  model.reply(
    follow({
      for: 'instaler',
      answers: [
        [edit('docs/install.md', 'instaler', 'installer')],
        [finish('Fix a typo on the install page')],
      ],
    }),
  );

verifies(
  ['agent-v2:states', 'agent-v2:message'],
  'an instruction, a commit by hand, a follow-up, a merge, and another after it',
  async () => {
    const { agent, ended } = await start();
    fixIt();
    const { body } = await agent.create({ prompt: 'It says instaler, fix that.' });
    const first = await ended(body.id);
    expect(first).toMatchObject({
      status: 'completed',
      prLink: `${github.url}/kestrel/docs/pull/1`,
      source: { repository: github.repositoryUrl('kestrel/docs') },
    });
    const branch = first.source.ref;
    expect(await hosted.docs.read('docs/install.md', branch)).toContain('the installer');

    await hosted.docs.commit({ 'docs/usage.md': '# Usage by hand\n' }, 'By hand', { branch });
    model.reply(
      follow({
        for: 'read more',
        answers: [
          [edit('docs/install.md', 'Then read', 'Then read more in')],
          [finish('Say where to read more')],
        ],
      }),
    );
    await agent.message(body.id, { prompt: 'Say read more in.' });
    const second = await ended(body.id);
    expect(second).toMatchObject({ status: 'completed', round: 2, prLink: first.prLink });
    expect(hosted.pulls.length).toBe(1);
    expect(await hosted.docs.read('docs/usage.md', branch)).toBe('# Usage by hand\n');
    expect((await hosted.docs.log(branch)).map(({ author }) => author)).toEqual([
      'docent[bot]',
      'Dana Docs',
      'docent[bot]',
      'Dana Docs',
    ]);

    await hosted.merge(1, { deleteBranch: true });
    model.reply(
      follow({
        for: 'usage page',
        answers: [[edit('docs/usage.md', 'by hand', 'of it')], [finish('Better usage title')]],
      }),
    );
    await agent.message(body.id, { prompt: 'And now the usage page.' });
    const third = await ended(body.id);
    expect(third).toMatchObject({
      status: 'completed',
      prLink: `${github.url}/kestrel/docs/pull/2`,
      formerPullRequests: [{ number: 1 }],
    });
    expect(hosted.pulls[1]?.body).toContain('#1');
    expect(await hosted.docs.read('docs/usage.md', third.source.ref)).toBe('# Usage of it\n');
  },
);

test('the token is in no output, no request to the model, no database, no file, no pull request', async () => {
  await using folder = await temporaryFolder();
  const dataFolder = join(folder.path, 'data');
  await putIndex(dataFolder);
  const file = await writeConfig(folder.path, {
    server: { port: 0, dataFolder },
    sites: [kestrel],
    models: { main: toModel(model.url) },
    projects: [project({ tokenEnv: 'DOCS_TOKEN' })],
  });
  const env = { DOCS_TOKEN: token, LOG_LEVEL: 'trace' };
  const admin = await makeKey(file, env, 'admin');
  // A process of its own: whatever it prints is seen here.
  await using server = await serve(file, { env });
  const agent = agentOf({ url: server.url, admin });
  fixIt();
  const { body } = await agent.create({ prompt: 'It says instaler, fix that.' });
  expect(await endOf(agent, body.id)).toMatchObject({ status: 'completed' });
  const base64 = Buffer.from(`x-access-token:${token}`).toString('base64');
  const holds = (text: string) => text.includes(token) || text.includes(base64.slice(4, -4));
  // It was used, for the API and for git.
  expect(github.requests.some(({ headers }) => holds(headers.authorization ?? ''))).toBe(true);
  for (const { path, body: sent, headers } of github.requests) {
    const { authorization: _, ...others } = headers;
    expect(holds(`${path}${sent}${JSON.stringify(others)}`)).toBe(false);
  }
  expect(model.requests.length).toBeGreaterThan(0);
  for (const { text } of model.requests) expect(holds(text)).toBe(false);
  const entries = await readdir(dataFolder, { recursive: true, withFileTypes: true });
  const kept = entries.filter((entry) => entry.isFile());
  expect(kept.some(({ name }) => name.endsWith('.db') || name.includes('sqlite'))).toBe(true);
  for (const { name, parentPath } of kept) {
    expect([name, holds(await readFile(join(parentPath, name), 'latin1'))]).toEqual([name, false]);
  }
  await server.kill('SIGTERM');
  // The log of this level is long, and it is about this job.
  expect(server.output.stderr).toContain(body.id);
  expect([holds(server.output.stdout), holds(server.output.stderr)]).toEqual([false, false]);
});

verifies(
  'agent-v1:spelling',
  'an App that is not installed fails the job with what to do; once it is, the job goes on',
  async () => {
    const app = github.addApp({ repositories: [] });
    const { docent, agent, ended } = await start(
      { app: { id: String(app.id), privateKeyEnv: 'APP_KEY' } },
      { APP_KEY: app.privateKey },
    );
    const { body } = await agent.create({ prompt: 'It says instaler, fix that.' });
    const failed = await ended(body.id);
    expect(failed).toMatchObject({
      status: 'failed',
      prLink: null,
      failure: { code: 'forge_not_configured', retryable: false },
    });
    expect(failed.failure?.message).toContain('is not installed on kestrel/docs');
    const session = await getJson<{ haulted: boolean; haultReason: string }>(
      { url: docent.url, key: docent.admin },
      `/v1/agent/kestrel/job/${body.id}`,
    );
    expect(session.body).toMatchObject({ haulted: true, haultReason: 'github_missconfigured' });

    app.installation.repositories.push('kestrel/docs');
    fixIt();
    await agent.message(body.id, { prompt: 'Again: it says instaler.' });
    expect(await ended(body.id)).toMatchObject({
      status: 'completed',
      prLink: `${github.url}/kestrel/docs/pull/1`,
    });
  },
);
