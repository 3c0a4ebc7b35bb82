/** Branches of a repository at GitHub: read, created, and moved forward. */
import { JobError } from '../../../platform/errors.ts';
import type { Forge } from '../forge.ts';
import type { GitHubClient } from './client.ts';

/** A repository at GitHub. */
export interface GitHubRepository {
  client: GitHubClient;
  repo: { owner: string; repo: string };
  /** Its address. */
  repository: string;
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
      throw new JobError('forge_rejected', `${repository} is archived, so nobody can change it.`);
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

  return {
    defaultBranch,
    tip,

    async createBranch(branch, commit, signal) {
      try {
        await client.ask(
          (github, request) =>
            github.rest.git.createRef({
              ...repo,
              ref: `refs/heads/${branch}`,
              sha: commit,
              request,
            }),
          { branch, signal },
        );
        return true;
      } catch (error) {
        // It exists: somebody else created it, or we did and didn't get the answer.
        if (!(error instanceof JobError) || error.code !== 'forge_rejected') throw error;
        const found = await tip(branch, signal);
        if (found === undefined) throw error;
        return found === commit;
      }
    },

    async advanceBranch(branch, { from, to }, signal) {
      // GitHub only checks that the branch moves forward, so commits that somebody took back could return.
      const now = await tip(branch, signal);
      if (now !== from) return now === to;
      try {
        await client.ask(
          (github, request) =>
            github.rest.git.updateRef({
              ...repo,
              ref: `heads/${branch}`,
              sha: to,
              force: false,
              request,
            }),
          { branch, signal },
        );
        return true;
      } catch (error) {
        if (!(error instanceof JobError) || error.code !== 'forge_rejected') throw error;
        const found = await tip(branch, signal);
        if (found === to) return true;
        if (found !== from) return false;
        throw error;
      }
    },
  } satisfies Partial<Forge>;
}
