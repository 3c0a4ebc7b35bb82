/** kill -9 between a mention and its answer, wherever that is: one commit and one answer. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { agentOf } from '../support/agent.ts';
import { follow } from '../support/agent-script.ts';
import { serve, writeConfig } from '../support/cli.ts';
import { kestrel, temporaryFolder } from '../support/fixture.ts';
import { deliver } from '../support/github/conversation.ts';
import { startGitHubServer } from '../support/github-server.ts';
import { gate, startScriptedModel } from '../support/scripted-model.ts';
import { makeKey, toModel } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const token = 'github_pat_11TALKCRASH000000000_canary';
const secret = 'a-secret-of-the-hook-crash';
const edit = (oldText: string, newText: string) => ({
  call: 'edit',
  input: { path: 'docs/install.md', oldText, newText },
});
const finish = (message: string) => ({
  call: 'finish',
  input: { title: message, message, summary: message },
});

test('killed while it asks for the rights, while the model works, and while it answers', async () => {
  await using folder = await temporaryFolder();
  await using github = await startGitHubServer();
  const hosted = await github.addRepository('kestrel/docs', { 'docs/install.md': '# Instal\n' });
  github.addToken(token);
  hosted.conversation.addPerson('dana', 'write');
  const model = await startScriptedModel();
  const held = gate();
  const plans = follow(
    { for: 'begin', answers: [[edit('# Instal', '# Install 0')], [finish('Begun.')]] },
    ...[0, 1, 2].map((number) => ({
      for: `step ${number}`,
      answers: [
        [edit(`# Install ${number}`, `# Install ${number + 1}`)],
        [finish(`Step ${number} is done.`)],
      ],
    })),
  );
  let isHeld = false;
  model.reply((request) => {
    const answer = typeof plans === 'function' ? plans(request) : plans;
    return isHeld && Array.isArray(answer) ? [{ wait: held.wait }, ...answer] : answer;
  });
  const env = { DOCS_TOKEN: token, HOOK_SECRET: secret };
  const config = await writeConfig(folder.path, {
    server: { port: 0, dataFolder: '.' },
    models: { main: toModel(model.url) },
    sites: [kestrel],
    projects: [
      {
        id: 'kestrel',
        organization: 'kestrel',
        repository: github.repositoryUrl('kestrel/docs'),
        github: { tokenEnv: 'DOCS_TOKEN' },
        docsRoot: 'docs',
        model: 'main',
        conversation: { secretEnv: 'HOOK_SECRET' },
      },
    ],
  });
  const admin = await makeKey(config, env, 'admin');
  let server = await serve(config, { env });
  const agent = () => agentOf({ url: server.url, admin });
  const { body: job } = await agent().create({ prompt: 'begin' });
  const ended = () =>
    waitFor(
      'the job to end',
      async () => {
        const { body } = await agent().read(job.id);
        return body.status !== 'active' && body;
      },
      60_000,
    );
  const branch = (await ended()).source.ref;

  /** The process dies, and its claims end as if their time had passed. */
  async function killAndStart(): Promise<void> {
    await server.kill('SIGKILL');
    using database = new DatabaseSync(join(folder.path, 'docent.db'));
    database.exec(
      "update agent_host_events set due_at = '2000-01-01T00:00:00.000Z' where due_at is not null",
    );
    server = await serve(config, { env });
  }
  const answers = () => hosted.conversation.comments.filter(({ user: { type } }) => type === 'Bot');
  const say = (number: number) =>
    deliver(
      `${server.url}/v1/hooks/kestrel`,
      secret,
      hosted.conversation.comment(1, 'dana', `@docent step ${number}`),
    );
  const answered = (count: number) =>
    waitFor('the answer', () => answers().length >= count, 60_000);

  const rights = gate();
  const asked = github.fail({ at: 'GET /collaborators', when: 'before', gate: rights.wait });
  expect((await say(0)).status).toBe(202);
  await waitFor('the question for rights', () => asked.happened === 1);
  await killAndStart();
  rights.open();
  await answered(1);

  isHeld = true;
  const before = model.requests.length;
  expect((await say(1)).status).toBe(202);
  await waitFor('the model to be asked', () => model.requests.length > before);
  await killAndStart();
  isHeld = false;
  held.open();
  await answered(2);

  const reply = gate();
  const written = github.fail({
    at: 'POST /issues/1/comments',
    when: 'after',
    gate: reply.wait,
  });
  expect((await say(2)).status).toBe(202);
  await waitFor('the answer to be written', () => written.happened === 1, 60_000);
  await killAndStart();
  reply.open();
  await waitFor(
    'the event to be settled',
    async () => {
      const response = await fetch(`${server.url}/v1/projects/kestrel/host-events`, {
        headers: { authorization: `Bearer ${admin}` },
      });
      const { events } = (await response.json()) as { events: { status: string }[] };
      return events.length === 3 && events.every(({ status }) => status === 'done');
    },
    60_000,
  );
  await ended();
  expect(await hosted.docs.read('docs/install.md', branch)).toBe('# Install 3\n');
  const commits = (await hosted.docs.log(branch)).filter(({ author }) => author === 'docent[bot]');
  expect(commits).toHaveLength(4);
  expect(answers().map(({ body }) => body.split('\n')[0])).toEqual([
    'Step 0 is done.',
    'Step 1 is done.',
    'Step 2 is done.',
  ]);
  await server[Symbol.asyncDispose]();
  await model.close();
});
