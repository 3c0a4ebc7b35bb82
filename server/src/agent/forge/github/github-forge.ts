/**
 * GitHub and GitHub Enterprise. Commits are written by the Git Data API, so that no git of ours holds
 * credentials or checks anything out; files are read by a `git fetch` that sees only our own process.
 */
import { readRepositoryAddress } from '../../../platform/config/repository-address.ts';
import type { Project } from '../../../platform/tenants/projects.ts';
import { JobError } from '../../../platform/errors.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Forge } from '../forge.ts';
import { createTokenAccess, createVariableAccess, type RemoteAccess } from '../remote/access.ts';
import { createGitRemote } from '../remote/git-remote.ts';
import type { RemoteTimeouts } from '../remote/timeouts.ts';
import { createTreeReader } from '../remote/tree-reader.ts';
import { createAppAccess } from './access.ts';
import { createBranches } from './branches.ts';
import { type Authentication, createClient, createTokenStrategy } from './client.ts';
import { createCommits } from './commits.ts';
import { explainRefusal } from './failures.ts';
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
  log: Pick<Logger, 'debug' | 'warn'>;
  timeouts?: Partial<RemoteTimeouts> | undefined;
}

export type GitHubAccessDeps = Omit<GitHubForgeDeps, 'folder'>;

function addressOf({ repository, project }: GitHubAccessDeps) {
  const address = readRepositoryAddress(repository, project.github?.apiUrl);
  if (!('mistake' in address)) return address;
  throw new JobError('forge_not_configured', `The project’s “repository” ${address.mistake}.`);
}

function connectWith(deps: GitHubAccessDeps) {
  const { url: repository, apiUrl } = addressOf(deps);
  return (authentication: Authentication, holder: string) =>
    createClient({ ...deps, apiUrl, repository, holder }, authentication);
}

export function createGitHubAccess(deps: GitHubAccessDeps): RemoteAccess {
  const { project, secret, now } = deps;
  const { tokenEnv, app } = project.github ?? {};
  if (app !== undefined) {
    const { owner, name: repository } = addressOf(deps);
    const readsChecks =
      project.conversation?.repairChecks === true || project.connection !== undefined;
    const privateKey = secret(app.privateKeyEnv);
    const connect = connectWith(deps);
    return createAppAccess({ app, privateKey, owner, repository, readsChecks, now, connect });
  }
  if (tokenEnv === undefined) {
    const mistake = `The project “${project.id}” has no “github” with a “tokenEnv” or an “app”; without one the repository can be neither read nor changed.`;
    return createTokenAccess('nobody', undefined, mistake);
  }
  return createVariableAccess(tokenEnv, secret);
}

export function createGitHubForge(deps: GitHubForgeDeps) {
  const { project, folder } = deps;
  const { owner, name: repo, url: repository } = addressOf(deps);
  const access = createGitHubAccess(deps);
  const client = connectWith(deps)(
    { strategy: createTokenStrategy, options: { access } },
    access.holder,
  );
  const github = { client, repo: { owner, repo }, repository };
  const remote = createGitRemote({
    repository,
    access,
    username: 'x-access-token',
    explainRefusal,
  });
  const openTree = createTreeReader(remote, folder);
  const commits = createCommits(github, openTree, project.commitAuthor);
  const pulls = createPulls(github);

  const forge: Forge = {
    repository,
    talk: createTalk(github),
    async rateLimit(signal) {
      const { data } = await client.ask(
        (github, request) => github.rest.rateLimit.get({ request }),
        {
          signal,
        },
      );
      const { limit, remaining: left, reset } = data.resources.core;
      return { limit, left, resetsAt: new Date(reset * 1000).toISOString() };
    },
    openTree,
    ...createBranches(github),
    ...commits,
    ...pulls,
    async assertWritable(signal) {
      await commits.assertWritable(signal);
      await pulls.assertWritable(signal);
    },
  };
  return forge;
}
