import type { FileChange, Tree } from '../workspace/tree.ts';

export interface Commit {
  id: string;
  /** The whole message. */
  message: string;
  author: string;
}

export interface NewCommit {
  parent: string;
  /** Each file becomes a plain one (mode 100644), or keeps the mode it has. */
  changes: readonly FileChange[];
  message: string;
}

export interface PullRequest {
  number: number;
  url: string;
  state: 'open' | 'merged' | 'closed';
  isDraft: boolean;
  /** Branch that it comes from, and its tip as the host knows it. */
  head: { branch: string; commit: string };
  base: string;
  title: string;
  body: string;
}

export interface NewPullRequest {
  branch: string;
  base: string;
  title: string;
  body: string;
  isDraft: boolean;
}

/**
 * Where a project's repository lives. Each call may be repeated after a crash without harm, and none
 * ever moves a branch away from commits that it has. Rejects with `JobError`.
 */
export interface Forge {
  /** Its full address, as `source.repository` shows it. */
  repository: string;
  /** Rejects where the repository is gone or not for us. */
  defaultBranch(signal?: AbortSignal): Promise<string>;
  /** Rejects where commits or pull requests could not be made, as far as can be seen without making any. */
  assertWritable(signal?: AbortSignal): Promise<void>;
  /** The commit that a branch is at now; `undefined` where there is none. */
  tip(branch: string, signal?: AbortSignal): Promise<string | undefined>;
  /** The files of a commit; fetches only what is new since the last time. */
  openTree(commit: string, signal?: AbortSignal): Promise<Tree>;
  /** Commits of `young` that `old` doesn't have, newest first; at most 250. */
  commitsBetween(old: string, young: string, signal?: AbortSignal): Promise<Commit[]>;
  /** The newest commit that both have; `undefined`: none. */
  mergeBase(one: string, other: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Writes a commit that no branch has yet. */
  writeCommit(commit: NewCommit, signal?: AbortSignal): Promise<string>;
  /** `false`: the branch exists already. */
  createBranch(branch: string, commit: string, signal?: AbortSignal): Promise<boolean>;
  /** `false`: it is no longer at `from`. */
  advanceBranch(
    branch: string,
    move: { from: string; to: string },
    signal?: AbortSignal,
  ): Promise<boolean>;
  /** The newest pull request of a branch, in any state. */
  findPullRequest(branch: string, signal?: AbortSignal): Promise<PullRequest | undefined>;
  readPullRequest(number: number, signal?: AbortSignal): Promise<PullRequest | undefined>;
  /** Gives back the open one where the host says that there is one. */
  createPullRequest(request: NewPullRequest, signal?: AbortSignal): Promise<PullRequest>;
  updatePullRequest(
    number: number,
    change: { title?: string; body?: string; isDraft?: boolean },
    signal?: AbortSignal,
  ): Promise<PullRequest>;
}
