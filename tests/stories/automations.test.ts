/** Automations, from what is new to one pull request, with the reasons where nothing comes of it. */
import { expect, test } from 'vitest';
import { agentOf } from '../support/agent.ts';
import { follow } from '../support/agent-script.ts';
import { automationsOf } from '../support/automations.ts';
import { getJson } from '../support/call.ts';
import { makeRepository } from '../support/docs-repository.ts';
import { startGitHubServer } from '../support/github-server.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { startDocent, toModel } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const token = 'github_pat_11AUTOMATIONS00000000_canary';

const edit = (oldText: string, newText: string) => ({
  call: 'edit',
  input: { path: 'docs/options.md', oldText, newText },
});
const finish = (title: string) => ({
  call: 'finish',
  input: { title, message: `${title}.`, summary: `${title}.` },
});

/** A clock that the test sets. */
function clock() {
  let ahead = 0;
  return {
    now: () => new Date(Date.now() + ahead),
    pass: (ms: number) => void (ahead += ms),
  };
}

test('a change of code leads to one pull request, to which later ones are added', async () => {
  await using github = await startGitHubServer();
  const hosted = await github.addRepository('kestrel/docs', {
    'docs/options.md': '# Options\n\nThe limit is 10.\n',
  });
  github.addToken(token);
  await using code = await makeRepository({ 'src/limit.ts': 'export const limit = 10;\n' });
  await using model = await startScriptedModel(
    follow(
      {
        for: '+export const limit = 20',
        answers: [[edit('is 10', 'is 20')], [finish('The limit is 20')]],
      },
      {
        for: '+export const size = 3',
        answers: [[edit('# Options', '# Options\n\nThe size is 3.')], [finish('The size is 3')]],
      },
      { for: '+// a note', answers: [[finish('No page says anything about a comment')]] },
    ),
  );
  const { now, pass } = clock();
  await using docent = await startDocent({
    now,
    models: { main: toModel(model.url) },
    projects: [
      {
        id: 'kestrel',
        organization: 'kestrel',
        repository: github.repositoryUrl('kestrel/docs'),
        github: { tokenEnv: 'DOCS_TOKEN' },
        docsRoot: 'docs',
        model: 'main',
        code: [{ name: 'server', repository: code.path }],
        automations: { maxOpen: 1 },
      },
    ],
    variables: { DOCS_TOKEN: token },
  });
  const automations = automationsOf(docent);
  const { look } = docent.docent.services.automations;
  const next = async () => {
    pass(6 * minuteMs);
    await look();
  };

  const made = await automations.create({
    project: 'kestrel',
    name: 'Review after changes of the server',
    task: { about: 'code', repository: 'server' },
    trigger: { on: 'change' },
    instruction: 'Keep it short.',
  });
  expect(made.status).toBe(201);
  const { id } = made.body;
  // What is there already counts for nothing.
  const begun = (await code.tip()) ?? '';
  expect(await automations.ended(id, 1)).toMatchObject({
    outcome: 'nothing',
    reason: `It begins at ${begun.slice(0, 10)}: what is merged into server from here on counts.`,
    read: [{ what: 'server', commit: begun }],
    job: null,
  });
  await next();
  expect(await automations.runs(id)).toHaveLength(1);

  const raised = await code.commit({ 'src/limit.ts': 'export const limit = 20;\n' }, 'Raise the limit');
  await next();
  const first = await automations.ended(id, 2);
  expect(first).toMatchObject({
    outcome: 'started',
    read: [
      { what: 'server from', commit: begun },
      { what: 'server', commit: raised },
    ],
    findings: [`${raised.slice(0, 10)} Raise the limit`],
    pullRequest: { number: 1 },
  });
  const agent = agentOf(docent);
  const [job] = (await agent.list()).body.jobs;
  const branch = job?.source.ref ?? '';
  expect(await hosted.docs.tip(branch)).toBe(first.commit);
  expect(await hosted.docs.read('docs/options.md', branch)).toContain('limit is 20.');
  const asked = model.requests.map(({ text }) => text).join('\n');
  expect(asked).toContain('Keep it short.');
  // The code stays on this side: the description has our words and the owner's.
  const pull = () => hosted.pulls[0];
  expect(pull()?.body).toContain('Keep it short.');
  expect(pull()?.body).not.toContain('export const');

  // A person goes on with the branch, and more is merged.
  await hosted.docs.commit(
    { 'docs/options.md': '# Options\n\nThe limit is 20, and was 10.\n' },
    'By hand',
    { branch },
  );
  const sized = await code.commit({ 'src/size.ts': 'export const size = 3;\n' }, 'Add a size');
  await next();
  expect(await automations.ended(id, 3)).toMatchObject({
    outcome: 'added',
    findings: [`${sized.slice(0, 10)} Add a size`],
    pullRequest: { number: 1 },
  });
  expect(await hosted.docs.read('docs/options.md', branch)).toBe(
    '# Options\n\nThe size is 3.\n\nThe limit is 20, and was 10.\n',
  );
  expect(hosted.pulls).toHaveLength(1);
  const comments = () => hosted.conversation.comments.map(({ body }) => body);
  expect(comments()).toHaveLength(1);
  expect(comments()[0]).toContain('Review after changes of the server');
  expect(comments()[0]).toContain(`${sized.slice(0, 10)} Add a size`);

  // Nothing to say, nothing written.
  const tip = await hosted.docs.tip(branch);
  await code.commit({ 'src/size.ts': 'export const size = 3;\n// a note\n' }, 'Comment');
  await next();
  expect(await automations.ended(id, 4)).toMatchObject({
    outcome: 'nothing',
    reason: 'No page says anything about a comment.',
    commit: null,
  });
  expect(await hosted.docs.tip(branch)).toBe(tip);
  expect(comments()).toHaveLength(1);

  // Only so many pull requests are open at once.
  const other = await automations.create({
    project: 'kestrel',
    name: 'Glossary',
    task: { about: 'words' },
    trigger: { on: 'call' },
    instruction: 'Write a glossary.',
  });
  const called = await automations.run(other.body.id, 'once');
  expect(called.status).toBe(202);
  expect((await automations.run(other.body.id, 'once')).body.id).toBe(called.body.id);
  expect(await automations.ended(other.body.id, 1)).toMatchObject({
    outcome: 'capped',
    reason: expect.stringContaining('automations.maxOpen'),
    job: null,
  });

  // People are reminded once.
  pass(4 * dayMs);
  await look();
  await look();
  expect(comments()).toHaveLength(2);
  expect(comments()[1]).toContain('for three days');

  // While it's paused, nothing happens; what was merged meanwhile counts when it goes on.
  expect((await automations.send('PATCH', id, { isPaused: true })).body).toMatchObject({
    isPaused: true,
    nextAt: null,
  });
  await code.commit({ 'src/limit.ts': 'export const limit = 21;\n' }, 'Raise it again');
  await next();
  expect(await automations.runs(id)).toHaveLength(4);

  // Rewritten history is said, and not guessed around.
  const lost = (await code.tip()) ?? '';
  await code.git('update-ref', 'refs/heads/main', sized);
  await automations.send('PATCH', id, { isPaused: false });
  await next();
  const before = await automations.ended(id, 5);
  expect(before).toMatchObject({ outcome: 'nothing' });
  expect(before.reason).toContain('The history of server was rewritten');
  expect(before.reason).toContain(`It goes on from ${sized.slice(0, 10)}`);
  expect(lost).not.toBe(sized);
  await code.git('update-ref', '-d', 'refs/heads/main');
  await next();
  expect(await automations.ended(id, 6)).toMatchObject({
    outcome: 'failed',
    reason: expect.stringContaining('has no branch or tag HEAD'),
  });
  await next();
  expect(await automations.runs(id)).toHaveLength(6);

  const { body: trail } = await getJson<{ entries: { type: string; actor: { kind: string } }[] }>(
    docent,
    '/v1/audit?type=job.created',
    { key: docent.admin },
  );
  expect(trail.entries).toMatchObject([{ actor: { kind: 'automation' } }]);
  expect((await automations.send('DELETE', id)).status).toBe(204);
  expect((await automations.list()).automations.map(({ name }) => name)).toEqual(['Glossary']);
  expect((await agent.list()).body.jobs).toHaveLength(1);
}, 120_000);
