/** What a model breaks goes back to it before a pull request; what stays broken fails the job, or makes a draft. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentOf, sentEvents } from '../support/agent.ts';
import { follow } from '../support/agent-script.ts';
import { makeRepository } from '../support/docs-repository.ts';
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { startDocent, toModel } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const files = {
  'docs/index.md': '# Start\n\nRead [install](install.md) and [an old mistake](gone.md).\n',
  'docs/install.md': '# Install\n\nRun it.\n',
};

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());

const write = (text: string) => ({
  call: 'edit',
  input: { path: 'docs/index.md', oldText: '# Start\n', newText: `# Start\n\n${text}\n` },
});
const mend = (oldText: string, newText: string) => ({
  call: 'edit',
  input: { path: 'docs/index.md', oldText, newText },
});
const finish = { call: 'finish', input: { title: 'Say more', message: 'It says more.' } };

type Answers = Parameters<typeof follow>[0]['answers'];

async function run(checks: object, answers: Answers) {
  await using docs = await makeRepository(files);
  await using docent = await startDocent({
    models: { main: toModel(model.url) },
    projects: [
      {
        id: 'kestrel',
        organization: 'kestrel',
        repository: docs.path,
        docsRoot: 'docs',
        model: 'main',
        checks,
      },
    ],
  });
  const agent = agentOf(docent);
  const asked = model.requests.length;
  model.reply(follow({ for: 'Say more', answers }));
  const { body } = await agent.create({ prompt: 'Say more about installing.' });
  const job = await waitFor(
    'the job to end',
    async () => {
      const read = await agent.read(body.id);
      return read.body.status !== 'active' && read.body;
    },
    60_000,
  );
  let isDraft: boolean | undefined;
  for await (const { data } of sentEvents(await agent.follow(body.id))) {
    if (data.type === 'pull-request') ({ isDraft } = data);
    if (data.type === 'completed' || data.type === 'failed') break;
  }
  const branches = await docs.branches();
  const text = job.prLink === null ? undefined : await docs.read('docs/index.md', job.source.ref);
  return { job, branches, text, isDraft, questions: model.requests.length - asked };
}

test('a broken link is told with what to write, and mended; an old one is nobody’s fault', async () => {
  const { job, text, isDraft } = await run({}, [
    [write('See [how](instal.md).')],
    [finish],
    [mend('instal.md', 'install.md')],
    [finish],
  ]);
  expect(job).toMatchObject({ status: 'completed', failure: null });
  expect(isDraft).toBe(false);
  expect(text).toContain('See [how](install.md).');
  expect(text).toContain('(gone.md)');
});

test('what stays broken after it was given back twice fails the job, and no branch is made', async () => {
  const { job, branches, questions } = await run({}, [
    [write('See [how](nowhere-at-all.md).')],
    [finish],
    [finish],
    [finish],
    // Not asked for: the second try was the last.
    [mend('nowhere-at-all.md', 'install.md')],
    [finish],
  ]);
  expect(questions).toBe(4);
  expect(job).toMatchObject({ status: 'failed', prLink: null, failure: { code: 'checks_failed' } });
  expect(job.failure?.message).toContain('The link "nowhere-at-all.md" leads to no page.');
  expect(branches).toEqual(['main']);
});

test('or its pull request is a draft', async () => {
  const { job, text, isDraft } = await run({ onFailure: 'draft' }, [
    [write('See [how](nowhere-at-all.md).')],
    [finish],
    [finish],
    [finish],
  ]);
  expect(job).toMatchObject({ status: 'completed', failure: null });
  expect(isDraft).toBe(true);
  expect(text).toContain('nowhere-at-all.md');
});
