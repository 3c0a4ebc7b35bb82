/** `docent eval --against` in a checkout, as the CI of a docs repository runs it. */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli, writeConfig } from '../support/cli.ts';
import { kestrel, temporaryFolder } from '../support/fixture.ts';

const rotate = 'How do I rotate an access token?';
const bitcoin = 'Does billing accept bitcoin | for invoices?';
const questions = [
  { question: rotate, relevant: ['/tokens'] },
  { question: bitcoin, relevant: [] },
  { question: 'How do I bake bread?', relevant: [], kind: 'off-topic' },
];

describe('a change of the documentation', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let config: string;
  const at = (...path: string[]) => join(folder.path, ...path);
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-C', folder.path, ...args],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    ).trim();
  const compare = (...args: string[]) =>
    runCli(['eval', '--config', config, '--against', 'main', ...args], { cwd: folder.path });

  beforeAll(async () => {
    folder = await temporaryFolder();
    git('init', '--quiet', '--initial-branch=main');
    await mkdir(at('docs'));
    await writeFile(at('docs/index.md'), '# Kestrel\n\nKestrel watches your sensors.\n');
    await writeFile(
      at('docs/tokens.md'),
      '# Tokens\n\nRotate an access token with the command rotate.\n',
    );
    git('add', '--all');
    git('commit', '--quiet', '--message', 'Begin');
    git('checkout', '--quiet', '-b', 'change');
    config = await writeConfig(folder.path, {
      server: { dataFolder: '.data' },
      sites: [{ ...kestrel, docs: { folder: 'docs', baseUrl: 'https://docs.kestrel.example' } }],
    });
    const lines = questions.map((one) => JSON.stringify(one)).join('\n');
    await writeFile(at('kestrel-docs.eval.jsonl'), lines);
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  test('that changes no answer passes', async () => {
    const { code, stdout } = await compare();
    expect([code, stdout]).toEqual([
      0,
      'kestrel-docs: 3 questions, 0 answers gained, 0 lost against main\n',
    ]);
  });

  test('that gains one and loses one fails, unless one may be lost; the summary is Markdown', async () => {
    await writeFile(
      at('docs/bitcoin.md'),
      '# Pay with bitcoin\n\nBilling accepts bitcoin for invoices since version 2.\n',
    );
    await rename(at('docs/tokens.md'), at('tokens.md'));
    const failed = await compare('--summary', at('summary.md'));
    expect(failed).toMatchObject({
      code: 1,
      stdout: `kestrel-docs: 3 questions, 1 answers gained, 1 lost against main\n  + ${bitcoin}\n  - ${rotate}\n`,
    });
    expect(failed.stderr).toContain('1 answers are lost, more than 0.');
    const summary = await readFile(at('summary.md'), 'utf8');
    expect(summary).toContain('| No longer answered | How do I rotate an access token? |');
    expect(summary).toContain('| Now answered | Does billing accept bitcoin \\| for invoices? |');
    const allowed = await compare('--max-lost', '1', '--json');
    expect(allowed.code).toBe(0);
    expect(JSON.parse(allowed.stdout)).toMatchObject([
      {
        domain: 'kestrel-docs',
        commit: git('rev-parse', 'main'),
        gained: [bitcoin],
        lost: [rotate],
      },
    ]);
    await rename(at('tokens.md'), at('docs/tokens.md'));
  });

  test.each([
    [['--against', 'nowhere'], 'There is no commit nowhere'],
    [['--max-lost', 'some'], '--max-lost "some" isn\'t a count'],
  ])('%s is refused with a sentence', async (args, words) => {
    const { code, stderr } = await compare(...args);
    expect(code).toBe(1);
    expect(stderr).toContain(words);
  });
});
