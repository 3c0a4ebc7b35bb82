/** Where git is run, and what of it: porcelain nowhere, and no other way to a program than those below. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { plumbing, runGit } from './run-git.ts';

const source = fileURLToPath(new URL('../..', import.meta.url));

/** Commands of git that look at a checked-out tree, at hooks, filters, drivers, signing or editors. `push` runs in our own bare copies alone. */
const porcelain =
  'add am apply archive bisect blame branch bundle checkout checkout-index cherry-pick citool clean clone commit config daemon describe diff diff-files diff-index difftool filter-branch format-patch gc grep gui hook instaweb interpret-trailers log maintenance merge merge-file merge-index mergetool mv notes pull range-diff read-tree rebase receive-pack remote replace request-pull rerere reset restore revert rm send-email send-pack shell shortlog show sparse-checkout stash status submodule switch tag update-index upload-pack verify-commit verify-tag worktree write-tree'.split(
    ' ',
  );

async function sources(): Promise<{ file: string; text: string }[]> {
  const files = (await readdir(source, { recursive: true }))
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  return Promise.all(
    files.map(async (file) => ({ file, text: await readFile(join(source, file), 'utf8') })),
  );
}

test('git is the only program that is started', async () => {
  const all = await sources();
  expect(all.length).toBeGreaterThan(200);
  const starting = all.filter(({ text }) =>
    /child_process|node:cluster|execa|process\.binding|node:vm\b/.test(text),
  );
  expect(starting.map(({ file }) => file)).toEqual(['platform/git/run-git.ts']);
});

test('no porcelain is among the commands of git', () => {
  expect(porcelain.filter((command) => plumbing.has(command))).toEqual([]);
  expect([...plumbing].filter((command) => command.startsWith('-'))).toEqual([]);
});

test('nothing in the source runs a porcelain command', async () => {
  const found = (await sources()).flatMap(({ file, text }) =>
    [
      ...text.matchAll(
        /(?:\b(?:run|git|runGit|runWith)\(\s*(?:\w+,\s*)?\[|Arguments\s*=\s*\[)\s*'([^']+)'/g,
      ),
    ]
      .map(([, command]) => command ?? '')
      .filter((command) => command !== '-c' && !plumbing.has(command))
      .map((command) => `${file}: ${command}`),
  );
  expect(found).toEqual([]);
});

test.each([[['status']], [['-c', 'x.y=z', 'commit']], [['--exec-path=/tmp', 'ls-tree']], [[]]])(
  'git %j is refused before it is started',
  async (args) => {
    await expect(runGit(args, { repository: '/nonexistent', protocols: 'none' })).rejects.toThrow(
      'is not among the commands',
    );
  },
);
