/**
 * GitHub and GitHub Enterprise. Commits are written by the Git Data API, so that no git of ours holds
 * credentials or checks anything out; files are read by a `git fetch` that sees only our own process.
 */
import { readRepositoryAddress } from '../../../platform/config/repository-address.ts';
import type { ProjectConfig } from '../../../platform/config/project-config.ts';
import { JobError } from '../../../platform/errors.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Forge } from '../forge.ts';
import { createAppAccess, createNoAccess, createTokenAccess, type GitHubAccess } from './access.ts';
import { createBranches } from './branches.ts';
import {
  type Authentication,
  createClient,
  createTokenStrategy,
  type GitHubTimeouts,
} from './client.ts';
import { createCommits } from './commits.ts';
import { createPulls } from './pulls.ts';
import { createReader } from './reader.ts';

export interface GitHubForgeDeps {
  project: Pick<ProjectConfig, 'id' | 'github'>;
  /** As the project names it. */
  repository: string;
  secret: (variable: string) => string | undefined;
  /** Where copies of repositories are kept. */
  folder: string;
  now: () => Date;
  log: Pick<Logger, 'debug' | 'warn'>;
  timeouts?: Partial<GitHubTimeouts> | undefined;
}

export function createGitHubForge(deps: GitHubForgeDeps) {
  const { project, secret, folder, now, log, timeouts } = deps;
  const address = readRepositoryAddress(deps.repository, project.github?.apiUrl);
  if ('mistake' in address) {
    throw new JobError('forge_not_configured', `The project’s “repository” ${address.mistake}.`);
  }
  const { owner, name: repo, url: repository, apiUrl } = address;
  const connect = (authentication: Authentication) =>
    createClient({ apiUrl, repository, log, timeouts }, authentication);
  const access = makeAccess();
  const client = connect({ strategy: createTokenStrategy, options: { access } });
  const place = { owner, repo };
  const ground = { client, place, repository, holder: access.holder };
  const reader = createReader({ repository, access, folder });
  const openTree: Forge['openTree'] = (commit, signal) => reader.openTree(commit, signal);
  const branches = createBranches(ground);
  const commits = createCommits({ ...ground, openTree });
  const pulls = createPulls(ground);

  function makeAccess(): GitHubAccess {
    const { tokenEnv, app } = project.github ?? {};
    if (app !== undefined) {
      const privateKey = secret(app.privateKeyEnv);
      return createAppAccess({ app, privateKey, owner, repository: repo, now, connect });
    }
    if (tokenEnv !== undefined) return createTokenAccess(tokenEnv, secret(tokenEnv));
    return createNoAccess(project.id);
  }

  const forge: Forge = {
    kind: 'github',
    repository,
    openTree,
    ...branches,
    ...commits,
    ...pulls,
    async assertWritable(signal) {
      await commits.assertWritable(signal);
      await pulls.assertWritable(signal);
    },
  };
  return forge;
}
