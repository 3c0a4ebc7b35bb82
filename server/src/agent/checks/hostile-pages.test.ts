/** Pages that take too long to read: the check names them, checks the others, and nobody waits. */
import { afterAll, expect, test } from 'vitest';
import { ChecksConfig, ProjectConfig } from '../../platform/config/project-config.ts';
import { createWorkerPool, workerEntry, workerLimits } from '../../platform/workers/worker-pool.ts';
import type { RunAgentTask } from '../run-agent-task.ts';
import { findNewHosts } from '../workspace/new-hosts.ts';
import { reviewContent } from '../workspace/review.ts';
import { createPathPolicy } from '../workspace/path-policy.ts';
import { checkChange } from './check-docs.ts';
import { changedFiles, docsFiles, edit, short, toBytes } from '../../../testing/agent-checks.ts';

/** Of computing: ten times what a page takes, and a tenth of a hostile one. */
const timeoutMs = 600;
/** Less than any of the hostile pages, and more than all the rest. */
const thisThreadMs = 1_500;
const pool = createWorkerPool(workerEntry, { ...workerLimits, timeoutMs });
const run = pool.run as RunAgentTask;
afterAll(() => pool.close());

const slow = '*a* '.repeat(50_000);
const files = {
  'docs/a.md': '# A\n\ntext',
  'docs/b.md': '# B\n\n[A](a.md#anywhere)',
  'docs/c.md': '# C\n\n[D](d.md)',
  'docs/d.md': '# D',
};

async function onlyThere<Result>(work: () => Promise<Result>): Promise<Result> {
  const before = process.threadCpuUsage();
  const result = await work();
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(thisThreadMs);
  return result;
}

test('a changed page that takes too long is a problem, also in MDX; its anchors are unknown', async () => {
  const write = {
    'docs/a.md': slow,
    'docs/b.md': '# B\n\n[A](a.md#elsewhere)',
    'docs/c.md': '# C\n\n[D](e.md)',
    'docs/f.mdx': `# F\n\n{"${'}'.repeat(100_000)}"}`,
  };
  const report = await onlyThere(() =>
    checkChange({
      files: changedFiles(toBytes(files), { write }),
      project: { docsRoot: 'docs', checks: ChecksConfig.parse({}) },
      run,
    }),
  );
  expect(report.problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    'docs/a.md: This page could not be checked: it takes more than 0.6 s. Make it simpler, or split it.',
    expect.stringMatching(/^docs\/c\.md: The link "e\.md" leads to no page/),
    'docs/f.mdx: This is not valid MDX: it takes more than 0.6 s.',
  ]);
  expect(short(report)[0]).toBe('links docs/a.md');
});

test('what nobody could read counts as code, and every host that it names as new', async () => {
  const before = toBytes(files);
  const text = `${slow}\n\nhttps://evil.dev`;
  const { changes } = edit(before, { write: { 'docs/a.md': text } });
  const { guard, paths } = ProjectConfig.parse({ id: 'p', organization: 'o' });
  const input = {
    changes,
    guard,
    policy: createPathPolicy(paths, 'docs'),
    allowLarge: true,
    trusted: [],
    before: docsFiles(before),
    run,
  };
  const review = await onlyThere(() => reviewContent(input));
  expect(review.newCode).toEqual([
    { path: 'docs/a.md', what: "it can't be read: it takes more than 0.6 s" },
  ]);
  expect(await findNewHosts(input)).toEqual([{ host: 'evil.dev', paths: ['docs/a.md'] }]);
  expect(review.needsDraft).toBe(true);
});
