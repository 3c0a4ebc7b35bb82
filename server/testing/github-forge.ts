/** A forge over the GitHub server of the tests. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileInput } from '../../tests/support/docs-repository.ts';
import { type GitHubServer, startGitHubServer } from '../../tests/support/github-server.ts';
import type { ForgeSetup } from './forge-fixture.ts';
import { github } from '../src/agent/forge/github/github.ts';
import { createRemoteForge, type RemoteForgeDeps } from '../src/agent/forge/remote/remote-forge.ts';

export const token = 'github_pat_11CANARY0000000000000000_tests';
export const quickly = { timeoutMs: 5_000, retryUnitMs: 1, maxWaitSeconds: 60 };

export const createGitHubForge = (deps: RemoteForgeDeps) => createRemoteForge(deps, github);

export interface GitHubSetup extends ForgeSetup {
  server: GitHubServer;
  /** `acme/docs` at the server. */
  hosted: Awaited<ReturnType<GitHubServer['addRepository']>>;
  /** Where copies are kept. */
  folder: string;
  deps: RemoteForgeDeps;
}

export async function openGitHub(
  files: Record<string, FileInput>,
  options: {
    github?: (server: GitHubServer) => RemoteForgeDeps['project']['github'];
    deps?: Partial<RemoteForgeDeps>;
    secrets?: Record<string, string>;
    now?: () => number;
  } = {},
): Promise<GitHubSetup> {
  const server = await startGitHubServer(options);
  const folder = await mkdtemp(join(tmpdir(), 'docent-forge-'));
  const hosted = await server.addRepository('acme/docs', files);
  server.addToken(token);
  const secrets = options.secrets ?? {};
  secrets['DOCS_TOKEN'] ??= token;
  const deps: RemoteForgeDeps = {
    project: {
      id: 'acme-docs',
      github: options.github ? options.github(server) : { tokenEnv: 'DOCS_TOKEN' },
    },
    repository: server.repositoryUrl('acme/docs'),
    secret: (variable) => secrets[variable],
    folder,
    now: () => new Date(options.now?.() ?? Date.now()),
    timeouts: quickly,
    ...options.deps,
  };
  return {
    server,
    hosted,
    folder,
    deps,
    forge: createGitHubForge(deps),
    reopen: (commitAuthor) =>
      createGitHubForge({ ...deps, project: { ...deps.project, commitAuthor } }),
    docs: hosted.docs,
    merge: (number, how) => hosted.merge(number, how),
    close: (number) => hosted.close(number),
    makeDefault: (branch) => (hosted.defaultBranch = branch),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
