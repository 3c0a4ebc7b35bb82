/** Branches of a repository at GitHub: read, made, and moved forward. */
import { JobError } from '../../../platform/errors.ts';
import type { Forge } from '../forge.ts';
import type { GitHubClient } from './client.ts';

/** What each corner of the forge works with. */
export interface Ground {
  client: GitHubClient;
  place: { owner: string; repo: string };
  /** The repository's address. */
  repository: string;
  /** Whose rights are used, for sentences. */
  holder: string;
}

export function createBranches({ client, place, repository, holder }: Ground) {
  /** Once it was seen, a 404 means what was asked for and not the repository. */
  let wasSeen = false;

  async function defaultBranch(signal?: AbortSignal): Promise<string> {
    const { data } = await client.ask(
      (github, request) => github.rest.repos.get({ ...place, request }),
      { holder },
      signal,
    );
    if (data.archived) {
      throw new JobError('forge_rejected', `${repository} is archived, so nobody can change it.`);
    }
    wasSeen = true;
    return data.default_branch;
  }

  async function tip(branch: string, signal?: AbortSignal): Promise<string | undefined> {
    const missing = new JobError('internal', 'No such branch.');
    try {
      const { data } = await client.ask(
        (github, request) => github.rest.git.getRef({ ...place, ref: `heads/${branch}`, request }),
        { holder, branch, notFound: () => missing },
        signal,
      );
      wasSeen = true;
      return data.object.sha;
    } catch (error) {
      if (error !== missing) throw error;
      // GitHub says 404 also where the repository is gone or not for us.
      if (!wasSeen) await defaultBranch(signal);
      return undefined;
    }
  }

  return {
    defaultBranch,
    tip,

    async createBranch(branch, commit, signal) {
      try {
        await client.ask(
          (github, request) =>
            github.rest.git.createRef({
              ...place,
              ref: `refs/heads/${branch}`,
              sha: commit,
              request,
            }),
          { holder, branch },
          signal,
        );
        return true;
      } catch (error) {
        // It exists: somebody else made it, or we did and were not told.
        if (!(error instanceof JobError) || error.code !== 'forge_rejected') throw error;
        const found = await tip(branch, signal);
        if (found === undefined) throw error;
        return found === commit;
      }
    },

    async advanceBranch(branch, { from, to }, signal) {
      // GitHub looks only whether it moves forward; whoever took commits back must not get them again.
      const now = await tip(branch, signal);
      if (now !== from) return now === to;
      try {
        await client.ask(
          (github, request) =>
            github.rest.git.updateRef({
              ...place,
              ref: `heads/${branch}`,
              sha: to,
              force: false,
              request,
            }),
          { holder, branch },
          signal,
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
