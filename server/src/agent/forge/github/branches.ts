/** Branches of a repository at GitHub: read, created, and moved forward. */
import { JobError } from '../../../platform/errors.ts';
import type { Forge } from '../forge.ts';
import { archived } from '../remote/failures.ts';
import type { GitHubClient } from './client.ts';

/** A repository at GitHub. */
export interface GitHubRepository {
  client: GitHubClient;
  repo: { owner: string; repo: string };
  /** Its address. */
  repository: string;
}

interface Move {
  branch: string;
  /** `undefined`: the branch is new. */
  from: string | undefined;
  to: string;
  signal: AbortSignal | undefined;
}

export function createBranches({ client, repo, repository }: GitHubRepository) {
  /** Once the repository was seen, a 404 means the branch. */
  let wasSeen = false;

  async function defaultBranch(signal?: AbortSignal): Promise<string> {
    const { data } = await client.ask(
      (github, request) => github.rest.repos.get({ ...repo, request }),
      { signal },
    );
    if (data.archived) {
      throw archived(repository);
    }
    wasSeen = true;
    return data.default_branch;
  }

  async function tip(branch: string, signal?: AbortSignal): Promise<string | undefined> {
    const found = await client.find(
      (github, request) => github.rest.git.getRef({ ...repo, ref: `heads/${branch}`, request }),
      { branch, signal },
    );
    // GitHub also answers 404 if the repository is gone or not visible to us.
    if (!found && !wasSeen) await defaultBranch(signal);
    wasSeen = true;
    return found?.data.object.sha;
  }

  /** Whether the branch is at `to` now: a write may be refused, or its answer lost. */
  async function write(
    { branch, from, to, signal }: Move,
    send: Parameters<typeof client.ask>[0],
  ): Promise<boolean> {
    try {
      await client.ask(send, { branch, signal });
      return true;
    } catch (error) {
      if (!(error instanceof JobError) || error.code !== 'forge_rejected') throw error;
      const found = await tip(branch, signal);
      if (found === from) throw error;
      return found === to;
    }
  }

  return {
    defaultBranch,
    tip,

    createBranch: (branch, commit, signal) =>
      write({ branch, from: undefined, to: commit, signal }, (github, request) =>
        github.rest.git.createRef({ ...repo, ref: `refs/heads/${branch}`, sha: commit, request }),
      ),

    async advanceBranch(branch, { from, to }, signal) {
      // GitHub only checks that the branch moves forward, so commits that somebody took back could return.
      const now = await tip(branch, signal);
      if (now !== from) return now === to;
      const change = { ref: `heads/${branch}`, sha: to, force: false };
      return write({ branch, from, to, signal }, (github, request) =>
        github.rest.git.updateRef({ ...repo, ...change, request }),
      );
    },
  } satisfies Partial<Forge>;
}
