/** Automations, from what is new to one pull request, with the reasons where nothing comes of it. */
import type { CodeProposals } from '@docent/shared/automations';
import { expect, test } from 'vitest';
import { agentOf } from '../support/agent.ts';
import { follow } from '../support/agent-script.ts';
import { automationsOf } from '../support/automations.ts';
import { getJson, postJson } from '../support/call.ts';
import { makeRepository } from '../support/docs-repository.ts';
import { startGitHubServer } from '../support/github-server.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { startDocent, toModel } from '../support/start-docent.ts';

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
  const { docs: code, conversation: coded } = await github.addRepository('kestrel/server', {
    'src/limit.ts': 'export const limit = 10;\n',
    '.env': 'TOKEN=hidden-in-the-code\n',
  });
  hosted.conversation.addPerson('dana', 'read');
  await using model = await startScriptedModel(
    follow(
      {
        for: '+export const limit = 20',
        answers: [
          [
            { call: 'code_list', input: { repository: 'server' } },
            { call: 'code_search', input: { repository: 'server', query: 'limit' } },
            { call: 'code_read', input: { repository: 'server', path: 'src/limit.ts' } },
            { call: 'code_read', input: { repository: 'other', path: 'src/limit.ts' } },
            { call: 'code_read', input: { repository: 'server', path: '.env' } },
          ],
          [edit('is 10', 'is 20')],
          [finish('The limit is 20')],
        ],
      },
      // What goes back: first it names no place, and then one that doesn't exist.
      {
        for: 'You have read code.',
        answers: [[finish('The limit is 20, see server:src/limit.ts:9')]],
      },
      {
        for: "isn't a place in the code",
        answers: [[finish('The limit is 20, see server:src/limit.ts:1')]],
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
        code: [
          {
            name: 'server',
            repository: github.repositoryUrl('kestrel/server'),
            tokenEnv: 'DOCS_TOKEN',
          },
        ],
        automations: { maxOpen: 1 },
      },
    ],
    variables: { DOCS_TOKEN: token },
  });
  const automations = automationsOf(docent);
  const { look, remind } = docent.docent.services.automations;
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

  const raised = await code.commit(
    { 'src/limit.ts': 'export const limit = 20;\n' },
    'Raise the limit',
  );
  coded.authors.set(raised, 'dana');
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
  // Read at the commit, bounded to the project's repositories, and never secrets.
  for (const said of [
    '1\\texport const limit = 20;',
    'There is no code repository “other”',
    'server:src/limit.ts:9 isn',
  ]) {
    expect(asked).toContain(said);
  }
  expect(asked).not.toContain('hidden-in-the-code');
  // The code stays on this side: the description has our words and the owner's.
  const pull = () => hosted.pulls[0];
  expect(pull()?.body).toContain('Keep it short.');
  expect(pull()?.body).toContain(`\`server\` at \`${raised}\``);
  expect(pull()?.body).toContain('- `server:src/limit.ts:1`');
  expect(pull()?.body).not.toContain('export const');

  // A person goes on with the branch, and more is merged.
  await hosted.docs.commit(
    { 'docs/options.md': '# Options\n\nThe limit is 20, and was 10.\n' },
    'By hand',
    { branch },
  );
  // One of the authors can't be asked, which holds nothing up.
  const noted = await code.commit({ NOTES: 'Later.\n' }, 'Note it');
  hosted.conversation.addPerson('frank', 'read');
  coded.authors.set(noted, 'frank');
  const sized = await code.commit({ 'src/size.ts': 'export const size = 3;\n' }, 'Add a size');
  coded.authors.set(sized, 'eve');
  await next();
  expect(await automations.ended(id, 3)).toMatchObject({
    outcome: 'added',
    findings: [`${sized.slice(0, 10)} Add a size`, `${noted.slice(0, 10)} Note it`],
    pullRequest: { number: 1 },
  });
  expect(await hosted.docs.read('docs/options.md', branch)).toBe(
    '# Options\n\nThe size is 3.\n\nThe limit is 20, and was 10.\n',
  );
  expect(hosted.pulls).toHaveLength(1);
  expect(hosted.conversation.asked).toEqual([
    [1, 'dana'],
    [1, 'frank'],
  ]);
  const day = now().toISOString().slice(0, 10);
  const why = 'Review after changes of the server: The code has changed';
  expect(pull()?.body).toContain(
    `### Timeline\n\n| Date | Why | What |\n| --- | --- | --- |\n| ${day} | ${why} | The limit is 20, see server:src/limit.ts:1 |\n| ${day} | ${why} | The size is 3 |\n`,
  );
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
  await remind();
  await remind();
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

test('an automation that begins with a commit looks at what was merged after it, once', async () => {
  await using docs = await makeRepository({ 'docs/options.md': '# Options\n\nThe limit is 10.\n' });
  await using code = await makeRepository({ 'src/limit.ts': 'export const limit = 10;\n' });
  const since = (await code.tip()) ?? '';
  const raised = await code.commit({ 'src/limit.ts': 'export const limit = 20;\n' }, 'Raise it');
  const noted = await code.commit({ NOTES: 'Later.\n' }, 'Note it');
  await using model = await startScriptedModel(
    follow({
      for: '+export const limit = 20',
      answers: [
        [
          edit('is 10', 'is 20'),
          { call: 'code_read', input: { repository: 'server', path: 'src/limit.ts' } },
        ],
        [finish('The limit is 20, see server:src/limit.ts:1')],
      ],
    }),
  );
  const { now, pass } = clock();
  await using docent = await startDocent({
    now,
    models: { main: toModel(model.url) },
    projects: [
      {
        id: 'kestrel',
        organization: 'kestrel',
        repository: docs.path,
        docsRoot: 'docs',
        model: 'main',
        code: [{ name: 'server', repository: code.path }],
      },
    ],
  });
  const automations = automationsOf(docent);
  const create = async (commit: string) =>
    automations.create({
      project: 'kestrel',
      name: 'Review',
      task: { about: 'code', repository: 'server', since: commit },
      trigger: { on: 'change' },
    });
  const { id } = (await create(since)).body;
  const first = await automations.ended(id, 1);
  expect(first).toMatchObject({
    outcome: 'started',
    read: [
      { what: 'server from', commit: since },
      { what: 'server', commit: noted },
    ],
    findings: [`${noted.slice(0, 10)} Note it`, `${raised.slice(0, 10)} Raise it`],
    pullRequest: { number: 1 },
  });
  const [job] = (await agentOf(docent).list()).body.jobs;
  expect(await docs.read('docs/options.md', job?.source.ref)).toContain('limit is 20.');
  pass(6 * minuteMs);
  await docent.docent.services.automations.look();
  expect(await automations.runs(id)).toHaveLength(1);
  await automations.run(id);
  expect(await automations.ended(id, 2)).toMatchObject({
    outcome: 'nothing',
    reason: `Nothing was merged since ${noted.slice(0, 10)}.`,
  });

  // A commit that the repository doesn't have is said, and nothing is guessed.
  const unknown = (await create('0123456789'.repeat(4))).body;
  const lost = await automations.ended(unknown.id, 1);
  expect(lost).toMatchObject({ outcome: 'nothing', job: null });
  expect(lost.reason).toContain('0123456789 is no longer part of it');
  expect(await create('main')).toMatchObject({
    status: 400,
    body: { details: [{ path: 'task.since' }] },
  });
}, 120_000);

test('broken links, gaps, ratings, old pages, and releases are what automations can look at', async () => {
  await using docs = await makeRepository({
    'docs/index.md': '# Kestrel\n\nRead how to [install](instal.md) it.\n',
    'docs/install.md': '# Install\n\nRun it.\n',
  });
  await using code = await makeRepository({ 'a.ts': '1\n' });
  await code.git('tag', 'v1.0.0', 'main');
  await using model = await startScriptedModel(
    follow(
      {
        for: 'the documentation did not answer them',
        answers: [
          [
            {
              call: 'edit',
              input: { path: 'docs/install.md', oldText: 'Run it.', newText: 'Run it on Mars.' },
            },
          ],
          [finish('It runs on Mars')],
        ],
      },
      { for: 'rated pages or answers as bad', answers: [[finish('I can not tell what was bad')]] },
      { for: 'Nobody has changed these pages', answers: [[finish('They are still right')]] },
      {
        for: 'has a new release',
        answers: [
          [
            {
              call: 'write',
              input: { path: 'docs/release-notes.md', content: '# Releases\n\nNew.\n' },
            },
          ],
          [finish('Notes of v1.1.0')],
        ],
      },
    ),
  );
  const { now, pass } = clock();
  await using docent = await startDocent({
    now,
    models: { main: toModel(model.url) },
    site: { model: undefined },
    projects: [
      {
        id: 'kestrel',
        organization: 'kestrel',
        repository: docs.path,
        docsRoot: 'docs',
        site: 'kestrel-docs',
        model: 'main',
        code: [{ name: 'server', repository: code.path }],
      },
      { id: 'bare', organization: 'kestrel', repository: docs.path, docsRoot: 'docs' },
    ],
  });
  const automations = automationsOf(docent);
  const { look } = docent.docent.services.automations;
  const next = async () => {
    pass(6 * minuteMs);
    await look();
  };
  const create = async (project: string, task: object, trigger: object = { on: 'change' }) =>
    (await automations.create({ project, name: 'One', task, trigger })).body.id;

  // Without a model, links are repaired by a command.
  const links = await create('bare', { about: 'links' });
  expect(await automations.ended(links, 1)).toMatchObject({
    outcome: 'started',
    read: [{ what: 'main', commit: await docs.tip() }],
    findings: [expect.stringContaining('docs/index.md:3: The link "instal.md" leads to no page')],
    pullRequest: { number: 1 },
  });
  const [job] = (await agentOf(docent, 'bare').list()).body.jobs;
  expect(await docs.read('docs/index.md', job?.source.ref)).toContain('(install.md)');
  // The same finding isn't one again, also on the next commit.
  await docs.commit({ 'docs/other.md': '# Other\n' });
  await next();
  expect(await automations.ended(links, 2)).toMatchObject({
    outcome: 'nothing',
    reason: expect.stringContaining('pull request #1, which is open'),
  });
  const bare = await automations.create({
    project: 'bare',
    name: 'Gaps',
    task: { about: 'gaps' },
    trigger: { on: 'call' },
  });
  expect(bare).toMatchObject({
    status: 409,
    body: { error: expect.stringContaining('no language model') },
  });

  const gaps = await create('kestrel', { about: 'gaps' }, { on: 'change', count: 2 });
  const ratings = await create('kestrel', { about: 'ratings' }, { on: 'change', count: 1 });
  await look();
  expect(await automations.runs(gaps)).toEqual([]);
  await docent.ask('Does Kestrel run on Mars with oxygen tanks?');
  await next();
  expect(await automations.runs(gaps)).toEqual([]);
  await docent.ask('Which zeppelin colours can billing invoices have?');
  await next();
  const wrote = await automations.ended(gaps, 1);
  expect(wrote).toMatchObject({
    outcome: 'started',
    findings: [
      'A gap that one reader asked about, once',
      'A gap that one reader asked about, once',
    ],
  });
  // The gaps know the job, so their questions are asked again after its merge.
  const { body: known } = await getJson<{ gaps: { state: string; job: { id: string } }[] }>(
    docent,
    '/v1/analytics/kestrel-docs/unanswered',
    { key: docent.admin },
  );
  expect(known.gaps).toMatchObject([
    { state: 'in-review', job: { id: wrote.job } },
    { state: 'in-review', job: { id: wrote.job } },
  ]);

  await postJson(docent, '/discovery/v1/feedback/kestrel-docs', {
    fp: 'reader-1',
    path: '/install',
    rating: 'down',
    reasons: ['incorrect'],
  });
  await next();
  expect(await automations.ended(ratings, 1)).toMatchObject({
    outcome: 'nothing',
    findings: ['A bad rating of /install, incorrect'],
    reason: 'I can not tell what was bad.',
  });

  const stale = await create('kestrel', { about: 'stale', months: 1 });
  expect(await automations.ended(stale, 1)).toMatchObject({
    outcome: 'nothing',
    findings: ['docs/index.md', 'docs/install.md', 'docs/other.md'],
    reason: 'They are still right.',
  });
  await automations.run(stale);
  expect(await automations.ended(stale, 2)).toMatchObject({
    outcome: 'nothing',
    reason: 'Nothing new: it has dealt with all 3 findings before.',
  });

  // At setup, the last 30 days are known with what they would cost, and nothing is started.
  await docs.commit({
    'docs/options.md': '# Options\n\nSet `maxSize` to a number.\n',
    'docs/export.md': '# Export\n\nYou can export your data.\n',
  });
  const since = await code.tip();
  pass(31 * dayMs);
  const late = Math.floor(now().getTime() / 1000);
  const young = await code.commit({ 'b.ts': 'export const maxSize = 3;\n' }, 'Limit the size', {
    seconds: late,
  });
  const jobs = (await agentOf(docent).list()).body.jobs.length;
  const { body: proposed } = await getJson<CodeProposals>(
    docent,
    '/v1/projects/kestrel/code/server/proposals',
    { key: docent.admin },
  );
  expect(proposed).toMatchObject({
    since,
    commit: young,
    commits: 1,
    proposals: [{ page: 'docs/options.md', words: ['maxSize'], files: ['b.ts'] }],
    estimate: { costUsd: null },
  });
  expect((await agentOf(docent).list()).body.jobs).toHaveLength(jobs);

  const releases = await create('kestrel', { about: 'release', repository: 'server' });
  await automations.ended(releases, 1);
  const tagged = await code.commit({ 'a.ts': '2\n' }, 'Do it twice as fast');
  await code.git('tag', 'v1.1.0', 'main');
  await next();
  expect(await automations.ended(releases, 2)).toMatchObject({
    outcome: 'started',
    read: [{ what: 'server v1.1.0', commit: tagged }],
    findings: ['v1.1.0'],
  });
  expect(model.requests.some(({ text }) => text.includes('Do it twice as fast'))).toBe(true);

  // A schedule is kept in its time zone.
  const { body: weekly } = await automations.create({
    project: 'kestrel',
    name: 'Weekly',
    task: { about: 'stale', months: 6 },
    trigger: { on: 'schedule', cron: '30 7 * * 1', timeZone: 'Asia/Tokyo' },
  });
  expect(new Date(weekly.nextAt ?? '').getUTCDay()).toBe(0);
  expect(weekly.nextAt).toContain('T22:30:00');
  pass(Date.parse(weekly.nextAt ?? '') - now().getTime() + minuteMs);
  await look();
  expect(await automations.ended(weekly.id, 1)).toMatchObject({
    cause: `Due at ${weekly.nextAt}`,
    outcome: 'nothing',
    reason: 'Somebody has changed every page within 6 months.',
  });
  for (const [trigger, path] of [
    [{ on: 'schedule', cron: 'often' }, 'trigger.cron'],
    [{ on: 'schedule', cron: '0 0 30 2 *' }, 'trigger.cron'],
    [{ on: 'schedule', cron: '0 0 * * *', timeZone: 'Mars/Olympus' }, 'trigger.timeZone'],
  ] as const) {
    const refused = await automations.create({
      project: 'kestrel',
      name: 'Wrong',
      task: { about: 'links' },
      trigger,
    });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ path }] } });
  }
}, 120_000);
