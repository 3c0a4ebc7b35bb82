/**
 * A forge at another machine that is reached by git and some REST calls. Everything that git can do, git
 * does; a host adds what only it knows.
 */
import { z } from 'zod';
import { readProjectAddress } from '../../../platform/config/repository-address.ts';
import { JobError } from '../../../platform/errors.ts';
import type { Project } from '../../../platform/tenants/projects.ts';
import type { Forge, NewPullRequest, PullRequest } from '../forge.ts';
import type { Talk } from '../talk.ts';
import type { CommitAuthor } from '../write-commit.ts';
import type { RemoteAccess } from './access.ts';
import type { RefusalWords } from './failures.ts';
import { createGitBranches } from './git-branches.ts';
import { createGitRemote } from './git-remote.ts';
import { createRest, type Rest, type RestOptions } from './rest.ts';
import { defaultTimeouts, type RemoteTimeouts } from './exchange.ts';

/** A pull request with the title that its host shows. `isDraft`: where the host says it. */
export type HostPull = Omit<PullRequest, 'isDraft'> & { isDraft: boolean | undefined };

interface Host {
  talk: Talk;
  /** Rejects where the repository can't be used at all. */
  defaultBranch: Forge['defaultBranch'];
  /** Rejects where pull requests can't be written, as far as its REST API tells. */
  assertWritable: Forge['assertWritable'];
  tip: Forge['tip'];
  rateLimit?: Forge['rateLimit'];
  /** Whose commits git makes where the project names nobody. */
  account(signal?: AbortSignal): Promise<CommitAuthor>;
  /** How its API writes commits and branches; without it, git does. */
  writer?: (
    openTree: Forge['openTree'],
    author: CommitAuthor | undefined,
  ) => Pick<Forge, 'writeCommit' | 'createBranch' | 'advanceBranch'>;
  pulls: {
    /** `/repos/acme/docs/pulls` */
    path: string;
    /** How it's changed. */
    method: 'PATCH' | 'PUT';
    schema: z.ZodType<HostPull>;
    toNew: (request: NewPullRequest) => object;
    toChange?: (change: { title?: string; body?: string }) => object;
    /** Of this repository's own branches, not of a fork's. */
    find(branch: string, signal?: AbortSignal): Promise<HostPull | undefined>;
    /** Where the title doesn't say it. */
    setDraft?: (number: number, isDraft: boolean, signal?: AbortSignal) => Promise<void>;
  };
}

/** How one kind of host differs from the others. */
export interface HostKind extends Pick<RestOptions, 'authorization' | 'accept' | 'exchange'> {
  /** The user name that goes with a token over git. */
  username: string;
  /** What it puts before the title of a draft; undefined: the title doesn't say it. */
  draftPrefix: string | undefined;
  words: (host: string) => RefusalWords;
  /** The list of repositories that an account belongs to, by their last change where the host can. */
  list: { path: string; query: Record<string, string | number> };
  /** What its projects show it. `connect` speaks to it with another access. */
  access: (
    deps: HostDeps,
    address: { owner: string; name: string; connect: (access: RemoteAccess) => Rest },
  ) => RemoteAccess;
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
  project: Pick<
    Project,
    'id' | 'github' | 'gitea' | 'gitlab' | 'commitAuthor' | 'conversation' | 'connection'
  >;
  /** As the project names it. */
  repository: string;
  secret: (variable: string) => string | undefined;
  /** Where copies of repositories are kept. */
  folder: string;
  now: () => Date;
  timeouts?: Partial<RemoteTimeouts> | undefined;
}

type HostDeps = Omit<RemoteForgeDeps, 'folder'>;

/** The way to a repository's host, and what is shown there. Throws if its address is none. */
export function openHost(deps: HostDeps, kind: HostKind) {
  const read = readProjectAddress({ ...deps.project, repository: deps.repository });
  if ('mistake' in read) {
    throw new JobError('forge_not_configured', `The project’s “repository” ${read.mistake}.`);
  }
  const { url: repository, apiUrl, owner, name } = read;
  const words = kind.words(new URL(repository).host);
  const timeouts = { ...defaultTimeouts, ...deps.timeouts };
  const connect = (access: RemoteAccess) =>
    createRest({ ...kind, apiUrl, repository, access, words, timeouts });
  const access = kind.access(deps, { owner, name, connect });
  return { repository, owner, name, words, access, rest: connect(access) };
}

export function createRemoteForge(deps: RemoteForgeDeps, kind: HostKind): Forge {
  const { project, folder } = deps;
  const { draftPrefix } = kind;
  const { repository, owner, name, words, access, rest } = openHost(deps, kind);
  const host = kind.connect(rest, { repository, owner, name, holder: access.holder });
  const remote = createGitRemote({ repository, access, username: kind.username, words });
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
    draftPrefix === undefined ? title : `${isDraft ? draftPrefix : ''}${plainTitle(title)}`;

  const shown = (pull: HostPull): PullRequest => ({
    ...pull,
    title: draftPrefix === undefined ? pull.title : plainTitle(pull.title),
    isDraft: pull.isDraft ?? draftStart.test(pull.title),
  });

  const { path, method, schema, toNew, toChange = (change: object) => change } = host.pulls;
  const read = (number: number, signal?: AbortSignal) =>
    rest.find(schema, { path: `${path}/${number}`, signal });
  const create = (request: NewPullRequest, signal?: AbortSignal) =>
    rest.ask(schema, {
      method: 'POST',
      path,
      body: toNew({ ...request, title: titled(request.title, request.isDraft) }),
      branch: request.branch,
      signal,
    });

  async function findPullRequest(branch: string, signal?: AbortSignal) {
    const found = await host.pulls.find(branch, signal);
    return found && shown(found);
  }

  return {
    repository,
    talk: host.talk,
    ...git,
    ...host.writer?.(git.openTree, project.commitAuthor),
    ...(host.rateLimit && { rateLimit: host.rateLimit }),
    defaultBranch: (signal) => host.defaultBranch(signal),
    tip,
    findPullRequest,

    async assertWritable(signal) {
      await host.assertWritable(signal);
      // There is none with this number: without the right, the answer is a refusal instead of 404.
      const body = toChange({ title: 'Docent' });
      await rest.find(z.unknown(), { method, path: `${path}/0`, body, signal });
      if (host.writer) return;
      // What git asks before it pushes: the host says here whether it would let us.
      await rest.send({
        path: `${repository}.git/info/refs?service=git-receive-pack`,
        authorization: await remote.authorization(),
        signal,
      });
    },

    async readPullRequest(number, signal) {
      const found = await read(number, signal);
      return found && shown(found);
    },

    async createPullRequest(request, signal) {
      const { branch, base, isDraft } = request;
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
        return shown(await create(request, signal));
      } catch (error) {
        if (!(error instanceof JobError) || error.code !== 'forge_rejected') throw error;
        if (isDraft && hasNoDrafts(error)) {
          return shown(await create({ ...request, isDraft: false }, signal));
        }
        const found = await findPullRequest(branch, signal);
        if (found?.state === 'open') return found;
        throw error;
      }
    },

    async updatePullRequest(number, { title, body, isDraft }, signal) {
      let pull = await read(number, signal);
      if (!pull)
        throw new JobError('forge_rejected', `${repository} has no pull request #${number}.`);
      const { title: old, isDraft: wasDraft } = shown(pull);
      const willBeDraft = isDraft ?? wasDraft;
      const wanted =
        title === undefined && willBeDraft === wasDraft
          ? pull.title
          : titled(title ?? old, willBeDraft);
      const change = {
        ...(wanted !== pull.title && { title: wanted }),
        ...(body !== undefined && { body }),
      };
      if (Object.keys(change).length > 0) {
        const request = { method, path: `${path}/${number}`, body: toChange(change), signal };
        pull = await rest.ask(schema, request);
      }
      const { setDraft } = host.pulls;
      if (!setDraft || willBeDraft === wasDraft) return shown(pull);
      try {
        await setDraft(number, willBeDraft, signal);
      } catch (error) {
        if (!hasNoDrafts(error)) throw error;
        return shown(pull);
      }
      return shown({ ...pull, isDraft: willBeDraft });
    },
  };
}

/** Some plans of GitHub have no drafts for private repositories. */
const hasNoDrafts = (error: unknown): boolean =>
  error instanceof JobError && /draft pull requests are not supported/i.test(error.message);

/** Gitea, Forgejo, and GitLab know a draft by the beginning of its title. */
const draftStart = /^\s*(?:\[(?:draft|wip)\]|\(draft\)|(?:draft|wip):)\s*/i;

/** A title without the beginnings that make a draft of it. */
function plainTitle(title: string): string {
  let plain = title;
  while (draftStart.test(plain)) plain = plain.replace(draftStart, '');
  return plain;
}
