/** What owners do on the command line: forget a reader, and score a site on its own questions. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAsker, toBody } from '../support/ask.ts';
import { runCli, serve, writeConfig } from '../support/cli.ts';
import { fixtureDocs, kestrel, temporaryFolder } from '../support/fixture.ts';
import { makeKey } from '../support/start-docent.ts';

async function place() {
  const folder = await temporaryFolder();
  const config = await writeConfig(folder.path, {
    server: { port: 0 },
    sites: [{ ...kestrel, docs: { folder: fixtureDocs } }],
  });
  const run = (...args: string[]) => runCli([...args, '--config', config]);
  expect((await run('index')).code).toBe(0);
  return { config, run, folder, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test('forget: a reader’s questions are gone, beside a running service too', async () => {
  await using at = await place();
  const key = await makeKey(at.config);
  await using server = await serve(at.config);
  const { ask } = createAsker(server.url, { key, domain: kestrel.domain });
  const first = await ask(toBody('How do I install Kestrel?', { fp: 'jo' }));
  const threadId = first.headers.get('x-thread-id') ?? '';
  await ask(toBody('And on Windows?', { fp: 'jo', threadId }));
  await ask(toBody('How do I install Kestrel?', { fp: 'bo' }));

  const forgotten = await at.run('forget', 'kestrel-docs', 'jo');
  expect(forgotten).toEqual({
    code: 0,
    stderr: '',
    stdout: 'Deleted 2 questions in 1 conversation, and 0 feedback items.\n',
  });
  expect((await ask(toBody('And?', { fp: 'jo', threadId }))).status).toBe(404);
  expect((await at.run('forget', 'kestrel-docs', 'jo')).stdout).toMatch(/^Deleted 0 questions/);
  const nobody = await at.run('forget', 'kestrel-docs', 'anonymous');
  expect(nobody).toMatchObject({ code: 1, stdout: '' });
  expect(nobody.stderr).toMatch(/^docent: Anonymous readers can't be told apart/);
  expect((await at.run('forget', 'nowhere', 'jo')).stderr).toMatch(/^docent: There is no site/);
});

describe('eval', () => {
  let at: Awaited<ReturnType<typeof place>>;
  let questions: string;
  beforeAll(async () => {
    at = await place();
    const lines = [
      { question: 'How do I install Kestrel?', relevant: ['/install'] },
      { question: 'Which zebra sings opera on Neptune?', relevant: [] },
    ];
    questions = join(at.folder.path, 'questions.jsonl');
    await writeFile(questions, lines.map((line) => JSON.stringify(line)).join('\n'));
  });
  afterAll(() => at[Symbol.asyncDispose]());
  const evaluate = (...args: string[]) =>
    at.run('eval', 'kestrel-docs', '--questions', questions, ...args);

  test('prints figures for people, and JSON for programs', async () => {
    const [table, json] = await Promise.all([evaluate(), evaluate('--json')]);
    expect(table.code).toBe(0);
    expect(table.stdout).toMatch(/^kestrel-docs\n {2}search .*recall@5/);
    expect(table.stdout).toMatch(/unanswerable questions refused +1\.000/);
    expect(JSON.parse(json.stdout)).toMatchObject({
      'kestrel-docs': {
        retrieval: { questions: { questions: 1, recall5: 1 } },
        answers: { refusalRecall: 1, falseRefusals: 0, failed: 0 },
      },
    });
  });

  test('--no-answers asks no model', async () => {
    const { stdout, code } = await evaluate('--json', '--no-answers');
    expect(code).toBe(0);
    const result = (JSON.parse(stdout) as Record<string, object>)['kestrel-docs'];
    expect(result).toHaveProperty('retrieval');
    expect(result).not.toHaveProperty('answers.refusalRecall');
  });

  test('a limit that is missed is said, and is the exit code', async () => {
    await writeFile(
      join(at.folder.path, 'wrong.jsonl'),
      JSON.stringify({ question: 'How do I install Kestrel?', relevant: ['/guides/alerts'] }),
    );
    const limits = ['--no-answers', '--min-ndcg', '0.99'];
    const good = await evaluate(...limits, '--min-recall', '0.9');
    expect(good).toMatchObject({ code: 0, stderr: expect.not.stringContaining('the minimum') });
    const file = join(at.folder.path, 'wrong.jsonl');
    const bad = await at.run('eval', 'kestrel-docs', '--questions', file, ...limits);
    expect(bad.code).toBe(1);
    expect(bad.stderr).toMatch(/^kestrel-docs: nDCG@5 is 0\.\d+, below the minimum of 0\.99\.$/m);
  });

  test.each([
    [
      ['--min-recall', '90%'],
      /^docent: --min-recall "90%" isn't a share. Write a number from 0 to 1/,
    ],
    [['--questions', 'nowhere.jsonl'], /^docent: The questions nowhere\.jsonl cannot be read\./],
  ])('%o is refused in one sentence', async (args, words) => {
    const run = await evaluate(...args);
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toMatch(words);
  });
});
