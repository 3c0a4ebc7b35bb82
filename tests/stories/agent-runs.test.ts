/** An instruction over HTTP becomes a pull request on a real repository; what is said meanwhile and afterwards. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { agentOf } from '../support/agent.ts';
import { follow } from '../support/agent-script.ts';
import { type DocsRepository, makeRepository } from '../support/docs-repository.ts';
import { gate, type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { startDocent, toModel } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const install = '# Install\n\nRun the instaler.\n\nThen read [usage](usage.md).\n';
const files = {
  'docs/install.md': install,
  'docs/usage.md': '# Usage\n\nStart it.\n',
  'README.md': '# Kestrel\n',
};

const fix = {
  call: 'edit',
  input: { path: 'docs/install.md', oldText: 'instaler', newText: 'installer' },
};
const finish = {
  call: 'finish',
  input: {
    title: 'Fix a typo on the install page',
    message: 'The install page says “installer” now.',
    summary: 'Corrects the spelling of “installer”.',
  },
};

let model: ScriptedModel;
let docs: DocsRepository;

beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());
beforeEach(async () => {
  docs = await makeRepository(files);
  return () => docs[Symbol.asyncDispose]();
});

async function start(project: object = {}) {
  const docent = await startDocent({
    models: { main: toModel(model.url) },
    projects: [
      {
        id: 'kestrel',
        organization: 'kestrel',
        repository: docs.path,
        docsRoot: 'docs',
        model: 'main',
        ...project,
      },
    ],
  });
  const agent = agentOf(docent);
  const ended = (id: string) =>
    waitFor('the job to end', async () => {
      const { body } = await agent.read(id);
      return body.status !== 'active' && body;
    });
  return { docent, agent, ended, [Symbol.asyncDispose]: () => docent[Symbol.asyncDispose]() };
}

test('an instruction becomes a small commit and a pull request that says what and why', async () => {
  await using place = await start();
  model.reply(follow({ for: 'instaler', answers: [[fix], [finish]] }));
  const { body } = await place.agent.create({ prompt: 'It says instaler, fix that.' });
  expect(body).toMatchObject({ status: 'active', prLink: null });
  const job = await place.ended(body.id);
  expect(job).toMatchObject({
    status: 'completed',
    title: 'Fix a typo on the install page',
    message: 'The install page says “installer” now.',
    pullRequest: { number: 1 },
    failure: null,
    round: 1,
  });
  expect(job.prLink).toContain('/pull');
  expect(await docs.read('docs/install.md', job.source.ref)).toBe(
    install.replace('instaler', 'installer'),
  );
  const [commit, ...older] = await docs.log(job.source.ref);
  expect(commit?.message).toContain('Fix a typo on the install page');
  expect(commit?.message).toContain(`Docent-Job: ${job.id}/1`);
  expect(older).toHaveLength(1);
  const changed = await docs.git('diff', '--stat', '--name-only', 'main', job.source.ref);
  expect(changed).toBe('docs/install.md');
});
