/**
 * A forge at another machine that is reached by git and some REST calls. Everything that git can do, git
 * does; a host adds what only it knows.
 */
import type { ProjectConfig } from '../../../platform/config/project-config.ts';
import { readProjectAddress } from '../../../platform/config/repository-address.ts';
import { JobError } from '../../../platform/errors.ts';
import type { Forge, NewPullRequest, PullRequest } from '../forge.ts';
import type { Talk } from '../talk.ts';
import type { CommitAuthor } from '../write-commit.ts';
import { createVariableAccess } from './access.ts';
import { isDraftTitle, plainTitle } from './drafts.ts';
import { explainRefusal, type RefusalWords } from './failures.ts';
import { createGitBranches } from './git-branches.ts';
import { createGitRemote } from './git-remote.ts';
import { createRest, type Rest } from './rest.ts';
import { defaultTimeouts, type RemoteTimeouts } from './timeouts.ts';

/** A pull request with the title that its host shows. `isDraft`: where the host says it. */
export type HostPull = Omit<PullRequest, 'isDraft'> & { isDraft: boolean | undefined };

interface Host {
  talk: Talk;
  /** Rejects where the repository can't be used at all. */
  defaultBranch: Forge['defaultBranch'];
  /** Rejects where pull requests can't be written, as far as its REST API tells. */
  assertWritable: Forge['assertWritable'];
  tip: Forge['tip'];
  /** Whose commits these are where the project names nobody. */
  account(signal?: AbortSignal): Promise<CommitAuthor>;
  /** Of this repository's own branches, not of a fork's. */
  findPull(branch: string, signal?: AbortSignal): Promise<HostPull | undefined>;
  readPull(number: number, signal?: AbortSignal): Promise<HostPull | undefined>;
  createPull(request: Omit<NewPullRequest, 'isDraft'>, signal?: AbortSignal): Promise<HostPull>;
  editPull(
    number: number,
    change: { title?: string; body?: string },
    signal?: AbortSignal,
  ): Promise<HostPull>;
}

/** Gitea or GitLab, as the configuration of a project names it. */
export interface HostKind {
  name: 'gitea' | 'gitlab';
  /** The user name that goes with a token over git. */
  username: string;
  /** The header of its API. */
  authorization: (token: string) => string;
  /** What it puts before the title of a draft. */
  draftPrefix: string;
  words: (host: string) => RefusalWords;
  connect: (rest: Rest, repository: HostedRepository) => Host;
}

export interface HostedRepository {
  /** Its address. */
  repository: string;
  owner: string;
  name: string;
  /** Whose rights are used, for sentences: `the token in DOCS_TOKEN`. */
  holder: string;
}

export interface RemoteForgeDeps {
  project: Pick<ProjectConfig, HostKind['name'] | 'commitAuthor'>;
  /** As the project names it. */
  repository: string;
  secret: (variable: string) => string | undefined;
  /** Where copies of repositories are kept. */
  folder: string;
  timeouts?: Partial<RemoteTimeouts> | undefined;
}

export function createRemoteForge(deps: RemoteForgeDeps, kind: HostKind): Forge {
  const { project, folder, secret } = deps;
  const { tokenEnv = '' } = project[kind.name] ?? {};
  const address = readProjectAddress({ ...project, repository: deps.repository });
  if ('mistake' in address) {
    throw new JobError('forge_not_configured', `The project’s “repository” ${address.mistake}.`);
  }
  const { url: repository, apiUrl, owner, name } = address;
  const access = createVariableAccess(tokenEnv, secret);
  const words = kind.words(new URL(repository).host);
  const timeouts = { ...defaultTimeouts, ...deps.timeouts };
  const { authorization, username } = kind;
  const rest = createRest({ apiUrl, repository, access, authorization, words, timeouts });
  const host = kind.connect(rest, { repository, owner, name, holder: access.holder });
  const remote = createGitRemote({
    repository,
    access,
    username,
    explainRefusal: (refusal, context) => explainRefusal(refusal, context, words),
  });
  let account: CommitAuthor | undefined = project.commitAuthor;
  /** Once the repository was seen, a branch that is missing is just that. */
  let wasSeen = false;

  async function tip(branch: string, signal?: AbortSignal): Promise<string | undefined> {
    const found = await host.tip(branch, signal);
    if (found === undefined && !wasSeen) await host.defaultBranch(signal);
    wasSeen = true;
    return found;
  }

  const git = createGitBranches({
    remote,
    folder,
    tip,
    author: async (signal) => (account ??= await host.account(signal)),
  });

  const titled = (title: string, isDraft: boolean) =>
    `${isDraft ? kind.draftPrefix : ''}${plainTitle(title)}`;

  const shown = (pull: HostPull): PullRequest => ({
    ...pull,
    title: plainTitle(pull.title),
    isDraft: pull.isDraft ?? isDraftTitle(pull.title),
  });

  async function findPullRequest(branch: string, signal?: AbortSignal) {
    const found = await host.findPull(branch, signal);
    return found && shown(found);
  }

  return {
    repository,
    talk: host.talk,
    ...git,
    defaultBranch: (signal) => host.defaultBranch(signal),
    tip,
    findPullRequest,

    async assertWritable(signal) {
      await host.assertWritable(signal);
      // What git asks before it pushes: the host says here whether it would let us.
      await rest.send({
        path: `${repository}.git/info/refs?service=git-receive-pack`,
        authorization: await remote.authorization(),
        signal,
      });
    },

    async readPullRequest(number, signal) {
      const found = await host.readPull(number, signal);
      return found && shown(found);
    },

    async createPullRequest(request, signal) {
      const { branch, base, title, isDraft } = request;
      // Not every host checks these.
      const [from, to] = await Promise.all([tip(branch, signal), tip(base, signal)]);
      if (to === undefined) {
        throw new JobError(
          'base_branch_missing',
          `${repository} no longer has the base branch “${base}”.`,
        );
      }
      if (from === undefined || from === to) {
        throw new JobError('forge_rejected', `“${branch}” has no commits that “${base}” lacks.`);
      }
      try {
        const named = { ...request, title: titled(title, isDraft) };
        return shown(await host.createPull(named, signal));
      } catch (error) {
        if (!(error instanceof JobError) || error.code !== 'forge_rejected') throw error;
        const found = await findPullRequest(branch, signal);
        if (found?.state === 'open') return found;
        throw error;
      }
    },

    async updatePullRequest(number, { title, body, isDraft }, signal) {
      const before = await host.readPull(number, signal);
      if (!before) {
        throw new JobError('forge_rejected', `${repository} has no pull request #${number}.`);
      }
      const { title: old, isDraft: wasDraft } = shown(before);
      const wanted =
        title === undefined && (isDraft ?? wasDraft) === wasDraft
          ? before.title
          : titled(title ?? old, isDraft ?? wasDraft);
      const change = {
        ...(wanted !== before.title && { title: wanted }),
        ...(body !== undefined && { body }),
      };
      return shown(
        Object.keys(change).length === 0 ? before : await host.editPull(number, change, signal),
      );
    },
  };
}
