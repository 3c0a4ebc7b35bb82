/**
 * What it takes to read a repository at GitHub, cold and with a warm copy, beside `git clone --depth=1`
 * from the same server: `node tests/bench/reading.bench.ts [files…]`. Everything is on this machine, so
 * the network costs nothing; compare within one run.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createGitHubForge } from '../../server/testing/github-forge.ts';
import { startGitHubServer } from '../support/github-server.ts';

const run = promisify(execFile);
const sizes = process.argv.slice(2).map(Number);
const token = 'github_pat_bench';

for (const size of sizes.length > 0 ? sizes : [100, 2_000, 20_000]) {
  await using server = await startGitHubServer();
  const files = Object.fromEntries(
    Array.from({ length: size }, (_, at) => [
      `docs/${at % 97}/${at % 13}/page-${at}.md`,
      `---\ntitle: Page ${at}\n---\n\n${`Line ${at} of a page that says something about the subject.\n`.repeat(40)}`,
    ]),
  );
  const { docs } = await server.addRepository('acme/docs', files);
  await docs.git('gc', '--quiet');
  server.addToken(token);
  const folder = await mkdtemp(join(tmpdir(), 'docent-bench-'));
  const open = () =>
    createGitHubForge({
      project: { id: 'acme', github: { tokenEnv: 'TOKEN' } },
      repository: server.repositoryUrl('acme/docs'),
      secret: () => token,
      folder,
      now: () => new Date(),
    });
  const figures: Record<string, string> = {};
  const time = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const before = performance.now();
    const result = await work();
    figures[name] = `${Math.round(performance.now() - before)} ms`;
    return result;
  };
  try {
    await time('git clone --depth=1', () =>
      run('git', [
        '-c',
        `http.extraHeader=Authorization: Basic ${btoa(`x:${token}`)}`,
        'clone',
        '--quiet',
        '--depth=1',
        `${server.repositoryUrl('acme/docs')}.git`,
        join(folder, 'plain'),
      ]),
    );
    const first = (await docs.tip()) ?? '';
    const paths = Object.keys(files);
    const cold = await time('list, cold', () => open().openTree(first));
    await time('one file, cold', () => cold.read(paths.slice(0, 1)));
    await time('all files, cold', () => cold.read(paths));
    const next = await docs.commit({ [paths[0] ?? '']: 'changed\n' }, 'Change one');
    const later = await time('list of the next commit', () => open().openTree(next));
    await time('all files of it', () => later.read(paths));
    const warm = open();
    await time('list, warm copy', () => warm.openTree(next));
    const tree = await time('list, in memory', () => warm.openTree(next));
    await time('one file, warm', () => tree.read(paths.slice(0, 1)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  console.table({ [`${size} files`]: figures });
}
