/** An instruction over HTTP becomes a pull request on a real repository; what is said meanwhile and afterwards. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { agentOf } from '../support/agent.ts';
import { follow } from '../support/agent-script.ts';
import { type DocsRepository, makeRepository } from '../support/docs-repository.ts';
import { temporaryFolder } from '../support/fixture.ts';
import {
  gate,
  type ScriptedModel,
  silence,
  startScriptedModel,
} from '../support/scripted-model.ts';
import { startDocent, toModel } from '../support/start-docent.ts';
import { verifies } from '../support/verifies.ts';
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

type Options = Parameters<typeof startDocent>[0];

async function start(project: object = {}, options: Options = {}) {
  const docent = await startDocent({
    models: { main: toModel(model.url) },
    ...options,
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
  const ended = (id: string, round = 1) =>
    waitFor('the job to end', async () => {
      const { body } = await agent.read(id);
      return body.status !== 'active' && body.round >= round && body;
    });
  return { docent, agent, ended, [Symbol.asyncDispose]: () => docent[Symbol.asyncDispose]() };
}

verifies(
  'agent-v2:pull-request',
  'an instruction becomes a small commit and a pull request',
  async () => {
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
  },
);

describe('commands', () => {
  const command = { type: 'replace-text', find: 'instaler', replace: 'installer' };

  test('need no model, and a follow-up goes into the same pull request', async () => {
    await using place = await start({ model: undefined });
    const { body } = await place.agent.create({ command });
    expect(body.model).toBe('none');
    const job = await place.ended(body.id);
    expect(job).toMatchObject({
      status: 'completed',
      title: 'Replace “instaler” with “installer”',
      message: 'Changed 1 place in docs/install.md.',
      pullRequest: { number: 1 },
      usage: { steps: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 },
    });
    expect(await docs.read('docs/install.md', job.source.ref)).toBe(
      install.replace('instaler', 'installer'),
    );
    await place.agent.message(body.id, {
      command: { type: 'move-page', from: 'usage', to: 'start', title: 'Start' },
    });
    const second = await place.ended(body.id, 2);
    expect(second).toMatchObject({ pullRequest: { number: 1 }, prLink: job.prLink, failure: null });
    expect(await docs.read('docs/install.md', second.source.ref)).toContain('[usage](start.md)');
    expect(await docs.read('docs/start.md', second.source.ref)).toBe('# Start\n\nStart it.\n');
    const log = await docs.log(second.source.ref);
    expect(log.map(({ message }) => message.split('\n')[0]).slice(0, 2)).toEqual([
      'Move usage to start and give it the title “Start”',
      'Replace “instaler” with “installer”',
    ]);
  });

  test('one that cannot be carried out changes nothing, and is not tried again', async () => {
    await using place = await start({ model: undefined });
    const { body } = await place.agent.create({
      command: { type: 'move-page', from: 'x', to: 'y' },
    });
    expect(await place.ended(body.id)).toMatchObject({
      status: 'failed',
      prLink: null,
      failure: {
        code: 'command_failed',
        message: 'There is no page “x”. Write its path, such as "guides/start.md".',
        retryable: false,
      },
    });
    await place.agent.message(body.id, { command });
    expect(await place.ended(body.id, 2)).toMatchObject({
      failure: null,
      pullRequest: { number: 1 },
    });
  });

  test('several at once are one commit each, also behind one that fails', async () => {
    await using place = await start({ model: undefined });
    const held = await place.agent.create({ command: { type: 'move-page', from: 'x', to: 'y' } });
    const { id } = held.body;
    await place.agent.message(id, { command });
    await place.agent.message(id, {
      command: { type: 'replace-text', find: 'Start', replace: 'Run' },
    });
    // Three runs, one after the other.
    const job = await waitFor(
      'both commits',
      async () => {
        const { body } = await place.agent.read(id);
        return body.status === 'completed' && body.title?.includes('Run') && body;
      },
      90_000,
    );
    expect((await docs.log(job.source.ref)).map(({ message }) => message.split('\n')[0])).toEqual([
      'Replace “Start” with “Run”',
      'Replace “instaler” with “installer”',
      expect.any(String),
    ]);
  });

  test('work beside a model: it is not asked for them, and hears of them afterwards', async () => {
    await using place = await start();
    const before = model.requests.length;
    const { body } = await place.agent.create({ command });
    const job = await place.ended(body.id);
    // As its provider knows it.
    expect(job).toMatchObject({ model: 'scripted', failure: null, usage: { steps: 0 } });
    expect(model.requests.length).toBe(before);
    model.reply(follow({ for: 'undo that', answers: [[finish]] }));
    await place.agent.message(body.id, { prompt: 'Please undo that.' });
    await place.ended(body.id, 2);
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain(
      'Replace “instaler” with “installer”',
    );
  });

  test('a change that breaks something is not published', async () => {
    await using place = await start({ model: undefined });
    const { body } = await place.agent.create({
      command: { type: 'replace-text', find: '(usage.md)', replace: '(nowhere-near.md)' },
    });
    const job = await place.ended(body.id);
    expect(job).toMatchObject({
      status: 'failed',
      prLink: null,
      failure: { code: 'checks_failed' },
    });
  });
});

describe('a further message', () => {
  const second = {
    call: 'write',
    input: { path: 'docs/usage.md', content: '# Usage\n\nStart it, then stop it.\n' },
  };
  const finishAgain = { ...finish, input: { ...finish.input, title: 'Say how to stop it' } };
  const plans = [
    { for: 'instaler', answers: [[fix], [finish]] },
    { for: 'how to stop', answers: [[second], [finishAgain]] },
  ];

  test('during the run is taken up at the next step, and is one commit with the first', async () => {
    await using place = await start();
    const held = gate();
    const asked = model.requests.length;
    model.reply(follow({ for: 'instaler', answers: [[held, fix], [finish]] }, ...plans.slice(1)));
    const { body } = await place.agent.create({ prompt: 'It says instaler, fix that.' });
    await model.request(asked + 1);
    const { body: during } = await place.agent.message(body.id, {
      prompt: 'And say how to stop it.',
    });
    expect(during).toMatchObject({ status: 'active', round: 1 });
    held.open();
    const job = await place.ended(body.id);
    expect(job).toMatchObject({ status: 'completed', round: 1, pullRequest: { number: 1 } });
    expect(await docs.read('docs/install.md', job.source.ref)).toContain('installer');
    expect(await docs.read('docs/usage.md', job.source.ref)).toContain('then stop it');
    expect(await docs.log(job.source.ref)).toHaveLength(2);
    // Said to the model once, in its place.
    const said = model.last.text.split('And say how to stop it.').length - 1;
    expect(said).toBe(1);
  });

  test('after the end goes on in the same conversation, with commits of people, in the same pull request', async () => {
    await using place = await start();
    model.reply(follow(...plans));
    const { body } = await place.agent.create({ prompt: 'It says instaler, fix that.' });
    const first = await place.ended(body.id);
    const branch = first.source.ref;
    await docs.commit({ 'docs/more.md': '# More, by a person\n' }, 'Add more', { branch });
    const { body: again } = await place.agent.message(body.id, {
      prompt: 'And say how to stop it.',
    });
    expect(again).toMatchObject({ status: 'active', prLink: null, round: 2 });
    const job = await place.ended(body.id, 2);
    expect(job).toMatchObject({ status: 'completed', pullRequest: { number: 1 } });
    expect(job.prLink).toBe(first.prLink);
    expect(job.source.ref).toBe(branch);
    const authors = (await docs.log(branch)).map(({ author }) => author);
    expect(authors).toEqual(['Docent', 'Dana Docs', 'Docent', 'Dana Docs']);
    expect(await docs.read('docs/more.md', branch)).toContain('by a person');
    expect(model.last.text).toContain('It says instaler, fix that.');
  });

  test('after the merge becomes a new branch and a pull request that names the old one', async () => {
    await using place = await start();
    model.reply(follow(...plans));
    const { body } = await place.agent.create({ prompt: 'It says instaler, fix that.' });
    const first = await place.ended(body.id);
    // As a person merges on a machine of their own.
    await docs.git('update-ref', 'refs/heads/main', (await docs.tip(first.source.ref)) ?? '');
    await place.agent.message(body.id, { prompt: 'And say how to stop it.' });
    const job = await place.ended(body.id, 2);
    expect(job).toMatchObject({ status: 'completed', pullRequest: { number: 2 } });
    expect(job.formerPullRequests).toEqual([
      { number: 1, url: first.prLink, branch: first.source.ref },
    ]);
    expect(job.source.ref).not.toBe(first.source.ref);
    const changed = await docs.git('diff', '--name-only', 'main', job.source.ref);
    expect(changed).toBe('docs/usage.md');
  });
});

describe('an end before the work is done', () => {
  const prompt = 'It says instaler, fix that.';

  test('by a cancel: the model is left at once, and nothing is proposed', async () => {
    await using place = await start();
    const asked = model.requests.length;
    model.reply(follow({ for: 'instaler', answers: [[fix], [silence]] }));
    const { body } = await place.agent.create({ prompt });
    await model.request(asked + 2);
    await place.agent.cancel(body.id);
    await model.last.gone;
    const job = await place.ended(body.id);
    expect(job).toMatchObject({
      status: 'failed',
      prLink: null,
      failure: { code: 'cancelled', message: 'The job was canceled while it ran.' },
    });
    expect((await place.agent.cancel(body.id)).status).toBe(409);
    expect(await docs.branches()).toEqual(['main']);
    expect(model.requests).toHaveLength(asked + 2);

    // A follow-up takes the work up where it was.
    model.reply(follow({ for: 'Go on', answers: [[finish]] }));
    await place.agent.message(body.id, { prompt: 'Go on' });
    const next = await place.ended(body.id, 2);
    expect(next).toMatchObject({ status: 'completed', pullRequest: { number: 1 } });
    expect(await docs.read('docs/install.md', next.source.ref)).toContain('installer');
  });

  test.each([
    ['silent', { idleSeconds: 0.2 }, 'budget_idle', 'The model didn’t respond for 0.2 seconds.'],
    ['slow', { minutes: 0.02 }, 'budget_time', 'The job has run for 0.02 minutes.'],
  ])('a model that is %s is cut', async (_, limits, code, message) => {
    await using place = await start({ limits });
    model.reply(['Let me see', silence]);
    const { body } = await place.agent.create({ prompt });
    const job = await place.ended(body.id);
    await model.last.gone;
    expect(job).toMatchObject({ status: 'failed', failure: { code, message } });
  });

  test.each([
    ['steps', { steps: 2 }, 'budget_steps'],
    ['tokens', { tokens: 20_000 }, 'budget_tokens'],
    ['money', { dollars: 0.3 }, 'budget_money'],
  ])('the %s of a project', async (_, limits, code) => {
    const price = { inputPerMillion: 10, outputPerMillion: 10 };
    const models = { main: { ...toModel(model.url), price } };
    await using place = await start({ limits }, { models });
    const asked = model.requests.length;
    const list = [{ call: 'list', input: {} }, { usage: { input: 15_000, output: 10 } }];
    model.reply(follow({ for: 'instaler', answers: [[fix, ...list.slice(1)], list, list, list] }));
    const { body } = await place.agent.create({ prompt });
    const job = await place.ended(body.id);
    expect(job).toMatchObject({ status: 'failed', prLink: null, failure: { code } });
    expect(model.requests.length - asked).toBe(2);
    expect(job.usage.steps).toBe(2);
    expect(await docs.branches()).toEqual(['main']);
    // What was edited is kept.
    const edits = await place.docent.docent.services.database
      .selectFrom('agent_edits')
      .select('path')
      .execute();
    expect(edits).toEqual([{ path: 'docs/install.md' }]);
  });

  test('the budget of the organization holds for jobs too', async () => {
    const price = { inputPerMillion: 10, outputPerMillion: 10 };
    const models = { main: { ...toModel(model.url), price } };
    const budgets = { organizations: { kestrel: { perDay: { tokens: 15_000 } } } };
    await using place = await start({}, { models, budgets });
    const list = [{ call: 'list', input: {} }, { usage: { input: 15_000, output: 10 } }];
    model.reply(follow({ for: 'instaler', answers: [list, list] }));
    const { body } = await place.agent.create({ prompt });
    const job = await place.ended(body.id);
    expect(job).toMatchObject({
      status: 'failed',
      failure: { code: 'budget_money' },
      usage: { steps: 2 },
    });
  });

  test('by a stop of the service: the next start goes on from the last step', async () => {
    await using folder = await temporaryFolder();
    const held = gate();
    const asked = model.requests.length;
    model.reply(follow({ for: 'instaler', answers: [[fix], [held, finish]] }));
    const options = { dataFolder: folder.path, server: { shutdownGraceSeconds: 0.2 } };
    const first = await start({}, options);
    const { body } = await first.agent.create({ prompt });
    await model.request(asked + 2);
    await first[Symbol.asyncDispose]();
    await model.last.gone;
    held.open();
    await using second = await start({}, options);
    const job = await second.ended(body.id);
    expect(job).toMatchObject({ status: 'completed', pullRequest: { number: 1 } });
    // The step before the stop was kept: only the second is asked for again.
    expect(model.requests.length - asked).toBe(3);
    expect(await docs.log(job.source.ref)).toHaveLength(2);
  });
});
