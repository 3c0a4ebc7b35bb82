import type { FileChange, Tree } from '../workspace/tree.ts';
import type { Talk } from './talk.ts';

export interface Commit {
  id: string;
  /** The whole message. */
  message: string;
  author: string;
}

export interface NewCommit {
  parent: string;
  /** A new file is plain (mode 100644); others keep their mode. */
  changes: readonly FileChange[];
  message: string;
}

export interface PullRequest {
  number: number;
  url: string;
  state: 'open' | 'merged' | 'closed';
  /** When it was merged or closed. */
  endedAt: string | undefined;
  isDraft: boolean;
  /** The branch with the change, and its tip as the host knows it. */
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
 * The host of a project's repository. Each call may be repeated after a crash, and none removes commits from
 * a branch. Calls reject with `JobError`.
 */
export interface Forge {
  /** Its full address, as `source.repository` shows it. */
  repository: string;
  /** What people say about its pull requests; undefined: only on our own pages. */
  talk?: Talk;
  /** How often it may still be asked; undefined: it doesn't say. */
  rateLimit?(signal?: AbortSignal): Promise<{ limit: number; left: number; resetsAt: string }>;
  /** Rejects if the repository is gone or not visible to us. */
  defaultBranch(signal?: AbortSignal): Promise<string>;
  /** Rejects if commits or pull requests can't be created, as far as we can tell without creating one. */
  assertWritable(signal?: AbortSignal): Promise<void>;
  /** The commit that a branch is at; `undefined` if there is no such branch. */
  tip(branch: string, signal?: AbortSignal): Promise<string | undefined>;
  /** The files of a commit. Fetches only what isn't here yet. */
  openTree(commit: string, signal?: AbortSignal): Promise<Tree>;
  /** Commits of `young` that `old` doesn't have, newest first; at most 250. */
  commitsBetween(old: string, young: string, signal?: AbortSignal): Promise<Commit[]>;
  /** The newest commit that both have; `undefined`: none. */
  mergeBase(one: string, other: string, signal?: AbortSignal): Promise<string | undefined>;
  /** The newest commit of this history that is older than a time; `undefined`: none. */
  commitBefore(commit: string, time: Date, signal?: AbortSignal): Promise<string | undefined>;
  /** Writes a commit without a branch. */
  writeCommit(commit: NewCommit, signal?: AbortSignal): Promise<string>;
  /** `false`: the branch exists already. */
  createBranch(branch: string, commit: string, signal?: AbortSignal): Promise<boolean>;
  /** `false`: the branch is no longer at `from`. */
  advanceBranch(
    branch: string,
    move: { from: string; to: string },
    signal?: AbortSignal,
  ): Promise<boolean>;
  /** The newest pull request of a branch, in any state. */
  findPullRequest(branch: string, signal?: AbortSignal): Promise<PullRequest | undefined>;
  readPullRequest(number: number, signal?: AbortSignal): Promise<PullRequest | undefined>;
  /** Returns the open one if the branch has one. */
  createPullRequest(request: NewPullRequest, signal?: AbortSignal): Promise<PullRequest>;
  updatePullRequest(
    number: number,
    change: { title?: string; body?: string; isDraft?: boolean },
    signal?: AbortSignal,
  ): Promise<PullRequest>;
}
