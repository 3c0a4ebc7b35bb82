/** The way of our git to one repository at a host. */
import { DocentError, JobError } from '../../../platform/errors.ts';
import { GitError } from '../../../platform/git/run-git.ts';
import type { Remote } from '../../../platform/git/shallow-clone.ts';
import type { RemoteAccess } from './access.ts';
import { explainRefusal, type FailureContext, type RefusalWords, unreachable } from './failures.ts';
import { openGitProxy } from './git-proxy.ts';

export interface GitRemoteOptions {
  /** `https://github.com/acme/docs` */
  repository: string;
  access: RemoteAccess;
  /** The user name that goes with a token. */
  username: string;
  words: RefusalWords;
}

export type GitRemote = ReturnType<typeof createGitRemote>;

export function createGitRemote(options: GitRemoteOptions) {
  const { repository, access, username, words } = options;

  async function authorization(): Promise<string> {
    const token = await access.token();
    return `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;
  }

  /** Opens the way for one piece of work. */
  async function reach<T>(
    work: (remote: Remote) => Promise<T>,
    {
      branch,
      mayPush,
      signal,
    }: { branch?: string; mayPush?: boolean; signal?: AbortSignal | undefined },
  ): Promise<T> {
    const proxy = await openGitProxy({
      upstream: new URL(`${repository}.git`),
      authorize: authorization,
      mayPush,
      signal,
    });
    try {
      return await work({ url: proxy.url, protocols: 'http' });
    } catch (error) {
      signal?.throwIfAborted();
      throw explainGit(error, proxy.outcome(), { repository, holder: access.holder, branch });
    } finally {
      await proxy.close();
    }
  }

  function explainGit(
    error: unknown,
    { status, fault }: { status: number | undefined; fault: unknown },
    context: FailureContext,
  ): unknown {
    if (fault instanceof JobError) return fault;
    if (fault !== undefined) return unreachable(context, fault);
    if (status !== undefined && status >= 400) {
      return explainRefusal({ status, message: '', headers: {} }, context, words);
    }
    if (error instanceof DocentError) {
      return new JobError('forge_unavailable', error.message, { cause: error });
    }
    if (!(error instanceof GitError)) return error;
    const refused = refusedPush(error.said);
    if (refused !== undefined) {
      return explainRefusal({ status: 422, message: refused, headers: {} }, context, words);
    }
    // Git's words may hold addresses of this machine.
    return /not our ref|not found|no such ref|couldn't find remote ref/i.test(error.said)
      ? new JobError('forge_rejected', `${repository} no longer has the commit that is worked on.`)
      : new JobError('forge_unavailable', `${repository} could not be read.`);
  }

  return { repository, authorization, reach };
}

/** What the host said when it refused a push; `undefined`: it didn't. */
function refusedPush(said: string): string | undefined {
  const lines = said.split('\n');
  const status = lines.find((line) => line.startsWith(' ! '));
  if (status === undefined) return undefined;
  const words = lines.flatMap((line) => (line.startsWith('remote: ') ? [line.slice(8)] : []));
  return [...words, status.slice(status.lastIndexOf('('))].join(' ');
}
