/** Reads commits of a repository at a host into a copy in the data folder, and files from there. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createShallowClone, type ShallowClone } from '../../../platform/git/shallow-clone.ts';
import type { Tree } from '../../workspace/tree.ts';
import { listTree, readPaths } from '../bare-tree.ts';
import type { GitRemote } from './git-remote.ts';

/** The last commits whose list of files stays in memory; one of 20,000 files takes some 6 MB. */
const maxTrees = 4;

/** Where the copy of a repository is. Beside it may be others, for example of its history alone. */
export function copyOf(repository: string, folder: string, suffix = ''): string {
  const name = createHash('sha256').update(repository).digest('hex').slice(0, 24);
  return join(folder, `${name}${suffix}.git`);
}

export function createTreeReader(
  remote: GitRemote,
  folder: string,
  clone: ShallowClone = createShallowClone(copyOf(remote.repository, folder)),
) {
  const trees = new Map<string, Tree>();

  async function open(commit: string, signal?: AbortSignal): Promise<Tree> {
    await clone.ready();
    if (!(await clone.has(commit, signal))) {
      await remote.reach((host) => clone.fetchCommit(host, commit, signal), { signal });
    }
    const entries = await listTree(clone.run, commit, signal);
    return {
      commit,
      entries,
      async read(paths, readSignal) {
        return readPaths(entries, paths, async (oids) => {
          if (await clone.isComplete(oids, readSignal)) return clone.read(oids, readSignal);
          return remote.reach(
            async (host) => {
              await clone.fetchBlobs(host, oids, readSignal);
              return clone.read(oids, readSignal);
            },
            { signal: readSignal },
          );
        });
      },
    };
  }

  return async function openTree(commit: string, signal?: AbortSignal): Promise<Tree> {
    const known = trees.get(commit);
    // Not shared while it is read: a cancelled job must not take others along.
    const tree = known ?? (await open(commit, signal));
    // The tree that was used last stays longest.
    trees.delete(commit);
    trees.set(commit, tree);
    for (const [oldest] of trees) {
      if (trees.size <= maxTrees) break;
      trees.delete(oldest);
    }
    return tree;
  };
}
