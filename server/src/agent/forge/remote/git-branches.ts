/**
 * Commits and branches of a repository at a host, by git alone: commits are written into our own bare copy,
 * and pushed with the commit that the branch was seen at.
 */
import { JobError } from '../../../platform/errors.ts';
import { branchNameMistake } from '../../../platform/config/repository-address.ts';
import {
  createShallowClone,
  historyAlone,
  type Remote,
} from '../../../platform/git/shallow-clone.ts';
import { assertCommitId, assertForward, historyOf, isMoved, type Move } from '../bare-history.ts';
import type { Forge } from '../forge.ts';
import { writeCommit } from '../write-commit.ts';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createLru } from '../../../platform/lru.ts';
import type { Tree } from '../../workspace/tree.ts';
import { listTree, readPaths } from '../bare-tree.ts';
import type { GitRemote } from './git-remote.ts';

/** The last commits whose list of files stays in memory; one of 20,000 files takes some 6 MB. */
const maxTrees = 4;

export interface GitBranchesOptions {
  remote: GitRemote;
  /** Where copies of repositories are kept. */
  folder: string;
  tip: Forge['tip'];
  /** Who commits. */
  author: (signal?: AbortSignal) => Promise<{ name: string; email: string }>;
}

export function createGitBranches({ remote, folder, tip, author }: GitBranchesOptions) {
  const { repository } = remote;
  const copy = join(folder, createHash('sha256').update(repository).digest('hex').slice(0, 24));
  const clone = createShallowClone(`${copy}.git`);
  // The copy of the files knows no commit's parents, and this one no files.
  const history = createShallowClone(`${copy}-history.git`, historyAlone);
  const trees = createLru<string, Tree>(maxTrees);

  /** Files are read into the copy as they are needed. */
  async function openTree(commit: string, signal?: AbortSignal): Promise<Tree> {
    const known = trees.get(commit);
    if (known) return known;
    await clone.ready();
    if (!(await clone.has(commit, signal))) {
      await remote.reach((host) => clone.fetchCommit(host, commit, signal), { signal });
    }
    const entries = await listTree(clone.run, commit, signal);
    const tree: Tree = {
      commit,
      entries,
      read: (paths, readSignal) =>
        readPaths(entries, paths, async (oids) => {
          if (await clone.isComplete(oids, readSignal)) return clone.read(oids, readSignal);
          const fetchAndRead = async (host: Remote) => {
            await clone.fetchBlobs(host, oids, readSignal);
            return clone.read(oids, readSignal);
          };
          return remote.reach(fetchAndRead, { signal: readSignal });
        }),
    };
    // Not shared while it is read: a cancelled job must not take others along.
    trees.set(commit, tree);
    return tree;
  }

  /** Brings commits with everything before them. */
  async function withHistory(commits: readonly string[], signal?: AbortSignal) {
    commits.forEach(assertCommitId);
    await history.ready();
    for (const commit of commits) {
      if (await history.has(commit, signal)) continue;
      await remote.reach((host) => history.fetchCommit(host, commit, signal), { signal });
    }
    return history.run;
  }

  async function move(to: Move, signal?: AbortSignal): Promise<boolean> {
    const { branch, from } = to;
    const mistake = branchNameMistake(branch);
    if (mistake !== undefined) {
      throw new JobError('forge_rejected', `“${branch}” can’t be a branch: it ${mistake}.`);
    }
    await clone.ready();
    const ref = `refs/heads/${branch}`;
    const args = [`--force-with-lease=${ref}:${from ?? ''}`, `${to.to}:${ref}`];
    const push = (host: Remote) => clone.push(host, args, signal);
    const way = { branch, mayPush: true, signal };
    return isMoved(to, () => remote.reach(push, way), tip, signal);
  }

  return {
    openTree,
    ...historyOf(withHistory),

    async writeCommit({ parent, changes, message }, signal) {
      await openTree(assertCommitId(parent), signal);
      const { name, email } = await author(signal);
      const committer = `${nameIn(name)} <${nameIn(email)}>`;
      const commit = { parent, changes, message: message.replaceAll('\0', '') };
      const written = await writeCommit({ run: clone.run, committer }, commit, signal);
      await clone.keep(written, signal);
      return written;
    },

    createBranch: (branch, commit, signal) =>
      move({ branch, from: undefined, to: assertCommitId(commit) }, signal),

    async advanceBranch(branch, { from, to }, signal) {
      // With the lease alone, the host would also take a commit that loses others.
      await openTree(assertCommitId(from), signal);
      await assertForward(clone.run, branch, { from, to }, signal);
      return move({ branch, from, to }, signal);
    },
  } satisfies Partial<Forge>;
}

/** Git's headers end a name with these. */
const nameIn = (text: string) => text.replaceAll(/[<>\p{Cc}]/gu, '').trim();
