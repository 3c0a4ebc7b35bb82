/** git on a bare repository of this machine's owner, by plumbing only: no hook, no filter, no checkout. */
import { DocentError, JobError } from '../../../platform/errors.ts';
import { readRef, GitError, runGit, type RunOnRepository } from '../../../platform/git/run-git.ts';
import { isMoved, type Move } from '../bare-history.ts';
import type { CommitAuthor } from '../write-commit.ts';

export type LocalGit = ReturnType<typeof createLocalGit>;

/** Who commits if the project names nobody: there is no account. */
const noAccount: CommitAuthor = { name: 'Docent', email: 'docent@localhost' };

export function createLocalGit(repository: string, author: CommitAuthor = noAccount) {
  const run: RunOnRepository = async (args, options = {}) => {
    try {
      return await runGit(args, { repository, protocols: 'none', ...options });
    } catch (error) {
      throw explain(error, repository);
    }
  };

  /** The commit that a branch is at. */
  const tip = (branch: string, signal?: AbortSignal): Promise<string | undefined> =>
    readRef(repository, `refs/heads/${branch}`, { git: run, signal });

  let isKnownToBeBare = false;
  return {
    run,
    tip,
    /** As commits name it. */
    committer: `${author.name} <${author.email}>`,

    /** Moves a branch. `false`: it wasn't there. */
    move(to: Move, signal?: AbortSignal): Promise<boolean> {
      const old = to.from ?? '0'.repeat(to.to.length);
      const args = ['update-ref', '--no-deref', `refs/heads/${to.branch}`, to.to, old];
      return isMoved(to, () => run(args, { signal }), tip, signal);
    },

    /** Rejects if there is no bare repository. What was found once stays so. */
    async assertThere(signal?: AbortSignal): Promise<void> {
      if (isKnownToBeBare) return;
      const said = await run(['rev-parse', '--is-bare-repository'], { signal });
      isKnownToBeBare = said.toString().trim() === 'true';
      if (isKnownToBeBare) return;
      throw new JobError(
        'repository_not_found',
        `${repository} is not a bare repository; make one with "git clone --bare", and push to it.`,
      );
    },
  };
}

/** What git said stays with us as the cause: it may hold names of files of this machine. */
function explain(error: unknown, repository: string): unknown {
  if (error instanceof DocentError) {
    return new JobError('forge_unavailable', error.message, { cause: error });
  }
  if (!(error instanceof GitError)) return error;
  const cause = new Error(error.said.slice(0, 500));
  if (/not a git repository|cannot change to/i.test(error.said)) {
    return new JobError(
      'repository_not_found',
      `There is no bare git repository at ${repository}. To make one of a checkout: git clone --bare <checkout> <path>.`,
      {
        cause,
      },
    );
  }
  if (/not a valid object|bad object|unknown revision|invalid object|missing/i.test(error.said)) {
    return new JobError('forge_rejected', 'The repository does not have this commit.', { cause });
  }
  if (/permission denied|read-only|unable to create|insufficient permission/i.test(error.said)) {
    return new JobError(
      'forge_forbidden',
      `The repository ${repository} cannot be written; give the user that runs the service access to it.`,
      { cause },
    );
  }
  if (/bad name|invalid ref|not a valid ref|cannot lock ref/i.test(error.said)) {
    return new JobError('forge_rejected', 'git does not allow this name for a branch.', { cause });
  }
  return new JobError('forge_unavailable', 'git could not do this in the repository.', { cause });
}
