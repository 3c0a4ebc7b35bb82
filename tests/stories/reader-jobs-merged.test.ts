/** A reader says that a page is wrong; in the end it is right: all of the way, over HTTP and the pages. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { follow } from '../support/agent-script.ts';
import { agentOf } from '../support/agent.ts';
import { getJson, postJson } from '../support/call.ts';
import { type DocsRepository, makeRepository } from '../support/docs-repository.ts';
import { addPerson } from '../support/person.ts';
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { startDocent, toModel } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const edit = (path: string, oldText: string, newText: string) => ({
  call: 'edit',
  input: { path, oldText, newText },
});

let model: ScriptedModel;
let docs: DocsRepository;
beforeAll(async () => {
  model = await startScriptedModel(
    follow({
      for: 'it is called setup now',
      answers: [
        // The reader's words may lead it astray: it tries another page first.
        [edit('docs/guides/alerts.md', '# Alerts', '# Setup')],
        [edit('docs/install.md', 'kestrel instal', 'kestrel setup')],
        [
          {
            call: 'finish',
            input: {
              title: 'Name the setup command',
              message: 'The command is right now.',
              summary: 'The page named a command that does not exist.',
            },
          },
        ],
      ],
    }),
  );
});
afterAll(() => model.close());
beforeEach(async () => {
  docs = await makeRepository({
    'docs/install.md': '# Install\n\nRun `kestrel instal`.\n',
    'docs/guides/alerts.md': '# Alerts\n',
  });
  return () => docs[Symbol.asyncDispose]();
});

test.each(['at-once', 'after-review'] as const)('%s', async (createJobs) => {
  await using docent = await startDocent({
    models: { main: toModel(model.url) },
    sites: { 'kestrel-docs': { feedback: { createJobs } } },
    projects: [
      {
        id: 'kestrel',
        organization: 'kestrel',
        repository: docs.path,
        docsRoot: 'docs',
        site: 'kestrel-docs',
        model: 'main',
        draft: 'never',
      },
    ],
  });
  const agent = agentOf(docent);
  const admin = { key: docent.admin };
  const said = await postJson(docent, '/discovery/v1/feedback/kestrel-docs', {
    fp: 'reader-1',
    path: '/install',
    rating: 'down',
    reasons: ['incorrect'],
    note: 'The command does not exist any more, it is called setup now.',
  });
  expect(said.status).toBe(200);
  if (createJobs === 'after-review') {
    expect((await agent.list()).body.jobs).toEqual([]);
    const { body } = await getJson<{ feedback: { id: string; isSuggestion: boolean }[] }>(
      docent,
      '/v1/analytics/kestrel-docs/feedback',
      admin,
    );
    expect(body.feedback).toMatchObject([{ isSuggestion: true }]);
    const path = `/v1/feedback/kestrel-docs/${body.feedback[0]?.id}/job`;
    expect((await postJson(docent, path, {}, admin)).status).toBe(201);
  }
  const job = await waitFor('the job to end', async () => {
    const [first] = (await agent.list()).body.jobs;
    return first !== undefined && first.status !== 'active' && first;
  });
  expect(job).toMatchObject({ status: 'completed', prLink: expect.stringContaining('/pulls/1') });

  // A draft, whatever the project says, and of that page alone.
  const { forges, projects } = docent.docent.services;
  const project = projects.byId('kestrel');
  const forge = project && forges.localForge(project);
  const pull = await forge?.pull(1);
  expect(pull).toMatchObject({ isDraft: true, state: 'open' });
  const branch = pull?.branch ?? '';
  expect((await docs.git('diff', '--name-only', 'main', branch)).split('\n')).toEqual([
    'docs/install.md',
  ]);
  const { body: trail } = await getJson<{ entries: { type: string; data: object }[] }>(
    docent,
    '/v1/audit?type=job.denied',
    admin,
  );
  expect(trail.entries).toMatchObject([{ data: { path: 'docs/guides/alerts.md' } }]);

  const editor = await addPerson(docent, 'editor');
  const head = (await docs.tip(branch)) ?? '';
  await editor.review('kestrel', 1, 'merge', head);
  // A draft is not merged.
  expect(await docs.read('docs/install.md')).toContain('kestrel instal`');
  await editor.review('kestrel', 1, 'ready');
  await editor.review('kestrel', 1, 'merge', head);
  expect(await docs.read('docs/install.md')).toBe('# Install\n\nRun `kestrel setup`.\n');
  expect(await forge?.pull(1)).toMatchObject({ state: 'merged' });
});
