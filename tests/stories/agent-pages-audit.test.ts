/** The audit trail contains the actions of people on our pages. */
import { expect, test } from 'vitest';
import { getJson } from '../support/call.ts';
import { makeRepository } from '../support/docs-repository.ts';
import { addPerson } from '../support/person.ts';
import { startDocent } from '../support/start-docent.ts';

interface Entry {
  type: string;
  job: string | null;
  actor: { kind: string; id: string | null };
  data: Record<string, unknown>;
}

const id = 'kestrel';

test('instructions, cancellations, and actions on a pull request', async () => {
  await using repository = await makeRepository({ 'index.md': '# Home\n' });
  await using docent = await startDocent({
    projects: [{ id, organization: 'kestrel', repository: repository.path, model: 'main' }],
    runJobs: false,
  });
  const { forges, linkTo, projects } = docent.docent.services;
  const editor = await addPerson(docent, 'editor');
  const press = async (page: string, action: string, form: Record<string, string> = {}) => {
    const answer = await editor.press(page, action, form);
    expect([action, answer.status]).toEqual([action, 303]);
    return new URL(answer.headers.get('location') ?? '', docent.url).href;
  };
  const trail = async () => {
    const { body } = await getJson<{ entries: Entry[] }>(
      { url: docent.url, key: docent.admin },
      '/v1/audit',
    );
    return body.entries.filter(({ type }) => !type.startsWith('key.')).reverse();
  };
  const once = '01J0000000000000000000000';

  const project = linkTo({ kind: 'project', project: id });
  const jobPage = await press(project, 'jobs', { prompt: 'Fix the links', once: `${once}0` });
  await press(jobPage, 'message', { prompt: 'The images too', once: `${once}1` });
  await press(jobPage, 'cancel');
  const job = /jobs\/(\w+)/.exec(jobPage)?.[1];
  const actor = { kind: 'person', id: editor.id };
  expect(await trail()).toMatchObject([
    { type: 'job.created', job, actor, data: { prompt: 'Fix the links' } },
    { type: 'job.message', job, actor, data: { prompt: 'The images too' } },
    { type: 'job.failed', job, actor, data: { code: 'cancelled' } },
  ]);

  const known = projects.byId(id);
  const forge = known && forges.localForge(known);
  if (!forge) throw new Error('The project is configured');
  const head = await forge.writeCommit({
    parent: (await repository.tip()) ?? '',
    message: 'A page',
    changes: [{ path: 'a.md', kind: 'added', before: undefined, after: Buffer.from('# A\n') }],
  });
  await forge.createBranch('docent/a', head);
  const { number } = await forge.createPullRequest({
    branch: 'docent/a',
    base: 'main',
    title: 'A page',
    body: '',
    isDraft: true,
  });
  const pull = linkTo({ kind: 'pull', project: id, number });
  // Actions without an effect are not recorded.
  await press(pull, 'merge', { head });
  await press(pull, 'close');
  await press(pull, 'close');
  await press(pull, 'reopen');
  await press(pull, 'ready');
  await press(pull, 'ready');
  await press(pull, 'merge', { head });
  const done = (await trail()).slice(3);
  expect(done.map(({ type }) => type)).toEqual([
    'pull.closed',
    'pull.reopened',
    'pull.ready',
    'pull.merged',
  ]);
  for (const entry of done) expect(entry).toMatchObject({ actor, data: { number } });
  expect(await repository.read('a.md')).toBe('# A\n');
});
