/** Reads commits of a GitHub repository into a copy in the data folder, and files from there. */
import { join } from 'node:path';
import { sha256 } from '../../../platform/hash.ts';
import { DocentError, JobError } from '../../../platform/errors.ts';
import { createLru } from '../../../platform/lru.ts';
import type { Tree } from '../../workspace/tree.ts';
import { GitError } from '../../../platform/git/run-git.ts';
import { createShallowClone, type Remote } from '../../../platform/git/shallow-clone.ts';
import { listTree, readPaths } from '../bare-tree.ts';
import type { GitHubAccess } from './access.ts';
import { explainRefusal, type FailureContext, unreachable } from './failures.ts';
import { openFetchProxy } from './fetch-proxy.ts';

export interface ReaderOptions {
  /** `https://github.com/acme/docs` */
  repository: string;
  access: GitHubAccess;
  /** Where copies are kept. */
  folder: string;
}

/** The last commits whose list of files stays in memory; one of 20,000 files takes some 6 MB. */
const maxTrees = 4;

export function createTreeReader({ repository, access, folder }: ReaderOptions) {
  const name = sha256(repository).slice(0, 24);
  const clone = createShallowClone(join(folder, `${name}.git`));
  const trees = createLru<string, Tree>(maxTrees);
  const context: FailureContext = { repository, holder: access.holder };

  /** Opens the way to GitHub for one piece of work. */
  async function withRemote<T>(
    signal: AbortSignal | undefined,
    work: (remote: Remote) => Promise<T>,
  ): Promise<T> {
    const proxy = await openFetchProxy({
      upstream: new URL(`${repository}.git`),
      authorize: async (options) => {
        const token = await access.token(options);
        return `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
      },
      signal,
    });
    try {
      return await work({ url: proxy.url, protocols: 'http' });
    } catch (error) {
      signal?.throwIfAborted();
      throw explainGit(error, proxy.outcome());
    } finally {
      await proxy.close();
    }
  }

  function explainGit(
    error: unknown,
    { status, fault }: { status: number | undefined; fault: unknown },
  ): unknown {
    if (fault instanceof JobError) return fault;
    if (fault !== undefined) return unreachable(context, fault);
    if (status !== undefined && status >= 400) {
      return explainRefusal({ status, message: '', headers: {} }, context);
    }
    if (error instanceof DocentError) {
      return new JobError('forge_unavailable', error.message, { cause: error });
    }
    if (!(error instanceof GitError)) return error;
    // Git's words may hold addresses of this machine.
    return /not our ref|not found|no such ref|couldn't find remote ref/i.test(error.said)
      ? new JobError('forge_rejected', `${repository} no longer has the commit that is worked on.`)
      : new JobError('forge_unavailable', `${repository} could not be read.`);
  }

  async function open(commit: string, signal?: AbortSignal): Promise<Tree> {
    await clone.ready();
    if (!(await clone.has(commit, signal))) {
      await withRemote(signal, (remote) => clone.fetchCommit(remote, commit, signal));
    }
    const entries = await listTree(clone.run, commit, signal);
    return {
      commit,
      entries,
      async read(paths, readSignal) {
        return readPaths(entries, paths, async (oids) => {
          if (await clone.isComplete(oids, readSignal)) return clone.read(oids, readSignal);
          return withRemote(readSignal, async (remote) => {
            await clone.fetchBlobs(remote, oids, readSignal);
            return clone.read(oids, readSignal);
          });
        });
      },
    };
  }

  return async function openTree(commit: string, signal?: AbortSignal): Promise<Tree> {
    const known = trees.get(commit);
    // Not shared while it is read: a cancelled job must not take others along.
    const tree = known ?? (await open(commit, signal));
    trees.set(commit, tree);
    return tree;
  };
}
