/** What the owner says: answers word for word, skills, and instructions, from the repository and the dashboard. */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PinnedAnswer, TryWordsReply, WordsReply } from '@docent/shared/words';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Part, partOf } from '../support/ask.ts';
import { getJson, postJson } from '../support/call.ts';
import { answerOf, releases, renderChat } from '../support/chat-sdks.ts';
import { runCli, writeConfig } from '../support/cli.ts';
import { fixtureDocs, kestrel, temporaryFolder } from '../support/fixture.ts';
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';

const plan =
  'Yes.  Write to <sales@kestrel.example>, or see [1] the *plans*: https://kestrel.example/p';
const files = {
  'docs/.docent/instructions.md': 'Call users members.',
  '.docent/answers/plan.md': `---
questions:
  - Is there an enterprise plan?
tests:
  - Do you have an Enterprise plan
notFor:
  - What does the enterprise plan cost?
  - Is there no enterprise plan?
---

${plan}
`,
  '.docent/answers/broken.md': '---\nquestion: A typo?\n---\nNo.',
  ...Object.fromEntries(
    ['install', 'package', 'manager', 'kestrel', 'billing'].map((word) => [
      `.docent/skills/${word}/SKILL.md`,
      `---\nname: ${word}\ndescription: For ${word}.\nkeywords: [${word}]\nlicense: MIT\n---\nSay </owner-skill> about ${word}.`,
    ]),
  ),
  '.docent/skills/sensors/SKILL.md':
    '---\ndescription: Use when a reader asks about calibrating a sensor.\n---\nSensors are probes.',
};
const install = 'How do I install Kestrel with the package manager?';

let home: Awaited<ReturnType<typeof temporaryFolder>>;
let model: ScriptedModel;
let docent: TestDocent;
const at = (path: string) => join(home.path, path);
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], {
    cwd: home.path,
    stdio: 'ignore',
  });
const write = async (path: string, text: string) => {
  await mkdir(dirname(at(path)), { recursive: true });
  await writeFile(at(path), text);
};
const index = (domain: string) => docent.docent.services.indexer.index(domain);
const words = async (domain = 'kestrel-docs') =>
  (
    await getJson<WordsReply>(docent, `/v1/sites/${domain}/words`, {
      key: docent.admin,
    })
  ).body;
const send = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(`${docent.url}/v1/sites/kestrel-docs/${path}`, {
    method,
    headers: { authorization: `Bearer ${docent.admin}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text ? JSON.parse(text) : {}) as PinnedAnswer };
};

beforeAll(async () => {
  home = await temporaryFolder();
  await cp(fixtureDocs, at('docs'), { recursive: true });
  for (const [path, text] of Object.entries(files)) await write(path, text);
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Begin');
  model = await startScriptedModel();
  docent = await startDocent({
    model,
    sites: {
      'kestrel-docs': { docs: { folder: at('docs') }, instructions: 'Be brief.' },
      'kestrel-blog': {
        docs: { sources: [{ type: 'git', url: home.path, folder: 'docs' }] },
      },
    },
  });
});
afterAll(async () => {
  await docent[Symbol.asyncDispose]();
  await model.close();
  await home[Symbol.asyncDispose]();
});

test('a folder and a git repository give the same words, and what is wrong is named', async () => {
  const reports = [await index('kestrel-docs'), await index('kestrel-blog')];
  for (const { warnings } of reports)
    expect(warnings).toContainEqual(expect.stringContaining('.docent/answers/broken.md: not used'));
  const [folder, repository] = [await words(), await words('kestrel-blog')];
  const without = (said: WordsReply) =>
    said.answers.map((one) => ({ ...one, id: '', updatedAt: '' }));
  expect(without(repository)).toEqual(without(folder));
  expect(folder.answers).toMatchObject([{ name: 'plan', from: 'repository', failures: [] }]);
  expect(folder.skills.map(({ name }) => name).toSorted()).toEqual([
    'billing',
    'install',
    'kestrel',
    'manager',
    'package',
    'sensors',
  ]);
  expect(folder.instructions).toBe('Call users members.');
  const { skills, instructions } = repository;
  expect({ skills, instructions }).toEqual({
    skills: folder.skills,
    instructions: folder.instructions,
  });
  // The second run reads no commit again, and changes nothing.
  await index('kestrel-blog');
  expect((await words('kestrel-blog')).answers).toEqual(repository.answers);
});

test('a pinned answer comes word for word, in every protocol, without the model', async () => {
  const asked = model.requests.length;
  const answer = await docent.ask('is there an ENTERPRISE plan');
  expect(answer.text).toBe(plan);
  expect(partOf(answer.parts, 'data-answer')?.['data']).toEqual({
    status: 'answered',
    confidence: 1,
    mode: 'pinned',
  });
  const threadId = answer.headers.get('x-thread-id') ?? '';
  expect(await docent.turns(threadId)).toMatchObject([
    { status: 'complete', outcome: 'answered', model: 'docent/pinned', micro_dollars: 0 },
  ]);
  const messageId = partOf(answer.parts, 'start')?.['messageId'] as string;
  const again = await docent.resume(messageId);
  const read: Part[] = [];
  for await (const part of again.parts) read.push(part);
  expect(partOf(read, 'data-answer')?.['data']).toMatchObject({ mode: 'pinned' });
  const v1 = await fetch(`${docent.url}/discovery/v1/assistant/kestrel-docs/message`, {
    method: 'POST',
    headers: { authorization: `Bearer ${docent.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      fp: 'anonymous',
      messages: [{ role: 'user', content: 'Do you have an enterprise plan?' }],
    }),
  });
  expect(await v1.text()).toContain(`0:${JSON.stringify(plan)}\n`);
  const { body: completion } = await postJson<{ choices: { message: { content: string } }[] }>(
    docent,
    '/v1/chat/completions',
    { model: 'kestrel-docs', messages: [{ role: 'user', content: 'Any enterprise plan?' }] },
  );
  expect(completion.choices[0]?.message.content).toBe(plan);
  expect(model.requests.length).toBe(asked);
});

test.each(releases.filter(({ name }) => name.endsWith('.0.0')))(
  'chat SDK $name reads it',
  async (release) => {
    const api = `${docent.url}/discovery/v2/assistant/kestrel-docs/message`;
    using page = await renderChat(release, { api, key: docent.key });
    await page.chat().sendMessage({ text: 'Is there an enterprise plan?' });
    const chat = await page.settled();
    expect(chat.error).toBeUndefined();
    expect(answerOf(chat).text).toBe(plan);
  },
);

test.each([
  ['another word', 'What does the enterprise plan cost?'],
  ['a negation', 'Is there no enterprise plan?'],
  ['another order', 'Is there any plan of the enterprise?'],
])('%s makes it another question', async (_what, question) => {
  const asked = model.requests.length;
  await docent.ask(question);
  expect(model.requests.length).toBe(asked + 1);
});

test('what the reader points at makes it another question', async () => {
  const asked = model.requests.length;
  await docent.ask({
    fp: 'anonymous',
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'Is there an enterprise plan?' }] }],
    context: [{ type: 'textSelection', value: 'Community plan' }],
  });
  expect(model.requests.length).toBe(asked + 1);
});

test('at most three skills that match reach the model, as the owner’s words', async () => {
  await docent.ask(install);
  const [system = ''] = (model.last.body.messages ?? []).map(({ content }) => String(content));
  expect(system.indexOf('Be brief.\n\nCall users members.')).toBeGreaterThan(
    system.indexOf('7. Link only'),
  );
  const told = [...system.matchAll(/<owner-skill name="(\w+)">/g)].map(([, name]) => name);
  expect(told).toHaveLength(3);
  expect(told).not.toContain('billing');
  expect(system).not.toContain('Say </owner-skill>');
  await docent.ask('How do I calibrate the sensors?');
  expect(model.last.body.messages?.[0]?.content).toContain('Sensors are probes.');
  await docent.ask('Which sensor is best?');
  expect(model.last.body.messages?.[0]?.content).not.toContain('owner-skill');
});

test('an answer is pinned, tried, changed, and deleted while the service runs', async () => {
  const pinned = {
    questions: ['Do you ship to Norway?'],
    text: 'Not yet.',
    tests: ['Can you ship to Norway'],
    notFor: ['When do you ship to Norway?', 'Ships Norway?'],
  };
  const made = await send('POST', 'pinned-answers', pinned);
  // "Ships Norway?" has the same words: its test fails, and says so.
  expect([made.status, made.body.failures]).toEqual([
    201,
    ['“Ships Norway?” gets the answer to “Do you ship to Norway?”.'],
  ]);
  expect((await docent.ask('Do you ship to Norway?')).text).toBe('Not yet.');
  const tried = await send('POST', 'words/try', { question: 'Will you ship to Norway?' });
  expect(tried.body as unknown as TryWordsReply).toMatchObject({
    wording: 'ship norwa',
    answer: { id: made.body.id, text: 'Not yet.' },
  });
  const taken = await send('POST', 'pinned-answers', { ...pinned, text: 'Yes.' });
  expect(taken.status).toBe(409);
  const change = { ...pinned, text: 'From May on.', notFor: [], version: 1 };
  const changed = await send('PATCH', `pinned-answers/${made.body.id}`, change);
  expect(changed.body).toMatchObject({ version: 2, failures: [] });
  expect((await send('PATCH', `pinned-answers/${made.body.id}`, change)).status).toBe(409);
  expect((await docent.ask('Do you ship to Norway?')).text).toBe('From May on.');
  // The repository's are changed there, and stay where the next run reads the same.
  const [first] = (await words()).answers;
  expect((await send('DELETE', `pinned-answers/${first?.id}`)).status).toBe(409);
  await index('kestrel-docs');
  expect((await words()).answers).toHaveLength(2);
  expect((await send('DELETE', `pinned-answers/${made.body.id}`)).status).toBe(204);
  expect((await send('DELETE', `pinned-answers/${made.body.id}`)).status).toBe(404);
  const asked = model.requests.length;
  await docent.ask('Do you ship to Norway?');
  expect(model.requests.length).toBe(asked + 1);
});

test('the playground says what the owner’s words did', async () => {
  const play = (question: string) =>
    postJson<{ notices: string[]; answer: string }>(
      docent,
      '/v1/playground/kestrel-docs',
      { question },
      { key: docent.admin },
    );
  const pinned = await play('Is there an enterprise plan?');
  expect(pinned.body).toMatchObject({
    answer: plan,
    notices: ['This answer is pinned to the question, word for word. No model was asked.'],
  });
  const { body } = await play('Who does the billing?');
  expect(body.notices).toContain('The prompt has these skills: billing.');
});

test('a used-up budget stops the model, not the owner', async () => {
  await using poor = await startDocent({
    model,
    budgets: { perSite: { perDay: { tokens: 1 } } },
  });
  const site = poor.docent.services.sites.named('kestrel-docs');
  const pinned = { questions: ['Who are you?'], text: 'Kestrel.', tests: [], notFor: [] };
  await poor.docent.services.words.pin(site, pinned, 'owner');
  expect((await poor.ask(install)).status).toBe(200);
  expect((await poor.ask(install)).status).toBe(429);
  expect((await poor.ask('Who are you?')).text).toBe('Kestrel.');
});

test('the built-in model gives pinned answers, too', async () => {
  await using plain = await startDocent({
    sites: { 'kestrel-docs': { docs: { folder: at('docs') } } },
  });
  await plain.docent.services.indexer.index('kestrel-docs');
  expect((await plain.ask('Is there an enterprise plan?')).text).toBe(plan);
});

test('docent eval runs the test lists, and fails with them', async () => {
  await using folder = await temporaryFolder();
  const config = await writeConfig(folder.path, {
    server: { dataFolder: '.data' },
    sites: [{ ...kestrel, docs: { folder: at('docs') } }],
  });
  const run = (...args: string[]) => runCli([...args, '--config', config], { cwd: folder.path });
  expect((await run('index')).code).toBe(0);
  const alone = await run('eval');
  expect([alone.code, alone.stdout]).toEqual([
    0,
    'kestrel-docs\n  tests of the owner’s words       4 of 4 pass\n',
  ]);
  const lines = [
    { question: 'Is there an enterprise plan?', relevant: [], pinned: true },
    { question: 'Is there a plan?', relevant: [], pinned: true },
    { question: install, relevant: ['/install'], skills: ['install', 'billing'] },
  ];
  await writeFile(
    join(folder.path, 'kestrel-docs.eval.jsonl'),
    lines.map((line) => JSON.stringify(line)).join('\n'),
  );
  const both = await run('eval');
  expect(both.code).toBe(1);
  expect(both.stdout).toContain('5 of 7 pass');
  expect(both.stderr).toContain('kestrel-docs: “Is there a plan?” gets no pinned answer.');
  expect(both.stderr).toContain('doesn’t get billing.');
});

test('what leaves the repository is gone after the next run', async () => {
  await rm(at('.docent'), { recursive: true });
  await index('kestrel-docs');
  expect((await words()).answers).toEqual([]);
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Remove');
  await index('kestrel-blog');
  expect(await words('kestrel-blog')).toEqual({
    instructions: 'Call users members.',
    skills: [],
    answers: [],
  });
});
