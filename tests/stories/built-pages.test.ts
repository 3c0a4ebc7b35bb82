/** A built site whose pages name their files: a report and a gap lead to a pull request that changes the file. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { follow, type Plan } from '../support/agent-script.ts';
import { toBody } from '../support/ask.ts';
import { getJson, postJson } from '../support/call.ts';
import { temporaryFolder } from '../support/fixture.ts';
import { startGitHubServer } from '../support/github-server.ts';
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { startDocent, toModel } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const token = 'github_pat_11STORY000000000000000_canary';
const quickstart = 'Quickstart\n==========\n\nRun ``kestrel instal``.\n';
const sources = { 'docs/index.rst': 'Kestrel\n=======\n', 'docs/guide/quickstart.rst': quickstart };
const html = (title: string, text: string) =>
  `<!doctype html><html><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${text}</p></main></body></html>`;
const build = {
  'docs/_build/html/index.html': html('Kestrel', 'Kestrel watches your kettle.'),
  'docs/_build/html/guide/quickstart.html': html('Quickstart', 'Run kestrel instal on Linux.'),
};

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());

async function start() {
  const folder = await temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const github = await startGitHubServer();
  onTestFinished(() => github[Symbol.asyncDispose]());
  const hosted = await github.addRepository('kestrel/docs', sources);
  github.addToken(token);
  await mkdir(join(folder.path, '.git'));
  for (const [file, text] of Object.entries({ ...sources, ...build })) {
    await mkdir(dirname(join(folder.path, file)), { recursive: true });
    await writeFile(join(folder.path, file), text);
  }
  const docent = await startDocent({
    models: { main: toModel(model.url) },
    variables: { DOCS_TOKEN: token },
    sites: {
      'kestrel-docs': {
        docs: { sources: [{ type: 'html', folder: join(folder.path, 'docs/_build/html') }] },
        feedback: { createJobs: 'at-once' },
      },
    },
    projects: [
      {
        id: 'kestrel',
        organization: 'kestrel',
        repository: github.repositoryUrl('kestrel/docs'),
        github: { tokenEnv: 'DOCS_TOKEN' },
        docsRoot: 'docs',
        site: 'kestrel-docs',
        model: 'main',
      },
    ],
  });
  onTestFinished(() => docent[Symbol.asyncDispose]());
  await docent.docent.services.indexer.index('kestrel-docs', { acceptFewer: true });
  const instruction = () =>
    docent.docent.services.database
      .selectFrom('agent_instructions')
      .selectAll()
      .executeTakeFirstOrThrow();
  const ended = () =>
    waitFor('the job to end', async () => {
      const { body } = await getJson<{ jobs: { status: string; prLink: string | null }[] }>(
        docent,
        '/v2/agent/kestrel/jobs',
        { key: docent.admin },
      );
      return body.jobs.find(({ status }) => status !== 'active');
    });
  return { docent, hosted, instruction, ended };
}

const editsOf = (words: string): Plan => ({
  for: words,
  answers: [
    [
      {
        call: 'edit',
        input: {
          path: 'docs/guide/quickstart.rst',
          oldText: '``kestrel instal``',
          newText: '``kestrel install``',
        },
      },
    ],
    [
      {
        call: 'finish',
        input: { title: 'Name the command', message: 'Done.', summary: 'The command.' },
      },
    ],
  ],
});

test('a reader’s report names the reStructuredText of the page, and the job changes it', async () => {
  const { docent, hosted, instruction, ended } = await start();
  model.reply(follow(editsOf('A reader of the documentation')));
  const { body } = await postJson(docent, '/discovery/v1/feedback/kestrel-docs', {
    fp: 'reader-1',
    path: '/guide/quickstart.html',
    rating: 'down',
    reasons: ['incorrect'],
    note: 'The command in the second step does not exist any more, it is called install now.',
  });
  expect(body).toMatchObject({ report: 'started' });
  expect(await ended()).toMatchObject({ status: 'completed' });
  expect((await instruction()).content).toContain(
    'Change the files, in the format that they have:\n- /guide/quickstart: docs/guide/quickstart.rst\n',
  );
  const row = await docent.docent.services.database
    .selectFrom('agent_jobs')
    .select('paths')
    .executeTakeFirstOrThrow();
  expect(JSON.parse(row.paths ?? '')).toEqual(['docs/guide/']);
  const [pull] = hosted.pulls;
  expect(await hosted.docs.read('docs/guide/quickstart.rst', pull?.branch)).toContain(
    'kestrel install',
  );
  // Nothing is claimed of a format that no check reads.
  expect(pull?.body).toContain('not checked, no check reads docs/guide/quickstart.rst');
  expect(pull?.body).not.toContain('Passed');
});

test('a gap shows the files of the pages near it, and its job names them', async () => {
  const { docent, instruction, ended } = await start();
  model.reply(follow(editsOf('the documentation did not answer them')));
  const answer = await docent.ask(toBody('Does the quickstart run on Solaris?', { fp: 'r' }));
  const begin = answer.parts.find(({ type }) => type === 'start');
  const { messageId } = begin as { messageId?: string };
  const { body: list } = await getJson<{ gaps: { id: string }[] }>(
    docent,
    '/v1/analytics/kestrel-docs/unanswered',
    { key: docent.admin },
  );
  const [gap] = list.gaps;
  const { body: story } = await getJson<{ nearestPages: { source?: string }[] }>(
    docent,
    `/v1/gaps/kestrel-docs/${gap?.id}`,
    { key: docent.admin },
  );
  expect(story.nearestPages.map(({ source }) => source)).toContain('docs/guide/quickstart.rst');
  await postJson(
    docent,
    '/v1/analytics/kestrel-docs/unanswered/job',
    { messageIds: [messageId] },
    { key: docent.admin },
  );
  await ended();
  expect((await instruction()).content).toContain('- /guide/quickstart: docs/guide/quickstart.rst');
});
