/** The history of a bare repository. */
import type { RunOnRepository } from '../../platform/git/run-git.ts';
import { JobError } from '../../platform/errors.ts';
import { chunksOf } from '../../platform/store/database.ts';
import type { Commit, Forge } from './forge.ts';

const maxCommits = 250;

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

/** Where a branch goes. `from` is `undefined`: it's new. */
export interface Move {
  branch: string;
  from: string | undefined;
  to: string;
}

/** Whether the branch is at `to` now: a write may be refused, or its answer lost. */
export async function isMoved(
  { branch, from, to }: Move,
  write: () => Promise<unknown>,
  tip: Forge['tip'],
  signal?: AbortSignal,
): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    signal?.throwIfAborted();
    const found = await tip(branch, signal);
    if (found === from) throw error;
    return found === to;
  }
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
    async commitsBetween(old, young, signal): Promise<Commit[]> {
      const git = await open([old, young], signal);
      const format = ['--no-commit-header', '--format=%H%x00%an%x00%B%x00'];
      const most = ['--topo-order', `--max-count=${maxCommits}`];
      const listed = await git(['rev-list', ...most, ...format, young, `^${old}`], { signal });
      return [...chunksOf(listed.toString().split('\0'), 3)].flatMap(([id = '', author, message]) =>
        author === undefined || message === undefined
          ? []
          : { id: id.trim(), author, message: message.trimEnd() },
      );
    },

    async mergeBase(one, other, signal) {
      const git = await open([one, other], signal);
      const found = await git(['merge-base', one, other], { answers: [1], signal });
      return found.toString().trim() || undefined;
    },

    async commitBefore(commit, time, signal) {
      const git = await open([commit], signal);
      const args = ['rev-list', '--max-count=1', `--before=${time.toISOString()}`, commit];
      return (await git(args, { signal })).toString().trim() || undefined;
    },
  }) satisfies Partial<Forge>;

/** Ids go among the arguments, so nothing else may. */
export function assertCommitId(commit: string): string {
  if (!commitId.test(commit)) throw new TypeError('This is not the id of a commit');
  return commit;
}

const commitId = /^[\da-f]{40}(?:[\da-f]{24})?$/;
