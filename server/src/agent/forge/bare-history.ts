/** The history of a bare repository. */
import type { RunOnRepository } from '../../platform/git/run-git.ts';
import { JobError } from '../../platform/errors.ts';
import type { Commit, Forge } from './forge.ts';

const maxCommits = 250;

export async function listCommits(
  git: RunOnRepository,
  { old, young }: { old: string; young: string },
  signal?: AbortSignal,
): Promise<Commit[]> {
  const listed = await git(
    [
      'rev-list',
      '--topo-order',
      `--max-count=${maxCommits}`,
      '--no-commit-header',
      '--format=%H%x00%an%x00%B%x00',
      young,
      `^${old}`,
    ],
    { signal },
  );
  const fields = listed.toString().split('\0');
  const commits: Commit[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [id = '', author = '', message = ''] = fields.slice(at, at + 3);
    commits.push({ id: id.trim(), author, message: message.trimEnd() });
  }
  return commits;
}

/** The newest commit that both have; `undefined`: none. */
export async function findMergeBase(
  git: RunOnRepository,
  [one, other]: readonly [string, string],
  signal?: AbortSignal,
): Promise<string | undefined> {
  const found = await git(['merge-base', one, other], { answers: [1], signal });
  return found.toString().trim() || undefined;
}

/** The newest commit that is older than a time; `undefined`: none. */
export async function findCommitBefore(
  git: RunOnRepository,
  commit: string,
  time: Date,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const args = ['rev-list', '--max-count=1', `--before=${time.toISOString()}`, commit];
  return (await git(args, { signal })).toString().trim() || undefined;
}

/** Whether a commit comes after another, or is the same. */
export async function isAncestor(
  git: RunOnRepository,
  { old, young }: { old: string; young: string },
  signal?: AbortSignal,
): Promise<boolean> {
  if (old === young) return true;
  const left = await git(['rev-list', '--max-count=1', old, `^${young}`], { signal });
  return left.length === 0;
}

/** A branch is only ever moved forward. */
export async function assertForward(
  git: RunOnRepository,
  branch: string,
  { from, to }: { from: string; to: string },
  signal?: AbortSignal,
): Promise<void> {
  const ids = { old: assertCommitId(from), young: assertCommitId(to) };
  if (await isAncestor(git, ids, signal)) return;
  throw new JobError(
    'forge_rejected',
    `The branch ${branch} would lose commits; it is only ever moved forward.`,
  );
}

/** `open` brings commits with everything before them. */
export const historyOf = (
  open: (commits: readonly string[], signal?: AbortSignal) => Promise<RunOnRepository>,
) =>
  ({
    commitsBetween: async (old, young, signal) =>
      listCommits(await open([old, young], signal), { old, young }, signal),
    mergeBase: async (one, other, signal) =>
      findMergeBase(await open([one, other], signal), [one, other], signal),
    commitBefore: async (commit, time, signal) =>
      findCommitBefore(await open([commit], signal), commit, time, signal),
  }) satisfies Partial<Forge>;

/** Ids go among the arguments, so nothing else may. */
export function assertCommitId(commit: string): string {
  if (!commitId.test(commit)) throw new TypeError('This is not the id of a commit');
  return commit;
}

export const commitId = /^[\da-f]{40}(?:[\da-f]{24})?$/;
