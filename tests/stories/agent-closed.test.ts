/** A pull request that was closed was not wanted as it is: what follows is a new one that names it. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { agentOf } from '../support/agent.ts';
import { follow } from '../support/agent-script.ts';
import { type DocsRepository, makeRepository } from '../support/docs-repository.ts';
import { startGitHubServer } from '../support/github-server.ts';
import { addPerson } from '../support/person.ts';
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { startDocent, toModel } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const files = { 'docs/install.md': '# Install\n\nRun the instaler.\n' };
const token = 'github_pat_11CLOSED0000000000000_canary';

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel(
    follow(
      {
        for: 'instaler',
        answers: [
          [edit('instaler', 'installer')],
          [
            {
              call: 'finish',
              input: { title: 'Fix a typo', message: 'Done.', summary: 'A typo.' },
            },
          ],
        ],
      },
      {
        for: 'setup instead',
        answers: [
          [edit('the instaler', '`setup`')],
          [{ call: 'finish', input: { title: 'Name setup', message: 'Done.', summary: 'Setup.' } }],
        ],
      },
    ),
  );
});
afterAll(() => model.close());

const edit = (oldText: string, newText: string) => ({
  call: 'edit',
  input: { path: 'docs/install.md', oldText, newText },
});

interface Host {
  docs: DocsRepository;
  project: { repository: string; github?: { tokenEnv: string } };
  close: (docent: Awaited<ReturnType<typeof startDocent>>) => Promise<unknown>;
  bodyOf: (
    docent: Awaited<ReturnType<typeof startDocent>>,
    number: number,
  ) => Promise<string | undefined>;
}

async function local(): Promise<Host> {
  const docs = await makeRepository(files);
  onTestFinished(() => docs[Symbol.asyncDispose]());
  return {
    docs,
    project: { repository: docs.path },
    close: async (docent) => (await addPerson(docent, 'editor')).review('kestrel', 1, 'close'),
    bodyOf: async (docent, number) =>
      (
        await (await addPerson(docent, 'viewer')).fetch(`/v1/projects/kestrel/pulls/${number}`)
      ).text(),
  };
}

async function onGitHub(): Promise<Host> {
  const github = await startGitHubServer();
  onTestFinished(() => github[Symbol.asyncDispose]());
  const hosted = await github.addRepository('kestrel/docs', files);
  github.addToken(token);
  return {
    docs: hosted.docs,
    project: {
      repository: github.repositoryUrl('kestrel/docs'),
      github: { tokenEnv: 'DOCS_TOKEN' },
    },
    close: async () => hosted.close(1),
    bodyOf: async (_docent, number) => hosted.pulls[number - 1]?.body,
  };
}

test.each([
  ['on this machine', local],
  ['at GitHub', onGitHub],
])('%s', async (_name, open) => {
  const { docs, project, close, bodyOf } = await open();
  await using docent = await startDocent({
    models: { main: toModel(model.url) },
    projects: [
      { id: 'kestrel', organization: 'kestrel', docsRoot: 'docs', model: 'main', ...project },
    ],
    variables: { DOCS_TOKEN: token },
  });
  const agent = agentOf(docent);
  const ended = (id: string) =>
    waitFor('the job to end', async () => {
      const { body } = await agent.read(id);
      return body.status !== 'active' && body;
    });
  const { id } = (await agent.create({ prompt: 'It says instaler, fix that.' })).body;
  const first = await ended(id);
  expect(first).toMatchObject({ status: 'completed', prLink: expect.stringMatching(/\/1$/) });
  const branch = first.source.ref;
  const before = await docs.tip(branch);

  await close(docent);
  await docs.commit({ 'docs/later.md': 'Later.\n' }, 'Later on main');
  const base = await docs.tip();
  await agent.message(id, { prompt: 'No: it is called setup, write setup instead.' });
  const second = await ended(id);
  expect(second).toMatchObject({
    status: 'completed',
    round: 2,
    prLink: expect.stringMatching(/\/2$/),
    source: { ref: `${branch}-2` },
    formerPullRequests: [{ number: 1 }],
  });
  expect(await bodyOf(docent, 2)).toMatch(/goes on from .*#1/);
  // From today's base: what was closed is not in it, and its branch is as it was.
  expect(await docs.read('docs/install.md', `${branch}-2`)).toBe('# Install\n\nRun `setup`.\n');
  expect(await docs.git('rev-parse', `${branch}-2^`)).toBe(base);
  expect(await docs.tip(branch)).toBe(before);
});
