/** What became of pull requests is in rows: nobody who looks at a page asks a host. */
import { type Gap, GapsResponse } from '@docent/shared/analytics';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { partOf, toBody } from '../support/ask.ts';
import { startGitHubServer } from '../support/github-server.ts';
import { addPerson } from '../support/person.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const token = 'github_pat_11STATES0000000000000_canary';
let github: Awaited<ReturnType<typeof startGitHubServer>>;
let hosted: Awaited<ReturnType<typeof github.addRepository>>;
let docent: TestDocent;
let editor: Awaited<ReturnType<typeof addPerson>>;

beforeAll(async () => {
  github = await startGitHubServer();
  hosted = await github.addRepository('kestrel/docs', { 'docs/install.md': '# Install\n' });
  github.addToken(token);
  docent = await startDocent({
    projects: [
      {
        id: 'kestrel',
        organization: 'kestrel',
        repository: github.repositoryUrl('kestrel/docs'),
        github: { tokenEnv: 'DOCS_TOKEN' },
        docsRoot: 'docs',
        site: 'kestrel-docs',
      },
    ],
    variables: { DOCS_TOKEN: token },
  });
  editor = await addPerson(docent, 'editor');
});
afterAll(async () => {
  await docent?.[Symbol.asyncDispose]();
  await github?.[Symbol.asyncDispose]();
});

const gaps = async (): Promise<Gap[]> => {
  const response = await editor.fetch('/v1/analytics/kestrel-docs/unanswered');
  return GapsResponse.parse(await response.json()).gaps;
};

test('views ask no host; a merge there is seen by the next look, which is one question', async () => {
  const asked = await docent.ask(toBody('Which penguin eats bamboo?', { fp: 'jo' }));
  const messageId = String(partOf(asked.parts, 'start')?.['messageId']);
  const command = { type: 'add-page', path: 'penguins.md', title: 'Penguins', content: 'None.' };
  const made = await editor.fetch('/v1/analytics/kestrel-docs/unanswered/job', {
    method: 'POST',
    body: { messageIds: [messageId], command },
  });
  expect(made.status).toBe(201);
  await waitFor('the pull request', async () => (await gaps())[0]?.state === 'in-review');

  const { pullStates, database } = docent.docent.services;
  await pullStates.look();
  const before = github.requests.length;
  for (let view = 0; view < 10; view += 1) {
    expect(await gaps()).toMatchObject([{ state: 'in-review', job: { status: 'completed' } }]);
  }
  // It isn't due again.
  expect(await pullStates.look()).toBe(0);
  expect(github.requests.length).toBe(before);

  await hosted.merge(1);
  expect(await gaps()).toMatchObject([{ state: 'in-review' }]);
  const isDue = () =>
    database.updateTable('agent_jobs').set({ pull_due_at: '2000-01-01T00:00:00.000Z' }).execute();
  await isDue();
  // Of two processes, one asks.
  const looks = await Promise.all([pullStates.look(), pullStates.look()]);
  expect(looks.toSorted((a, b) => a - b)).toEqual([0, 1]);
  expect(await gaps()).toMatchObject([{ state: 'merged', job: { pullRequest: { number: 1 } } }]);
  expect(github.requests.length).toBe(before + 1);
  // It stays merged.
  expect(await pullStates.look()).toBe(0);
});
