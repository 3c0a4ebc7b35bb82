/**
 * GitHub and GitHub Enterprise. Commits are written by the Git Data API, so that no git of ours holds
 * credentials or checks anything out; files are read by a `git fetch` that sees only our own process.
 */
import { z } from 'zod';
import { readRepositoryAddress } from '../../../platform/config/repository-address.ts';
import type { Project } from '../../../platform/tenants/projects.ts';
import { JobError } from '../../../platform/errors.ts';
import type { Forge } from '../forge.ts';
import { createTokenAccess, createVariableAccess, type RemoteAccess } from '../remote/access.ts';
import { archived, explainRefusal } from '../remote/failures.ts';
import { createGitRemote } from '../remote/git-remote.ts';
import { createRest, type Rest, type RestRequest } from '../remote/rest.ts';
import { defaultTimeouts, type RemoteTimeouts } from '../remote/timeouts.ts';
import { createTreeReader } from '../remote/tree-reader.ts';
import { createAppAccess } from './access.ts';
import { createCommits } from './commits.ts';
import { gitHubRest, gitHubWords } from './failures.ts';
import { createPulls } from './pulls.ts';
import { createTalk } from './talk.ts';

export interface GitHubForgeDeps {
  project: Pick<Project, 'id' | 'github' | 'commitAuthor' | 'conversation' | 'connection'>;
  /** As the project names it. */
  repository: string;
  secret: (variable: string) => string | undefined;
  /** Where copies of repositories are kept. */
  folder: string;
  now: () => Date;
  timeouts?: Partial<RemoteTimeouts> | undefined;
}

export type GitHubAccessDeps = Omit<GitHubForgeDeps, 'folder'>;

/** A repository at GitHub. */
export interface GitHubRepository {
  rest: Rest;
  /** Its path in the API. */
  at: string;
  owner: string;
  /** Its address. */
  repository: string;
}

function addressOf({ repository, project }: GitHubAccessDeps) {
  const address = readRepositoryAddress(repository, project.github?.apiUrl);
  if (!('mistake' in address)) return address;
  throw new JobError('forge_not_configured', `The project’s “repository” ${address.mistake}.`);
}

function connectWith(deps: GitHubAccessDeps, access: RemoteAccess): Rest {
  const { url: repository, apiUrl } = addressOf(deps);
  const timeouts = { ...defaultTimeouts, ...deps.timeouts };
  return createRest({ ...gitHubRest, apiUrl, repository, access, timeouts });
}

export function createGitHubAccess(deps: GitHubAccessDeps): RemoteAccess {
  const { project, secret, now } = deps;
  const { tokenEnv, app } = project.github ?? {};
  if (app !== undefined) {
    const { owner, name: repository } = addressOf(deps);
    const readsChecks =
      project.conversation?.repairChecks === true || project.connection !== undefined;
    const privateKey = secret(app.privateKeyEnv);
    const connect = (access: RemoteAccess) => connectWith(deps, access);
    return createAppAccess({ app, privateKey, owner, repository, readsChecks, now, connect });
  }
  if (tokenEnv === undefined) {
    const mistake = `The project “${project.id}” has no “github” with a “tokenEnv” or an “app”; without one the repository can be neither read nor changed.`;
    return createTokenAccess('nobody', () => undefined, mistake);
  }
  return createVariableAccess(tokenEnv, secret);
}

const Repository = z.object({ default_branch: z.string(), archived: z.boolean() });
const Ref = z.object({ object: z.object({ sha: z.string() }) });
const RateLimit = z.object({
  resources: z.object({
    core: z.object({ limit: z.number(), remaining: z.number(), reset: z.number() }),
  }),
});

interface Move {
  branch: string;
  /** `undefined`: the branch is new. */
  from: string | undefined;
  to: string;
}

export function createGitHubForge(deps: GitHubForgeDeps): Forge {
  const { project, folder } = deps;
  const { owner, name, url: repository } = addressOf(deps);
  const access = createGitHubAccess(deps);
  const rest = connectWith(deps, access);
  const at = `/repos/${owner}/${name}`;
  const github = { rest, at, owner, repository };
  const remote = createGitRemote({
    repository,
    access,
    username: 'x-access-token',
    explainRefusal: (refusal, context) => explainRefusal(refusal, context, gitHubWords),
  });
  const openTree = createTreeReader(remote, folder);
  const commits = createCommits(github, openTree, project.commitAuthor);
  const pulls = createPulls(github);
  /** Once the repository was seen, a 404 means the branch. */
  let wasSeen = false;

  async function defaultBranch(signal?: AbortSignal): Promise<string> {
    const found = await rest.ask(Repository, { path: at, signal });
    if (found.archived) throw archived(repository);
    wasSeen = true;
    return found.default_branch;
  }

  async function tip(branch: string, signal?: AbortSignal): Promise<string | undefined> {
    const path = `${at}/git/ref/heads/${pathOf(branch)}`;
    const found = await rest.find(Ref, { path, branch, signal });
    // GitHub also answers 404 if the repository is gone or not visible to us.
    if (!found && !wasSeen) await defaultBranch(signal);
    wasSeen = true;
    return found?.object.sha;
  }

  /** Whether the branch is at `to` now: a write may be refused, or its answer lost. */
  async function write({ branch, from, to }: Move, request: RestRequest): Promise<boolean> {
    try {
      await rest.send({ ...request, branch });
      return true;
    } catch (error) {
      if (!(error instanceof JobError) || error.code !== 'forge_rejected') throw error;
      const found = await tip(branch, request.signal);
      if (found === from) throw error;
      return found === to;
    }
  }

  return {
    repository,
    talk: createTalk(github),
    openTree,
    defaultBranch,
    tip,
    ...commits,
    ...pulls,

    async rateLimit(signal) {
      const { resources } = await rest.ask(RateLimit, { path: '/rate_limit', signal });
      const { limit, remaining: left, reset } = resources.core;
      return { limit, left, resetsAt: new Date(reset * 1000).toISOString() };
    },

    async assertWritable(signal) {
      await commits.assertWritable(signal);
      await pulls.assertWritable(signal);
    },

    createBranch(branch, commit, signal) {
      const body = { ref: `refs/heads/${branch}`, sha: commit };
      const request = { method: 'POST', path: `${at}/git/refs`, body, signal } as const;
      return write({ branch, from: undefined, to: commit }, request);
    },

    async advanceBranch(branch, { from, to }, signal) {
      // GitHub only checks that the branch moves forward, so commits that somebody took back could return.
      const now = await tip(branch, signal);
      if (now !== from) return now === to;
      const path = `${at}/git/refs/heads/${pathOf(branch)}`;
      const body = { sha: to, force: false };
      return write({ branch, from, to }, { method: 'PATCH', path, body, signal });
    },
  };
}

const pathOf = (branch: string) => branch.split('/').map(encodeURIComponent).join('/');
